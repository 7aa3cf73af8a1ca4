"""Assembly without Python: the start on a spanning tree, Newton's method, rates and independent rows of one member.

The same steps as ``analyses/assembly``, which explains them and does what is left out here: restarts, screws, cams, given
orientations, large models. A member for which an answer other than :data:`~multibody.kernels.assembly.member.CLOSED` comes
back is done there.
"""
