"""Generators of torch: `torch.Generator`, and the seed and state of the global one.

A draw from a generator is explored like any other, so the generator's own numbers never matter. Where they start does: two
draws that start from one seed or state are the same numbers, and would be taken for independent ones. So every start is noted.
"""

from hashlib import blake2b
from types import BuiltinMethodType
from typing import Any
from weakref import WeakValueDictionary

from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.stage import Current, Patch

KNOWN: "WeakValueDictionary[int, Any]" = WeakValueDictionary()
"""Generators that are watched, by what torch knows them by: an operation is given another object for the same generator."""


class Explored:
    """The names of torch, and as an exchange, generators that were made before.

    Attributes:
        generator: the class that stands for `torch.Generator`.
    """

    what = "a torch.Generator"
    must = True

    def __init__(self, current: Current) -> None:
        self._current = current
        self.generator = _explored(current)

    def patches(self) -> list[Patch]:
        """What replaces the names of torch."""
        import torch

        modules = (torch, torch.random)
        return [
            Patch(torch, "Generator", self.generator),
            *(Patch(module, "manual_seed", self._seed) for module in modules),
            *(Patch(module, "set_rng_state", self._set_state) for module in modules),
        ]

    def instead_of(self, value: object) -> object | None:
        import torch

        if isinstance(value, BuiltinMethodType):
            other = self.instead_of(value.__self__)
            return None if other is None else getattr(other, value.__name__)
        if not isinstance(value, torch.Generator) or value is torch.default_generator or value._cdata in KNOWN:
            return None
        made = self.generator(value.device)
        made.begun = None  # it goes on where it stands
        return made

    def _seed(self, seed: int) -> Any:
        import torch

        self._current.run.seeded("torch", seed)
        return torch.default_generator

    def _set_state(self, state: object) -> None:
        self._current.run.refuse("the state of torch's generator is set, as torch.random.fork_rng does, so that draws repeat earlier ones")


def note(generator: Any, run: Run) -> None:
    """Note where a generator starts from that is drawn from for the first time since it started.

    Raises:
        Untracked: another draw started from there, or the generator cannot be watched.
    """
    import torch

    if generator is None or generator._cdata == torch.default_generator._cdata:
        return
    known = KNOWN.get(generator._cdata)
    if known is None:
        run.refuse(
            "a draw from a torch.Generator that is held out of reach; hold it in a variable, or make it where the program runs: this"
        )
    known.noted(run)


def _explored(current: Current) -> Any:
    """The class that stands for `torch.Generator`."""
    import torch

    class Generator(torch.Generator):  # type: ignore[misc]  # torch is not read by the checker
        def __init__(self, device: Any = "cpu") -> None:
            KNOWN[self._cdata] = self
            self.begun: tuple[Run, object] | None = (current.run, "its first state")

        def manual_seed(self, seed: int) -> "Generator":
            self.begun = (current.run, int(seed))
            return self

        def set_state(self, state: Any) -> "Generator":
            self.begun = (current.run, blake2b(bytes(state.tolist()), digest_size=8).hexdigest())
            return self

        def seed(self) -> int:
            current.run.refuse("torch.Generator.seed, which is chosen by the operating system")

        def clone_state(self) -> "Generator":
            current.run.refuse("a copy of a torch.Generator, whose draws would repeat those of the original")

        def noted(self, run: Run) -> None:
            if self.begun and self.begun[0] is run:
                run.seeded("torch.Generator", self.begun[1])
            self.begun = None

    return Generator
