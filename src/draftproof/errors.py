"""Every error draftproof raises on purpose.

    DraftproofError
    ├── BadLaw              (ValueError)      a row that should be a law is not one
    │   └── EmptyLaw                          sampling rules removed every token of a row
    ├── BadDraft            (ValueError)      a draft that no drafter could have drawn
    ├── BadRequest          (ValueError)      a prompt, limit or parameter that cannot be served
    ├── Unsupported         (ValueError)      two parts that do not fit: a chain rule and a tree, a cache and a rollback
    ├── Unavailable         (RuntimeError)    what was asked for exists, but cannot be reached or made ready here and now
    ├── AddressReused       (RuntimeError)    two draws would have shared one random number
    ├── Untracked           (RuntimeError)    a random number reached an operation after which its law is not known exactly
    ├── NotReproducible     (RuntimeError)    a replay of the same randomness took another path
    ├── NotExact            (AssertionError)  a proof failed; the message is the counterexample
    └── NotConforming       (AssertionError)  a part breaks the protocol it stands for; the message says which sentence of it

A message says what was expected, what came, where, and what to do next.
"""


class DraftproofError(Exception):
    """The root: `except DraftproofError` catches everything below and no accident of ours."""


class BadLaw(DraftproofError, ValueError):
    """A row has a negative, missing or NaN entry, or does not sum to 1. Mend what produced the row."""


class EmptyLaw(BadLaw):
    """Sampling rules removed every token of a row. The message names the rule; a drafter takes it to draft nothing there."""


class BadDraft(DraftproofError, ValueError):
    """A draft holds a token outside the vocabulary or of probability 0 under its own law, or has an impossible shape."""


class BadRequest(DraftproofError, ValueError):
    """A request cannot be served as it stands. Nothing was decoded; change the named value."""


class Unsupported(DraftproofError, ValueError):
    """Two parts do not fit together. The message names both and a part that would fit."""


class Unavailable(DraftproofError, RuntimeError):
    """A model cannot be reached or made ready here and now: a full disk, a server that does not answer. Nothing was left half-done."""


class AddressReused(DraftproofError, RuntimeError):
    """A second draw asked for a random number that was already used: the two would not be independent."""


class Untracked(DraftproofError, RuntimeError):
    """A random number reached an operation that a proof has no exact rule for. The message names the operation and the line."""


class NotReproducible(DraftproofError, RuntimeError):
    """A replay with the same random outcomes took another path: the program keeps state between runs."""


class NotExact(DraftproofError, AssertionError):
    """The output law differs from the law it should follow. The message gives the worst output and both probabilities."""


class NotConforming(DraftproofError, AssertionError):
    """A model, cache or drafter does not do what its protocol says. The message gives the case in which it differs."""
