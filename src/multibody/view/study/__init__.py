"""Diagrams and a page of studies."""
