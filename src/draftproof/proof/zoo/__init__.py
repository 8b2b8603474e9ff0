"""Planted faults and benign controls: small decoders with one thing wrong, or with one thing that only looks wrong."""
