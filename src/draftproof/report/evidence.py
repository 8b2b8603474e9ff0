"""Evidence about one run: a verdict, a number and what it does not show, for each kind."""

from statistics import median
from typing import Any

from rich.text import Text

from draftproof.catalogue import Entry
from draftproof.evidence import Evidence
from draftproof.evidence.law import ALPHA, Acceptance
from draftproof.evidence.speed import Speed
from draftproof.evidence.state import Rescored
from draftproof.proof.campaign import Word
from draftproof.report.text import Indented
from draftproof.report.verdicts import STYLES
from draftproof.verify import Coupled


def law_word(law: Acceptance) -> Word:
    """SKIPPED without a drafted token: then nothing was decided."""
    return Word.SKIPPED if not law.drafted else Word.PASS if law.agrees else Word.FAIL


def state_word(state: Rescored) -> Word:
    return Word.SKIPPED if not state.tokens else Word.PASS if state.agrees else Word.FAIL


def failed(found: Evidence, rule: Entry) -> bool:
    """True if a check of the run failed. Slow is not wrong."""
    return Word.FAIL in (law_word(found.law), state_word(found.state)) or _broken_promise(found, rule)


def _broken_promise(found: Evidence, rule: Entry) -> bool:
    """True if coupled rounds emitted two texts for one seed where rows are invariant."""
    return isinstance(rule.verification, Coupled) and found.state.exact and found.speed is not None and not found.speed.same_text


def evidence_lines(found: Evidence, rule: Entry) -> list[Text | Indented]:
    """For a reader."""
    law, state = found.law, found.state
    lines: list[Text | Indented] = [
        _head("law", law_word(law), _law_sentence(law)),
        _below(
            f"The rule {rule.name} follows the {rule.law if rule.exact else rule.law.removeprefix('declared: ')}"
            f"{'' if rule.exact else ' (lossy: not the target)'}: see draftproof prove rules --rule {rule.name}. "
            "This line tests the wiring of one run, not the law of its text."
        ),
        _head("state", state_word(state), _state_sentence(state)),
    ]
    return lines if found.speed is None else [*lines, *_speed_lines(found.speed, _texts(found, found.speed, rule))]


def _texts(found: Evidence, speed: Speed, rule: Entry) -> str:
    if speed.same_text:
        return "Both ways emitted the same tokens."
    if _broken_promise(found, rule):
        return "FAIL: the two ways emitted different tokens, which coupled rounds never may on this model."
    return f"The two ways emitted different texts{'' if rule.exact else ', and of different laws: the rule is lossy'}."


def _law_sentence(law: Acceptance) -> str:
    if not law.drafted:
        return "no token was drafted, so no acceptance could be tested"
    return (
        f"{law.observed} of {law.drafted} drafted tokens accepted, {law.predicted:.1f} predicted from the laws of target and draft "
        f"(two-sided p = {law.p_value:.2g}, fails below {ALPHA:g})"
    )


def _state_sentence(state: Rescored) -> str:
    demanded = (
        "must be 0: this model computes a row to the same bits in any company" if state.exact else f"rounding allows {state.tolerance:g}"
    )
    return (
        f"{state.tokens} emitted tokens scored again from an empty cache without drafts: "
        f"largest difference of a log-probability {state.worst:.3g} nats ({demanded})"
    )


def _speed_lines(speed: Speed, texts: str) -> list[Text | Indented]:
    ours, theirs = ([run.rate for run in runs] for runs in (speed.drafted, speed.plain))
    shares = ", ".join(f"{part} {share:.1%}" for part, share in speed.shares.items())
    return [
        Text(
            f"speed  {speed.ratio:.2f}×  with drafts {median(ours):.1f} tokens/s, without {median(theirs):.1f} "
            f"(medians of {len(ours)} interleaved runs; ratio {min(speed.ratios):.2f} to {max(speed.ratios):.2f})"
        ),
        _below(f"{speed.drafted[0].tokens / speed.drafted[0].rounds:.2f} tokens a target pass; time with drafts: {shares}. " + texts),
    ]


def _head(kind: str, word: Word, sentence: str) -> Text:
    return Text.assemble(f"{kind:<5}  ", (f"{word}", STYLES[word]), f"  {sentence}")


def _below(sentence: str) -> Indented:
    return Indented(Text(sentence), 7)


def evidence_content(found: Evidence) -> dict[str, Any]:
    """For a program."""
    law, state, speed = found.law, found.state, found.speed
    return {
        "law": {
            "word": law_word(law),
            "drafted": law.drafted,
            "accepted": law.observed,
            "predicted": law.predicted,
            "variance": law.variance,
            "p_value": law.p_value,
            "alpha": ALPHA,
        },
        "state": {
            "word": state_word(state),
            "tokens": state.tokens,
            "worst_nats": state.worst,
            "row_invariant": state.exact,
            "tolerance_nats": 0 if state.exact else state.tolerance,
        },
        "speed": speed
        and {
            "ratio": speed.ratio,
            "ratios": speed.ratios,
            "drafted_tokens_per_second": [run.rate for run in speed.drafted],
            "plain_tokens_per_second": [run.rate for run in speed.plain],
            "tokens_per_target_pass": speed.drafted[0].tokens / speed.drafted[0].rounds,
            "shares": speed.shares,
            "same_text": speed.same_text,
        },
    }
