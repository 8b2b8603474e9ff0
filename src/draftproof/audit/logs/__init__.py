"""Logs of finished requests, and what they say of log-probabilities."""
