"""Token ids in any collection."""

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.plain import pairs, sequences, tokens


def test_collections_become_tuples() -> None:
    assert tokens("x", np.array([3, 1])) == (3, 1)
    assert sequences("x", [[1, 2], (3,)]) == ((1, 2), (3,))
    assert pairs("x", {"5": 0.5, 2: -1}) == pairs("x", [(5, 0.5), (2, -1)]) == ((2, -1), (5, 0.5))


@pytest.mark.parametrize(
    ("read", "found", "message"),
    [
        (tokens, [1, -1], "x holds -1; it must hold token ids of at least 0"),
        (tokens, [1.0], "x holds 1.0"),
        (tokens, 3, "x holds 3 where a sequence of token ids must stand"),
        (sequences, 3, "x is 3; it must be a sequence of sequences"),
        (sequences, [1, 2], "x holds 1 where a sequence"),
        (sequences, [[1], []], "x holds an empty sequence at place 1; remove it"),
        (pairs, 3, "x is 3; it must map"),
        (pairs, [(1, 2), (1, 3)], "x names 1 more than once"),
        (pairs, {"a": 1}, "x holds 'a'"),
    ],
)
def test_anything_else_is_refused_by_name(read: object, found: object, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        read("x", found)
