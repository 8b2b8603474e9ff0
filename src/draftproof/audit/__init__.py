"""Evidence about a running engine: bets on what may be wrong with it, with a stated error rate."""
