"""Forces of joints along a known motion, from the multipliers."""
