"""The report of a run: one page for a design review, on the screen and on paper."""
