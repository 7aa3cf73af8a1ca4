"""The equations of motion linearized about a state, and their system Jacobians."""
