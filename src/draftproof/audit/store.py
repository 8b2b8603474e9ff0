"""The answers of an audit on disk, a line each, so that a killed audit goes on where it was.

The first line says which audit it is. Whatever was judged is worked out anew from the answers, so a resumed audit says the same.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from draftproof.audit.engines.protocol import Answer
from draftproof.errors import BadRequest

VERSION = 1


class Events:
    """The file of one audit; it is only ever added to.

    Args:
        path: of the file; it is made if it is not there.
        audit: what is audited and how, in JSON values. A file of another audit is refused.

    Raises:
        BadRequest: another audit's file, a damaged line before the last, or a file that cannot be written.
    """

    def __init__(self, path: Path, audit: Mapping[str, Any]) -> None:
        self.path = path
        self.known: dict[tuple[str, int], Answer] = {}
        head = {"kind": "audit events", "version": VERSION, "audit": dict(audit)}
        lines = self._whole_lines(json.dumps(head).encode())
        if not lines:
            self._append([head])
            return
        if self._json(lines[0], 1) != json.loads(json.dumps(head)):
            raise BadRequest(f"{path} holds something else, or the answers of another audit; give another folder, or the same arguments")
        self._cut_after(sum(len(line) + 1 for line in lines))
        for number, line in enumerate(lines[1:], start=2):
            condition, answer = self._answer(line, number)
            self.known[condition, answer.number] = answer

    def add(self, condition: str, answers: Iterable[Answer]) -> None:
        """Keep answers; when this returns they are on disk."""
        answers = list(answers)
        self._append({"condition": condition, **_content(answer)} for answer in answers)
        self.known.update({(condition, answer.number): answer for answer in answers})

    def _whole_lines(self, head: bytes) -> list[bytes]:
        """Every line that has an end. Nothing is changed but a beginning of our own first line, which is taken away."""
        if not self.path.exists():
            return []
        try:
            *lines, rest = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise BadRequest(f"{self.path} cannot be read ({error.strerror}); give another folder") from error
        if rest and not lines:
            if not head.startswith(rest):
                raise BadRequest(f"{self.path} holds something else than an audit; give another folder")
            self._cut_after(0)
        return lines

    def _cut_after(self, length: int) -> None:
        """Take away a line that an interruption left unfinished."""
        try:
            os.truncate(self.path, length)
        except OSError as error:
            raise BadRequest(f"{self.path} cannot be written ({error.strerror}); give another folder") from error

    def _json(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"line {number} of {self.path} is not JSON; give another folder") from error

    def _answer(self, line: bytes, number: int) -> tuple[str, Answer]:
        found = self._json(line, number)
        try:
            return str(found["condition"]), _answer(found)
        except (KeyError, TypeError, ValueError) as error:
            raise BadRequest(f"line {number} of {self.path} is no answer of an audit; give another folder") from error

    def _append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadRequest(f"answers cannot be kept in {self.path} ({error.strerror}); give a folder that can be written") from error


def _content(answer: Answer) -> dict[str, Any]:
    return {
        "number": answer.number,
        "tokens": list(answer.tokens),
        "text": answer.text,
        "drafted": answer.drafted,
        "accepted": answer.accepted,
        "rounds": answer.rounds and [list(each) for each in answer.rounds],
        "laws": None if answer.laws is None else answer.laws.tolist(),
        "log_probs": answer.log_probs and list(answer.log_probs),
        "lost": answer.lost,
    }


def _answer(line: Mapping[str, Any]) -> Answer:
    """The answer of a line.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    rounds, laws, log_probs = line["rounds"], line["laws"], line["log_probs"]
    if not isinstance(line["text"], str) or not isinstance(line["lost"], str):
        raise TypeError("text")
    return Answer(
        _whole(line["number"]),
        tuple(map(_whole, line["tokens"])),
        line["text"],
        None if line["drafted"] is None else _whole(line["drafted"]),
        None if line["accepted"] is None else _whole(line["accepted"]),
        None if rounds is None else tuple((_whole(drafted), _whole(accepted)) for drafted, accepted in rounds),
        None if laws is None else np.array(laws, dtype=np.float64),
        None if log_probs is None else tuple(map(float, log_probs)),
        line["lost"],
    )


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("not a whole number")
    return value
