"""What an analysis returns: labelled data by path, status, certificate; result files."""
