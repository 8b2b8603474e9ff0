"""Every rule of this package with what a user must know to choose one."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from draftproof.errors import BadRequest
from draftproof.rules.block import block
from draftproof.rules.greedy import greedy, greedy_law
from draftproof.rules.kseq import kseq
from draftproof.rules.lossy import Lossy, ensemble, lenience, mentored, threshold, typical
from draftproof.rules.match import match
from draftproof.rules.point_mass import point_mass
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.rules.top_plus_one import top_plus_one
from draftproof.rules.traversal import traversal
from draftproof.shapes import Array
from draftproof.tree import Siblings
from draftproof.types import RowLaw
from draftproof.verify import Coupled, Independent, Verification


def target_law(target_rows: Array, draft_rows: Array) -> Array:
    """The law that an exact rule follows, whatever is drafted."""
    return target_rows


@dataclass(frozen=True)
class Entry:
    """A rule and its description.

    Attributes:
        name: what the command line calls it.
        verification: the rule with the noise it needs.
        law: the law that the emitted text follows, in words.
        cost: what a round costs beside the models.
        source: where the rule was published.
        siblings: how several children of a node must be drawn; None if the rule verifies chains only.
        needs_draft_law: False if the rule is exact for a draft of any origin.
        law_of_rows: (target rows, draft rows) -> the law followed; a draft row of zeros means that nothing is drafted.
        exact: False for a lossy rule.
    """

    name: str
    verification: Verification
    law: str
    cost: str
    source: str
    siblings: Siblings | None = None
    needs_draft_law: bool = True
    law_of_rows: RowLaw = target_law
    exact: bool = True


def _lossy(name: str, lossy: Lossy, law: str, source: str) -> Entry:
    return Entry(name, Independent(lossy.rule), law, "as rejection", source, law_of_rows=lossy.followed, exact=False)


_DISTINCT, _INDEPENDENT = Siblings.DISTINCT, Siblings.INDEPENDENT
_ENTRIES = (
    Entry("rejection", Independent(rejection), "target", "K scalars, 1 row", "Leviathan et al. 2023, arXiv 2211.17192"),
    Entry("block", Independent(block), "target", "2 passes over the vocabulary a position", "Sun et al. 2025, arXiv 2403.10444"),
    Entry("point_mass", Independent(point_mass), "target", "1 row a child", "folklore", _DISTINCT, needs_draft_law=False),
    Entry("match", Independent(match), "target", "1 sum a node", "folklore", _DISTINCT, needs_draft_law=False),
    Entry(
        "greedy",
        Independent(greedy),
        "target at temperature 0 (ties to the lowest id)",
        "1 argmax a node",
        "Stern et al. 2018, arXiv 1811.03115",
        _DISTINCT,
        needs_draft_law=False,
        law_of_rows=lambda p, q: greedy_law(p),
    ),
    Entry("recursive", Independent(recursive), "target", "1 row a child", "Jeon et al. 2024, arXiv 2402.14160", _DISTINCT),
    Entry("recursive_independent", Independent(recursive), "target", "1 row a child", "Miao et al. 2023, arXiv 2305.09781", _INDEPENDENT),
    Entry("top_plus_one", Independent(top_plus_one), "target", "1 row a child", "Hu et al. 2025, arXiv 2502.18779", Siblings.TOP_PLUS_ONE),
    Entry("kseq", Independent(kseq), "target", "27 passes over the vocabulary a node", "Sun et al. 2023, arXiv 2310.15141", _INDEPENDENT),
    Entry(
        "traversal",
        Independent(traversal),
        "target",
        "2 passes over the vocabulary a node",
        "Weng et al. 2025, arXiv 2505.12398",
        _DISTINCT,
    ),
    Entry(
        "coupled", Coupled(), "target", "1 race a visited node", "Daliri et al. 2024, arXiv 2408.07978", _DISTINCT, needs_draft_law=False
    ),
    _lossy(
        "lenience", lenience(Fraction(1, 2)), "declared: min(q, 2p), the rest from (p - q/2)+", "Leviathan et al. 2023, arXiv 2211.17192"
    ),
    _lossy("ensemble", ensemble(Fraction(2, 3)), "declared: 2/3 p + 1/3 q", "DIVERSE, arXiv 2604.07622"),
    _lossy("mentored", mentored(Fraction(3, 2)), "declared: q held between B p and 3/2 p", "Tran-Thien 2023"),
    _lossy("typical", typical(), "declared: q on the likely set, the rest on argmax p", "Cai et al. 2024, arXiv 2401.10774"),
    _lossy(
        "threshold", threshold(Fraction(1, 2)), "declared: x kept with min(1, 2 p(x)), else p without x", "thresholds of serving engines"
    ),
)

CATALOGUE = {entry.name: entry for entry in _ENTRIES}
"""The rules by name, exact ones first. Lossy ones stand here with one choice of their parameters."""


def find(names: Iterable[str]) -> list[Entry]:
    """The entries of these names, all of them for no names.

    Raises:
        BadRequest: a name that is not in the catalogue.
    """
    chosen = list(names) or list(CATALOGUE)
    for name in chosen:
        if name not in CATALOGUE:
            raise BadRequest(f"there is no rule {name!r}; the rules are {', '.join(CATALOGUE)}")
    return [CATALOGUE[name] for name in chosen]
