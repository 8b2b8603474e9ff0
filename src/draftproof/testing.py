"""For the tests of another project: is our sampler exact?

    from draftproof.testing import assert_exact

    def test_our_verifier_is_exact():
        assert_exact(our_verifier)

The function is somebody's own, in plain Python, numpy or torch, and knows nothing of this package. It is run under every
outcome of its randomness. For a rule written for this package, see `draftproof.proof.assert_exact`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from draftproof.errors import NotExact
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.diagnosis import Diagnosis, plan
from draftproof.proof.foreign import Budget
from draftproof.report.findings import text

__all__ = ["Budget", "Diagnosis", "assert_exact", "report"]


def assert_exact(
    function: Callable[..., Any],
    *,
    signature: str | None = None,
    arrays: str | None = None,
    families: Sequence[str] = (),
    budget: Budget = Budget(),  # noqa: B008  # immutable
) -> None:
    """Return if a verifier or a decode loop emits the target's law on every standard fixture.

    This is for functions that draw their own random numbers. A rule of this package, which returns a law and draws
    nothing, is for `draftproof.proof.assert_exact`.

    Args:
        function: as `draftproof.proof.decoders.signatures.SIGNATURES` describes them.
        signature: how it is called; inferred if its parameters have the names of one signature.
        arrays: "torch32", "torch64", "numpy", "floats" or "fractions"; inferred from the one library its module imports.
        families: of standard fixtures, a name or several; those of the signature if none are named.
        budget: runs on each fixture, and seconds of all of them and of naming the fault together, as in `Budget(seconds=60)`.

    Raises:
        NotExact: it does not, or that was not shown; the message can be pasted into an issue.
        BadRequest: it cannot be called so, or returned what cannot be read.
        Untracked, NotReproducible: its law cannot be known; the message names the line.
    """
    found = report(function, signature=signature, arrays=arrays, families=families, budget=budget)
    if found.conclusion.word is not Word.PASS:
        raise NotExact(text(found))


def report(
    function: Callable[..., Any],
    *,
    signature: str | None = None,
    arrays: str | None = None,
    families: Sequence[str] = (),
    budget: Budget = Budget(),  # noqa: B008  # immutable
) -> Diagnosis:
    """What `assert_exact` finds, whatever it is: every finding, the smallest counterexample, and the faults that fit."""
    return plan(function, signature=signature, arrays=arrays, families=families).diagnose(budget=budget)
