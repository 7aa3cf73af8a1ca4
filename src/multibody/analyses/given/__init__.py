"""What an analysis is given: values to start from, and options."""
