"""A model as an environment of Gymnasium: one, or many members that are stepped in one compiled call."""
