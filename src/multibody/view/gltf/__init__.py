"""Animated glTF: a run as one .glb file that any 3-D viewer and slide deck plays."""
