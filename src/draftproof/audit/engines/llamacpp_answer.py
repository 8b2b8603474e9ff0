"""What an answer of llama.cpp's `/completion` holds, and what must be so in it.

What the server says it sampled by is compared with what was asked, field by field, in every answer: a field that an older or newer
build ignores, or changes to fit, is an error and not another law.
"""

import math
from collections.abc import Mapping
from reprlib import repr as short
from typing import Any

import numpy as np

from draftproof.errors import Unavailable, Unsupported


class LlamaCppAnswer:
    """One answer, whose parts are looked at as they are asked for.

    Every part raises Unavailable for what no such server sends.

    Args:
        vocab: the number of token ids.
    """

    def __init__(self, message: Mapping[str, Any], vocab: int) -> None:
        self._message, self._vocab = message, vocab

    def tokens(self) -> tuple[int, ...]:
        found = self._message.get("tokens")
        if not isinstance(found, list):
            raise Unavailable(f"llama.cpp answered with {type(found).__name__} where token ids must stand")
        return tuple(self._token(token) for token in found)

    def biases(self) -> dict[int, float]:
        """The biases that were sampled by; JSON has no infinity, and llama.cpp writes null."""
        found = self._settings().get("logit_bias")
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise Unavailable("llama.cpp does not tell the biases that it sampled by")
        return {self._token(item.get("token")): _number(item.get("bias"), -math.inf) for item in found}

    def check_followed(self, body: Mapping[str, Any], banned: frozenset[int]) -> None:
        """Return if the answer was sampled by what was asked.

        Raises:
            Unsupported: naming the first field that was not followed.
        """
        settings = self._settings()
        for name in body.keys() & settings.keys() - {"logit_bias"}:
            if not _alike(body[name], settings[name]):
                raise Unsupported(f"llama.cpp was asked for {name} {body[name]!r} and sampled by {short(settings[name])}; leave it out")
        wanted = {token: -math.inf if bias is False else bias for token, bias in body["logit_bias"]} | dict.fromkeys(banned, -math.inf)
        found = self.biases()
        if found.keys() != wanted.keys() or not all(_alike(wanted[token], found[token]) for token in wanted):
            raise Unsupported(f"llama.cpp was asked for the biases {short(wanted)} and sampled by {short(found)}; leave logit_bias out")

    def laws(self, count: int) -> np.ndarray | None:
        """The law of every token; None if some are missing, which is so where a token ends inside a character."""
        found = self._message.get("completion_probabilities")
        if not isinstance(found, list) or len(found) != count:
            return None
        laws = np.zeros((count, self._vocab))
        for row, place in zip(laws, found, strict=True):
            entries = place.get("top_probs") if isinstance(place, dict) else None
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise Unavailable("llama.cpp answered without the probabilities that it was asked for")
            for entry in entries:
                row[self._token(entry.get("id"))] = _number(entry.get("prob"), math.nan)
        if not np.allclose(laws.sum(-1), 1, atol=1e-3):
            raise Unavailable("llama.cpp answered with probabilities that do not sum to 1; ask for token ids alone")
        return laws

    def _settings(self) -> Mapping[str, Any]:
        found = self._message.get("generation_settings")
        if not isinstance(found, dict):
            raise Unavailable("llama.cpp does not tell what it sampled by")
        return found

    def _token(self, found: object) -> int:
        if type(found) is not int or not 0 <= found < self._vocab:
            raise Unavailable(f"llama.cpp answered with the token {short(found)}; the model has those from 0 to {self._vocab - 1}")
        return found


def _number(found: object, missing: float) -> float:
    return float(found) if isinstance(found, int | float) else missing


def _alike(asked: object, told: object) -> bool:
    """Equal, as far as float32 holds a number."""
    if isinstance(asked, float) and isinstance(told, int | float):
        return asked == told or math.isclose(asked, told, rel_tol=1e-6, abs_tol=1e-30)
    return asked == told
