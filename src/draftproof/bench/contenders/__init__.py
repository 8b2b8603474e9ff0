"""Engines as contenders: one a file, and the texts by which they are named."""
