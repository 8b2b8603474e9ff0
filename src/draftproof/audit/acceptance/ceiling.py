"""More drafted tokens kept than any exact rule can keep: lossy, without a look at one emitted token.

Where a round starts depends on the tokens before it, but that is settled before its first token is drafted. Given all of it, a scheme whose
tokens follow the target from there on keeps a draft x only where it would have emitted x: with probability at most min(p(x), q(x)). So the
first tokens of drafts are events with known ceilings, for every exact scheme whose rounds begin afresh. The same holds at the later
places of a round for rules that settle one token after the other; a rule for whole blocks may keep more there.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from draftproof.audit.acceptance.slots import Slots
from draftproof.audit.acceptance.tally import log_e_above, p_value, refuting_count
from draftproof.audit.check import Check, Kind
from draftproof.proof.campaign import Word
from draftproof.shapes import Shaped

NAME = "ceiling of acceptance"


def ceiling_check(found: Slots, *, alpha: float, band: float = 0.0) -> Check:
    """Whether more first tokens of drafts were kept than any exact rule can keep."""
    first = found.at(1)
    if not len(first):
        return Check(Kind.ACCEPTANCE, NAME, Word.SKIPPED, "nothing was drafted, so nothing could be kept", values=found.values)
    ceilings = (found.ceilings[first] + band).clip(max=1)
    return under("first tokens of a draft", int(found.kept[first].sum()), ceilings, alpha=alpha, values=found.values)


def under(what: str, count: int, ceilings: Shaped[np.ndarray, " events"], *, alpha: float, values: Mapping[str, Any]) -> Check:
    """Whether so many of these events can have come true under their ceilings."""
    log_e, most, enough = log_e_above(count, ceilings), float(ceilings.sum()), refuting_count(ceilings, alpha)
    values = {**values, "kept": count, "most": most, "log_e": log_e, "p_value": p_value(log_e)}
    numbers = f"{count:,} of {len(ceilings):,} {what} were kept, where at most {most:,.1f} can be on average"
    if log_e >= np.log(1 / alpha):
        sentence = f"more drafted tokens are kept than any exact rule can keep: {numbers} (p at most {p_value(log_e):.1g})"
        return Check(Kind.ACCEPTANCE, NAME, Word.FAIL, sentence, values=values)
    if enough is None:
        sentence = f"{numbers}; so few tokens, or ceilings so high, cannot refute anything"
        return Check(Kind.ACCEPTANCE, NAME, Word.INCONCLUSIVE, sentence, values=values)
    return Check(Kind.ACCEPTANCE, NAME, Word.PASS, f"{numbers}; {enough:,} would refute, at the error rate {alpha:g}", values=values)
