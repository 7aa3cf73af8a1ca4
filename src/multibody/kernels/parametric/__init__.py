"""Pairs with parameters: six constraints a joint in the coordinates of two bodies and the joint's own α."""
