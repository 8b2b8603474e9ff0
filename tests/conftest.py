"""What every test starts from: checked shape annotations, the carriers of numbers, and nothing left to chance."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import hypothesis
import jaxtyping
import numpy as np
import pytest
import torch

if TYPE_CHECKING:
    from draftproof.models.language import LanguageModel

# Before the package is first imported: the annotations of what is imported below this line are checked. As the type
# checker does, an int is taken where a float is asked for.
jaxtyping.install_import_hook("draftproof", "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")

hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")

torch.set_num_threads(1)  # the tests themselves run side by side


@pytest.fixture
def unchecked_shapes() -> Iterator[None]:
    """Shape annotations go unchecked while the test runs, for enumerations where the checks would be most of the time.

    A module asks for it with `pytestmark = pytest.mark.usefixtures("unchecked_shapes")`.
    """
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


class Carrier(NamedTuple):
    """One of the kinds of array that a rule runs on.

    Attributes:
        array: from nested lists of fractions to an array of this kind.
        tolerance: how far one operation on numbers near 1 may miss; 0 for fractions.
    """

    array: Callable[[Any], Any]
    tolerance: float

    def same(self, actual: Any, expected: Any) -> bool:
        """True if `actual` is of this kind and equals the nested lists `expected`, up to the tolerance."""
        wanted = self.array(expected)
        assert type(actual) is type(wanted), f"{type(actual)} is another kind of array than {type(wanted)}"
        assert actual.dtype == wanted.dtype, f"dtype {actual.dtype}, not {wanted.dtype}"
        assert tuple(actual.shape) == tuple(wanted.shape), f"shape {tuple(actual.shape)}, not {tuple(wanted.shape)}"
        return bool((abs(actual - wanted) <= self.tolerance).all())


def _numbers(rows: Any) -> np.ndarray:
    """Nested lists as float64, a fraction at a time."""
    return np.array(rows, dtype=object).astype(np.float64)


def _fractions(rows: Any) -> np.ndarray:
    exact = np.array(rows, dtype=object)
    return np.array([Fraction(number) for number in exact.flat], dtype=object).reshape(exact.shape)


CARRIERS = {
    "fractions": Carrier(_fractions, 0),
    "float64": Carrier(_numbers, 2**-50),
    "float32": Carrier(lambda rows: _numbers(rows).astype(np.float32), 2**-21),
    "torch64": Carrier(lambda rows: torch.tensor(_numbers(rows)), 2**-50),
    "torch32": Carrier(lambda rows: torch.tensor(_numbers(rows), dtype=torch.float32), 2**-21),
}


@pytest.fixture(params=CARRIERS.values(), ids=CARRIERS.keys())
def carrier(request: pytest.FixtureRequest) -> Carrier:
    """Every kind of array in turn."""
    return request.param


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real GGUF file of a random model."""
    from draftproof.models.tiny import write_tiny_gguf

    return write_tiny_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="session")
def tiny(tiny_gguf: Path) -> "LanguageModel":
    """The same on OpenVINO, with its tokenizer."""
    from draftproof.models.weights import load

    return load(str(tiny_gguf), cache=tiny_gguf.parent / "cache", threads=1)
