"""Studies: one model with many values of its parameters; plans, members, stores and what their answers say together."""
