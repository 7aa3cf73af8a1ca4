"""A model on arrays, its states, and its motion over time."""
