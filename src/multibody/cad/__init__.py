"""Parts that a CAD program wrote: volume, center and inertia of their solids, their surface, the axes of their cylinders.

This room knows files and geometry, no model: lengths are in the unit of the file. trimesh reads STL, OBJ and GLB, OCP
(Open CASCADE) reads STEP; each is imported when it is first needed.
"""
