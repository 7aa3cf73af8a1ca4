"""The model lowered into flat arrays: integers for the structure, numbers for everything else, names for every row."""
