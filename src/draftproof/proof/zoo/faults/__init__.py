"""Planted faults, one a file."""
