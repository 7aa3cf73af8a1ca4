"""What an analysis returns: labeled data by path, status, certificate; result files."""
