"""A log of rollouts: a file of records, one JSON object a line, read one at a time."""

from collections.abc import Iterator
from pathlib import Path

from draftproof.audit.logs.jsonlines import json_lines
from draftproof.audit.logs.record import Record, shown
from draftproof.errors import BadRequest


def read(path: Path, *, vocab: int | None = None) -> Iterator[Record]:
    """The records of a file, one after another; only one is in memory at a time, besides the ids of all.

    Args:
        vocab: tokens of the vocabulary, where it is known.

    Raises:
        BadRequest: naming the line that is no record, or that there is none. Records before it were given out already.
    """
    lines: dict[str, int] = {}
    number = 0
    for number, content in json_lines(path):
        where = f"line {number} of {path}"
        try:
            record = Record.of(content)
            if vocab is not None:
                record.check_vocab(vocab)
        except BadRequest as error:
            raise BadRequest(f"{where}: {error}") from None
        if record.id is not None and (first := lines.setdefault(record.id, number)) != number:
            raise BadRequest(f"{where}: its id {shown(record.id)} is that of line {first} too; remove one, or give it another id")
        yield record
    if not number:
        raise BadRequest(f"{path} holds no record; write one JSON object a line")
