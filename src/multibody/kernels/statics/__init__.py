"""Positions of rest without Python: the balance of forces along the constraints, and steps that reduce what is left of it.

The same steps as ``analyses/statics``, which explains them and does what is left out here: relaxation, Newton's method as it
is, large models, and why nothing is found.
"""
