"""A log of finished requests as an audited engine: it answers what it has recorded."""

from collections.abc import Iterator, Sequence

from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.logs.record import Record


class Logged:
    """Records, in their order.

    Args:
        records: request n of an audit is answered by record n.
        name: for reports.
    """

    def __init__(self, records: Sequence[Record], name: str) -> None:
        drafts = "as the log counts them" if any(record.drafted for record in records) else ""
        self.facts = Facts(name, Tier.TOKENS, drafts, settings={"records": str(len(records))})
        self._records = records

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        for ask in asks:
            record = self._records[ask.number]
            told = record.log_probs and record.log_probs[: ask.length]
            whole = len(record.output_ids) <= ask.length  # the counters are of the whole
            drafted, accepted = (record.drafted, record.accepted) if whole else (None, None)
            yield Answer(ask.number, record.output_ids[: ask.length], drafted=drafted, accepted=accepted, log_probs=told)

    def __enter__(self) -> "Logged":
        return self

    def __exit__(self, *error: object) -> None:
        pass
