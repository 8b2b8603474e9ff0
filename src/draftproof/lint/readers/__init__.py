"""The configurations of the engines as `Settings`, one engine a file."""
