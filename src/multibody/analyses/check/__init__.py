"""Check: what a mechanism is before it moves."""
