"""The target's laws of one round, made of its logits where they are asked for.

A rule that returns a law reads every row. A coupled round reads the rows along the path it keeps and no others; over a real
vocabulary a row that nobody reads is the dearest part of a round outside the models.
"""

from collections.abc import Sequence

import numpy as np

from draftproof.carriers import check_laws, indicator, stack
from draftproof.errors import BadDraft
from draftproof.models.protocol import Block, Model
from draftproof.sampling.protocol import Prefix
from draftproof.session import Session
from draftproof.shapes import Array, Shaped
from draftproof.types import Draft


class TargetLaws:
    """One pass of the target over the ragged batch, and the laws of its rows.

    `laws[row, node]` (vocab,) is the target's law after the path to a node, for a node at which the row drafts a token, or 0.

    Attributes:
        logits: a row, (1 + tokens fed, vocab): after the context, and after each token that the text can go on from.

    Raises:
        BadDraft: the draft has another vocabulary or batch than the target.
        BadLaw: when a row is asked for that the sampling rules do not make a law.
    """

    def __init__(self, sessions: Sequence[Session], target: Model, draft: Draft) -> None:
        if draft.vocab != target.vocab or len(draft.tokens) != len(sessions):
            raise BadDraft(
                f"the draft has {len(draft.tokens)} rows over a vocabulary of {draft.vocab}; "
                f"the target has {len(sessions)} sessions and a vocabulary of {target.vocab}"
            )
        self._sessions, self._draft = sessions, draft
        self._blocks = [Block(session.context[session.cache.length :], *draft.branch(row)) for row, session in enumerate(sessions)]
        self._nodes = [[0, *draft.followed(row)] for row in range(len(sessions))]
        self.logits = target.extend([session.cache for session in sessions], self._blocks)
        self._known: dict[tuple[int, int], tuple[Array, Prefix]] = {}

    def __getitem__(self, place: tuple[int, int]) -> Shaped[Array, " vocab"]:
        return self._at(*place)[0]

    def prefix(self, row: int, node: int) -> Prefix:
        """What the sampling rules remember after the path to a node."""
        return self._at(row, node)[1]

    def all(self) -> Shaped[Array, "batch position vocab"]:
        """The laws of all nodes (batch, draft + 1, vocab); zeros where a row drafts nothing."""
        rows = []
        for row, (session, block, nodes) in enumerate(zip(self._sessions, self._blocks, self._nodes, strict=True)):
            laws, prefixes = session.params.laws(self.logits[row], session.prefix, block.drafted, block.parents)
            check_laws(laws, f"target law of row {row}")
            self._known |= {(row, node): (law, prefix) for node, law, prefix in zip(nodes, laws, prefixes, strict=True)}
            rows.append(self._at_nodes(row, laws))
        return rows[0][None] if len(rows) == 1 else stack(rows, axis=0)

    def _at(self, row: int, node: int) -> tuple[Array, Prefix]:
        """The law and the memory at a node, from those of its parent."""
        if (row, node) not in self._known:
            session = self._sessions[row]
            prefix = session.prefix
            if node:
                law, above = self._at(row, self._draft.tree.parents[node - 1])
                if self._draft.ends[row, node - 1]:
                    return law, above  # nothing is ever drawn after the end of a text; any law will do
                prefix = session.params.fold(above, int(self._draft.tokens[row, node - 1]), law)
            place = self._nodes[row].index(node)
            law = session.params.laws(self.logits[row][place : place + 1], prefix, [], [])[0][0]
            check_laws(law, f"target law of row {row}, node {node}")
            self._known[row, node] = law, prefix
        return self._known[row, node]

    def _at_nodes(self, row: int, laws: Array) -> Array:
        """The rows of a block at the nodes they belong to."""
        draft, nodes = self._draft, self._nodes[row]
        place = np.zeros(draft.tree.width + 1, np.int64)
        place[nodes] = np.arange(len(nodes))
        here = np.isin(np.arange(len(place)), nodes)
        for node in np.flatnonzero(draft.ends[row]) + 1:
            # Nothing is ever drawn after the end of a text; any law will do, and its parent's is at hand.
            place[node], here[node] = place[draft.tree.parents[node - 1]], True
        if not here.all():
            return laws[place] * indicator(here, laws)[:, None]
        return laws if len(place) == len(nodes) else laws[place]
