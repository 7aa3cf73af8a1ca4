"""One model or many problems with several formulations and integrators."""
