"""Acceptance as evidence: what an engine counts, against its output, its rule, and what any exact rule can keep."""
