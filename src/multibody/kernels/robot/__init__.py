"""What roboticists ask of an open tree, for one state or many in one call."""
