"""What a digest sees, and what it passes over."""

from types import SimpleNamespace

import torch

from draftproof.proof.generation.state import digest


def test_tensors_count_as_their_numbers() -> None:
    storage = torch.tensor([1.0, 2.0, 3.0])
    other = torch.tensor([1.0, 2.0, 9.0])
    assert digest({"keys": storage[:2]}) == digest({"keys": other[:2]})
    assert digest({"keys": storage}) != digest({"keys": other})
    assert digest(torch.zeros(2)) != digest(torch.zeros(1, 2))


def test_everything_that_is_referred_to_counts_but_what_is_left_out() -> None:
    states = [SimpleNamespace(cache=[torch.tensor(1)], watch=watch) for watch in (1, 2)]
    assert digest(states[0]) != digest(states[1])
    assert digest(states[0], apart={"watch"}) == digest(states[1], apart={"watch"})
    states[1].cache.append(0)
    assert digest(states[0], apart={"watch"}) != digest(states[1], apart={"watch"})


def test_functions_and_models_count_as_themselves() -> None:
    model = torch.nn.Linear(1, 1)
    first = digest(model)
    with torch.no_grad():
        model.weight.add_(1)
    assert digest(model) == first != digest(torch.nn.Linear(1, 1))
    assert digest(lambda: 1) != digest(lambda: 1)


def test_a_generator_counts_as_where_it_stands() -> None:
    def seeded(seed: int) -> torch.Generator:
        return torch.Generator().manual_seed(seed)

    assert digest(seeded(1)) == digest(seeded(1)) != digest(seeded(2))
    moved = seeded(1)
    torch.rand(1, generator=moved)
    assert digest(moved) != digest(seeded(1))


def test_a_generator_under_watch_counts_too() -> None:
    """As a processor of a library may hold one while its program is explored."""

    class Watched(torch.Generator):
        begun: tuple[object, object] | None = (None, 3)

    held, other = Watched(), Watched()
    assert digest(SimpleNamespace(generator=held)) == digest(SimpleNamespace(generator=other))
    other.begun = None
    assert digest(SimpleNamespace(generator=held)) != digest(SimpleNamespace(generator=other))
