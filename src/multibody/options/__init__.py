"""What verbs, formulations and integrators can be told: one description for files, Python, the command line and the schema."""
