"""The answers of an audit on disk, a line each, so that a killed audit goes on where it was.

The first line says which audit it is. Whatever was judged is worked out anew from the answers, so a resumed audit says the same.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
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
        lines = list(self._lines())
        if not lines:
            self._append([head])
        elif lines[0] != json.loads(json.dumps(head)):
            raise BadRequest(f"{path} holds the answers of another audit; give another folder, or repeat that audit's arguments")
        for number, line in enumerate(lines[1:], start=2):
            try:
                self.known[line["condition"], line["number"]] = _answer(line)
            except (KeyError, TypeError, ValueError) as error:
                raise BadRequest(f"line {number} of {path} is no answer ({error!r}); give another folder") from error

    def add(self, condition: str, answers: Iterable[Answer]) -> None:
        """Keep answers; when this returns they are on disk."""
        answers = list(answers)
        self._append({"condition": condition, **_content(answer)} for answer in answers)
        self.known.update({(condition, answer.number): answer for answer in answers})

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Every whole line. One that an interruption left unfinished is cut off."""
        if not self.path.exists():
            return
        try:
            text = self.path.read_bytes()
            if not text.endswith(b"\n"):
                os.truncate(self.path, text.rfind(b"\n") + 1)
        except OSError as error:
            raise BadRequest(f"{self.path} cannot be read ({error.strerror}); give another folder") from error
        for number, line in enumerate(text.split(b"\n")[:-1], start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadRequest(f"line {number} of {self.path} is not JSON; give another folder") from error

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
    rounds, laws, log_probs = line["rounds"], line["laws"], line["log_probs"]
    return Answer(
        int(line["number"]),
        tuple(map(int, line["tokens"])),
        line["text"],
        line["drafted"],
        line["accepted"],
        None if rounds is None else tuple((int(drafted), int(accepted)) for drafted, accepted in rounds),
        None if laws is None else np.array(laws, dtype=np.float64),
        None if log_probs is None else tuple(map(float, log_probs)),
        line["lost"],
    )
