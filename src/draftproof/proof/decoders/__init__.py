"""Proofs of decoders that somebody else wrote: on which requests, what their law should be, and what is wrong if it is not."""
