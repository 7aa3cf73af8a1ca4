"""What happens at one instant: zeros of watched expressions, motions that switch, jumps, formulas without a value."""
