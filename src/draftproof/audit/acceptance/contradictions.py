"""An engine's counters against its own output: what it says it drafted and accepted must give the tokens that came."""

from collections.abc import Iterator, Sequence

from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.protocol import Answer
from draftproof.proof.campaign import Word


def contradictions(answer: Answer) -> list[str]:
    """Sentences, each an account that the output of its answer refutes."""
    return [f"answer {answer.number} {sentence}" for sentence in (*_of_totals(answer), *_of_rounds(answer))]


def _of_totals(answer: Answer) -> Iterator[str]:
    drafted, accepted = answer.drafted, answer.accepted
    if drafted is None or accepted is None:
        return
    if not 0 <= accepted <= drafted:
        yield f"counts {accepted} accepted of {drafted} drafted tokens"
    elif not answer.lost and accepted > len(answer.tokens):
        yield f"counts {accepted} accepted tokens and has {len(answer.tokens)}"


def _of_rounds(answer: Answer) -> Iterator[str]:
    """A round emits its accepted tokens and one more; of the last one that may be missing, since a text may end with an accepted token."""
    rounds, tokens = answer.rounds, len(answer.tokens)
    if rounds is None:
        return
    for number, (drafted, accepted) in enumerate(rounds):
        if not 0 <= accepted <= drafted:
            yield f"counts {accepted} accepted of {drafted} drafted tokens in round {number}"
    for name, total, side in (("drafted", answer.drafted, 0), ("accepted", answer.accepted, 1)):
        summed = sum(each[side] for each in rounds)
        if total is not None and total != summed:
            yield f"counts {total} {name} tokens, and {summed} in its rounds together"
    before = sum(accepted + 1 for _, accepted in rounds[:-1])
    last = rounds[-1][1] if rounds else 0
    least, most = (before + max(last, 1), before + last + 1) if rounds else (0, 0)
    if not answer.lost and not least <= tokens <= most:
        yield f"has {tokens} tokens and tells of {len(rounds)} rounds, which emit {least} to {most}"


def counters_check(answers: Sequence[Answer]) -> Check:
    """Whether the engine's counters agree with each other and with its output."""
    told = [answer for answer in answers if answer.drafted is not None or answer.rounds is not None]
    if not told:
        return Check(Kind.ACCEPTANCE, "counters", Word.SKIPPED, "the engine has no counters, or nothing came back")
    found = [sentence for answer in told for sentence in contradictions(answer)]
    values = {"answers": len(told), "contradictions": len(found)}
    if found:
        sentence = f"the engine's counters contradict its output: {found[0]}"
        return Check(Kind.ACCEPTANCE, "counters", Word.FAIL, sentence, tuple(found[1:4]), values)
    sentence = f"the counters of {len(told):,} answers agree with each other and with the output"
    return Check(Kind.ACCEPTANCE, "counters", Word.PASS, sentence, values=values)
