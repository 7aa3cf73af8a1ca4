"""Members of a run side by side, in code that is made for their structure."""
