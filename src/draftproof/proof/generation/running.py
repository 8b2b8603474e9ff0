"""Many configurations proved side by side; what is finished is kept."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from draftproof.proof.executor import each
from draftproof.proof.generation import store
from draftproof.proof.generation.configuration import Configuration, versions
from draftproof.proof.generation.proving import needs_confirmation, prove
from draftproof.proof.generation.result import Result


def campaign(
    configurations: Sequence[Configuration], *, workers: int = 1, confirmed: bool = False, kept_in: Path | None = None
) -> Iterator[Result]:
    """A result for every configuration, those of an earlier run first, then each as it is finished.

    Args:
        kept_in: a file in which each result is on disk before it is yielded.

    Raises:
        BadRequest: the file holds something else, or there are no such models.
    """
    made_by = versions()
    kept = store.read(kept_in) if kept_in else {}
    missing = []
    for configuration in configurations:
        result = kept.get(configuration.digest(made_by))
        if result and not (confirmed and needs_confirmation(result) and not result.confirmed):
            yield result
        else:
            missing.append(configuration)
    for result in each(partial(quiet_prove, confirmed=confirmed), missing, workers=min(workers, len(missing)) or 1, prepare=one_thread):
        if kept_in:
            store.append(kept_in, [result])
        yield result


def quiet_prove(configuration: Configuration, confirmed: bool) -> Result:
    """`prove`, while the library says nothing on stderr."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        return prove(configuration, confirmed=confirmed)
    finally:
        logging.set_verbosity(before)


def one_thread() -> None:
    """Let torch compute in one thread, since the processes share the cores."""
    import torch

    torch.set_num_threads(1)
