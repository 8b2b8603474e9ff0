"""One configuration proved: the law of the assisted call, of the plain call, and the documented one."""

import traceback
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple

from draftproof.errors import BadRequest, DraftproofError, NotReproducible, Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.foreign import Budget, ProgramLaw, explore_merged, explore_program
from draftproof.proof.generation.calls import Calls
from draftproof.proof.generation.configuration import Configuration, versions
from draftproof.proof.generation.documented import documented_law
from draftproof.proof.generation.montecarlo import confirm
from draftproof.proof.generation.reproduction import reproduction, shorter
from draftproof.proof.generation.result import Result, Verdict
from draftproof.proof.laws import bounds, compare, rounding_bound
from draftproof.proof.loop import Engagement

BITS = 24
"""The library computes every law in float32, whatever its models are in."""

REFUSALS = (ValueError, NotImplementedError)
"""What the library raises at a request that it knows it cannot serve."""


class Laws(NamedTuple):
    """The laws of one configuration.

    Attributes:
        documented: None if there is none.
    """

    assisted: ProgramLaw
    plain: ProgramLaw
    documented: Mapping[Any, Fraction] | None


SAMPLED = 8
"""One PASS in so many is confirmed by an independent run; which, its digest decides."""


def prove(configuration: Configuration, *, confirmed: bool = False, budget: Budget = Budget(20_000)) -> Result:  # noqa: B008  # immutable
    """The verdict on a configuration; what the library raises becomes a word, and no error leaves it but our own.

    Args:
        confirmed: whether a run with real randomness must agree, see `needs_confirmation`.

    Raises:
        BadRequest: there are no such models.
    """
    start, made_by = monotonic(), versions()
    named: dict[str, Any] = {
        "name": configuration.name,
        "digest": configuration.digest(made_by),
        "versions": made_by,
        "declared_lossy": configuration.declared_lossy,
    }
    calls = Calls.of(configuration)
    try:
        refusal = refused(calls)
        if refusal:
            return Result(verdict=Verdict(Word.SKIPPED), reason=refusal, seconds=monotonic() - start, **named)
        found = laws(calls, budget)
    except (Untracked, NotReproducible) as error:
        reason = f"it could not be explored: {_first_line(error)}"
        return Result(verdict=Verdict(Word.INCONCLUSIVE), reason=reason, seconds=monotonic() - start, **named)
    except Exception as error:
        if _is_ours(error):
            raise
        reason = f"{type(error).__name__}: {_sentence(error)}"
        return Result(verdict=Verdict(Word.ERROR), reason=reason, seconds=monotonic() - start, **named)
    engagement = calls.engagement
    verdict = judged(found.assisted, found.plain)
    documented = Verdict(Word.SKIPPED) if found.documented is None else judged(found.plain, found.documented)
    reason = ""
    if verdict.word is Word.PASS and not engaged(engagement):
        verdict, reason = Verdict(Word.SKIPPED), "nothing was tested: drafted tokens were not both kept and refused in more than one round"
    if verdict.word is Word.INCONCLUSIVE:
        reason = f"{float(found.assisted.progress.explored):.3f} of the probability was explored"
    result = Result(
        verdict=verdict,
        documented=documented,
        reason=reason,
        paths=found.assisted.progress.paths,
        replays=found.assisted.progress.replays,
        plain_paths=found.plain.progress.paths,
        seconds=monotonic() - start,
        engagement=(engagement.none_kept, engagement.some_kept, engagement.all_kept, engagement.rounds),
        **named,
    )
    if confirmed and needs_confirmation(result):
        result = _confirmed(result, calls, found)
    if result.word is Word.FAIL:
        result = replace(result, reproduction=smallest(configuration, found, budget))
    return replace(result, seconds=monotonic() - start)


def engaged(engagement: Engagement) -> bool:
    """True if drafted tokens were kept and refused, in texts of more than one round."""
    kept, refused = engagement.some_kept + engagement.all_kept, engagement.none_kept + engagement.some_kept
    return bool(kept and refused and engagement.rounds > 1)


def needs_confirmation(result: Result) -> bool:
    """Every FAIL, and a PASS in `SAMPLED`."""
    return result.word is Word.FAIL or (result.word is Word.PASS and int(result.digest, 16) % SAMPLED == 0)


def _confirmed(result: Result, calls: Calls, found: Laws) -> Result:
    """The result with what an independent run says. Where the plain call is wrong, it is the plain call that is run."""
    wrong_plain = result.documented.word is Word.FAIL and found.documented is not None
    program, observed = (calls.plain, found.plain) if wrong_plain else (calls.assisted, found.assisted)
    expected = found.documented if wrong_plain and found.documented is not None else found.plain.law
    differ = result.word is Word.FAIL
    try:
        counts = confirm(program, observed.law, expected, differ=differ)
    except BadRequest as error:
        return replace(result, confirmed=f"not confirmed: {error}")
    text = f"{counts.samples:,} samples: p = {counts.p_observed:.2g} under the law found, {counts.p_expected:.2g} under the expected one"
    return replace(result, confirmed=text, contradicted=not counts.agrees(differ=differ))


def smallest(configuration: Configuration, found: Laws, budget: Budget) -> str:
    """The shortest call that fails as this one does."""
    for fewer in shorter(configuration):
        less = laws(Calls.of(fewer), budget)
        if judged(less.assisted, less.plain).word is Word.FAIL:
            return reproduction(fewer, less.assisted.law, less.plain.law)
    return reproduction(configuration, found.assisted.law, found.plain.law)


def laws(calls: Calls, budget: Budget) -> Laws:
    """The three laws of a configuration."""
    plain = explore_program(calls.plain)
    documented = documented_law(calls.configuration, calls.models.target)
    return Laws(explore_merged(calls.assisted, budget=budget), plain, documented)


def refused(calls: Calls) -> str:
    """Why the library does not serve the assisted call although it serves the plain one; empty if it does."""
    import torch

    with torch.random.fork_rng():
        calls.plain()
        try:
            calls.assisted()
        except REFUSALS as error:
            if isinstance(error, DraftproofError):
                raise
            return f"the library refuses: {_sentence(error)}"
    calls.engagement = type(calls.engagement)()
    return ""


def judged(observed: ProgramLaw, expected: ProgramLaw | Mapping[Any, Fraction]) -> Verdict:
    """How two laws compare, of which the first may be known in part."""
    decisions, rounding, law = observed.decisions, observed.rounding, expected
    if isinstance(expected, ProgramLaw):
        decisions, rounding, law = decisions + expected.decisions, rounding + expected.rounding, expected.law
    else:
        decisions *= 2
    assert isinstance(law, Mapping)
    vocab = 1 + max((max(output, default=0) for output in law), default=0)
    explained = rounding + rounding_bound(decisions=decisions, outcomes=vocab, bits=BITS)
    difference, distance = compare(observed.law, law), bounds(observed.law, law)
    word = Word.FAIL if distance.lowest > explained else Word.PASS if distance.highest <= explained else Word.INCONCLUSIVE
    worst = difference.worst if isinstance(difference.worst, tuple) else None
    return Verdict(word, float(distance.lowest), float(explained), worst, difference.observed, difference.expected)


def _is_ours(error: BaseException) -> bool:
    """Whether draftproof itself raised it, and not the library that it calls."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return isinstance(error, DraftproofError) or str(frames[-1][0].f_globals.get("__name__", "")).startswith("draftproof")


def _sentence(error: BaseException) -> str:
    """The first line of an error, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{_first_line(error)} (in {frames[-1].name})"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or "no message").splitlines()[0]
