"""The stage on which a program runs: every source of randomness that it can reach, replaced while it runs."""

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeVar

from draftproof.errors import BadRequest, DraftproofError, Untracked
from draftproof.proof.foreign.outcome import outcome_of
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol

MISSING = object()

Result = TypeVar("Result")


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
    """The sources of randomness of one program. As a context it stands, and every draw belongs to the run that is performed.

    Attributes:
        current: the run that draws belong to.
    """

    def __init__(self, *programs: Callable[..., object]) -> None:
        from draftproof.proof.foreign import generators, holders, standard

        self.current = Current(None)  # type: ignore[arg-type]  # until the first run begins
        library, numpy = standard.Explored(self.current), generators.Explored(self.current)
        self._numpy = numpy
        of_library, of_numpy = library.patches(), numpy.patches()
        # A draw of the library's own generator by another name is noticed by its state; so such a name may stay.
        exchanges: list[holders.Exchange] = [holders.Names(of_library, must=False), holders.Names(of_numpy, must=True), library, numpy]
        of_torch: list[Patch] = []
        self._has_torch = "torch" in sys.modules
        if self._has_torch:
            from draftproof.proof.foreign import tensor_generators, tensors

            tensors.modes()
            torch = tensor_generators.Explored(self.current)
            of_torch = torch.patches()
            exchanges += [holders.Names(of_torch, must=True), torch]
        self._patches = [*of_library, *of_numpy, *of_torch, *holders.patches(programs, exchanges)]
        self._standing = ExitStack()
        self._shadow: Any = None
        self._states = self._global_states()

    def __enter__(self) -> "Stage":
        with ExitStack() as stack:
            stack.enter_context(patched(self._patches))
            if self._has_torch:
                from draftproof.proof.foreign import tensors

                self._shadow = stack.enter_context(tensors.watched(self.current))
            self._standing = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._standing.close()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The world without the stage, for a while between two runs."""
        self._standing.close()
        try:
            yield
        finally:
            self.__enter__()

    def perform(self, run: Run, program: Callable[[], Result]) -> Result:
        """What the program returns, with every draw explored.

        Raises:
            DraftproofError: the first that was raised, whether the program swallowed it or not.
        """
        self.current.run = run
        if self._shadow is not None:
            self._shadow.begin(run)
        try:
            result = program()
        except DraftproofError as error:
            raise (run.fault or error) from None
        except Exception as error:
            if run.fault:
                raise run.fault from error
            error.add_note("the program raised it after" + "".join(f"\n  {decision}" for decision in run.path.taken))
            raise
        finally:
            run.over = True
        run.check()
        return result

    def value(self, returned: object, what: str = "returns") -> Hashable:
        """What a program returned in the run that is performed, as a value that equal outcomes share."""
        return outcome_of(returned, self.current.run, self._shadow, what)

    def reducers(self) -> dict[type, Callable[[Any], Any]]:
        """What takes the generators and tensors of one state apart."""
        from draftproof.proof.foreign import standard, tensor_states

        tensors = tensor_states.reducers() if self._has_torch else {}
        return {**standard.reducers(), **self._numpy.reducers(), **tensors}

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
