"""What a drafter must do."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from draftproof.session import Session
from draftproof.types import Draft, Picker


@runtime_checkable
class Drafter(Protocol):
    """Something that proposes tokens. It reads sessions and may change nothing of them but their `memory`."""

    def start(self) -> Any:
        """The memory of a new request."""
        ...

    def propose(self, sessions: Sequence[Session], pick: Picker) -> Draft:
        """A draft for every session, to follow its context. `pick` is the only source of randomness,
        and each session's own sampling rules apply.

        How many tokens a row drafts may depend on the past and on draft laws, never on a token that is then dropped.
        """
        ...
