"""Decoders that are exact although public reports called the like of them wrong, one a file."""
