"""Running engines as an audit asks them: one adapter a file."""
