"""Evidence of state: caches, seeds, and requests that owe each other nothing."""
