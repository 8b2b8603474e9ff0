"""The stage on which a program runs: every source of randomness that it can reach, replaced while it runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol

MISSING = object()


class Patch(NamedTuple):
    """A name that means something else while a program runs. The owner is a module, a class, a cell or a dictionary."""

    owner: Any
    name: str
    value: Any


@dataclass(eq=False)
class Current:
    """The run that draws belong to, changed from path to path under the same patches."""

    run: Run

    def uniform(self) -> Symbol:
        return Symbol.uniform(self.run)

    def exponential(self) -> Symbol:
        return Symbol.exponential(self.run)


@dataclass(frozen=True)
class Refusal:
    """A draw without an exact rule, refused by its name when it is called."""

    current: Current
    name: str

    def __call__(self, *_: object, **__: object) -> NoReturn:
        self.current.run.refuse(f"{self.name} has no exact rule")


@contextmanager
def patched(patches: list[Patch]) -> Iterator[None]:
    """The names as patched, and as they were afterwards."""
    before = [(patch, _own(patch.owner, patch.name)) for patch in patches]
    try:
        for patch in patches:
            _put(patch.owner, patch.name, patch.value)
        yield
    finally:
        for patch, value in reversed(before):
            _put(patch.owner, patch.name, value)


class Stage:
    """The sources of randomness of one program.

    Attributes:
        current: the run that draws belong to.
    """

    def __init__(self, program: Callable[[], object]) -> None:
        from draftproof.proof.foreign import generators, holders, standard

        self.current = Current(None)  # type: ignore[arg-type]  # until the first run begins
        self._numpy = generators.Explored(self.current)
        self._patches = [*standard.patches(self.current), *self._numpy.patches(), *holders.patches(program, self._numpy)]
        self._has_torch = "torch" in sys.modules
        if self._has_torch:
            from draftproof.proof.foreign import tensors

            tensors.modes()
        self._states = self._global_states()

    @contextmanager
    def during(self, run: Run) -> Iterator[Any]:
        """Everything that is drawn belongs to this run. Yields the shadow of torch's tensors, None without torch."""
        self.current.run = run
        with ExitStack() as stack:
            stack.enter_context(patched(self._patches))
            shadow = None
            if self._has_torch:
                from draftproof.proof.foreign import tensors

                shadow = stack.enter_context(tensors.watched(self.current))
            try:
                yield shadow
            finally:
                run.over = True

    def check_untouched(self) -> None:
        """Return if no generator was drawn from behind the patches.

        Raises:
            Untracked: naming the library.
            BadRequest: torch was imported by the program, too late to be watched.
        """
        if "torch" in sys.modules and not self._has_torch:
            raise BadRequest("the program imports torch while it runs, too late for its draws to be seen; import torch first")
        for name, state in self._global_states().items():
            if state != self._states[name]:
                raise Untracked(
                    f"the program drew from the global generator of {name} by a name it had bound before; call {name}'s functions "
                    "through their module, as in random.random(), and from one thread"
                )

    def _global_states(self) -> dict[str, object]:
        import random

        import numpy as np

        legacy: Any = np.random.mtrand._rand
        inner = legacy.get_state(legacy=False)["state"]
        states: dict[str, object] = {"random": random.getstate(), "numpy.random": (inner["pos"], inner["key"].tobytes())}
        if self._has_torch:
            states["torch"] = sys.modules["torch"].default_generator.get_state().numpy().tobytes()
        return states


def _own(owner: Any, name: str) -> Any:
    """What the owner itself holds under a name; MISSING if it inherits it or has none."""
    if isinstance(owner, dict):
        return owner.get(name, MISSING)
    if isinstance(owner, type):
        return owner.__dict__.get(name, MISSING)
    return getattr(owner, name, MISSING)


def _put(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    elif value is MISSING:
        delattr(owner, name)
    else:
        setattr(owner, name, value)
