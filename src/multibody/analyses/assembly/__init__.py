"""Assembly: poses and velocities that satisfy the joints, one or all of them."""
