"""What a robot is asked: dynamics, frames, momentum and joint forces of a tree, one state or many in one call."""
