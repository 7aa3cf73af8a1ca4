"""The verbs, a room each, and the rooms that they share."""
