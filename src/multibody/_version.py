"""The version of the package, in a module that costs nothing to import."""

__version__ = "0.1.0"
