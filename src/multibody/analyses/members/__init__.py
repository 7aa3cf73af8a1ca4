"""Many members of one model: prepared together, computed in compiled loops, read as one long motion."""
