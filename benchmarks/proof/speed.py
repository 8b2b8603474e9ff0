"""How fast laws are computed, by the time of one core: `python benchmarks/proof/speed.py [seconds]`.

Two figures that must not be confused. A replay is a run that was made: of the whole program, or of one round of it. A path
is one way from start to end; where equal states are merged, one replay is part of many. The fastest of several repeats.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import NamedTuple

import torch

from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.proof.decoders.standard import family
from draftproof.proof.fixtures import pairs
from draftproof.proof.foreign import explore_merged, explore_program, explore_rounds
from draftproof.proof.loop import loop_law
from draftproof.proof.zoo.decoder import outcome, start
from draftproof.proof.zoo.specimen import SOUND
from draftproof.rules.block import block
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Coupled, Independent

TARGET, DRAFT = (0.5, 0.25, 0.25), (0.25, 0.25, 0.5)
VERIFICATIONS = {"rejection": Independent(rejection), "block": Independent(block), "coupled": Coupled()}


class Count(NamedTuple):
    replays: int
    paths: int


def rejection_in_random(boundary: Callable[[object], None] | None = None, tokens: int = 4) -> tuple[int, ...]:
    """Drafts of one token, in floats, with nothing but the standard library."""
    text: list[int] = []
    while len(text) < tokens:
        if boundary:
            boundary(tuple(text))
        (token,) = random.choices(range(3), DRAFT)
        if random.random() < TARGET[token] / DRAFT[token]:
            text.append(token)
        else:
            text += random.choices(range(3), [max(p - q, 0.0) for p, q in zip(TARGET, DRAFT, strict=True)])
    return tuple(text)


def rejection_in_torch(tokens: int = 3) -> tuple[int, ...]:
    """The same in tensors, with a race for every token."""
    target, draft = torch.tensor(TARGET), torch.tensor(DRAFT)
    text: list[int] = []
    while len(text) < tokens:
        token = int((draft / torch.empty(3).exponential_()).argmax())
        if torch.rand(()) < target[token] / draft[token]:
            text.append(token)
        else:
            text.append(int(torch.multinomial(torch.clamp(target - draft, min=0), 1)))
    return tuple(text)


def of_program(program: Callable[[], object]) -> Count:
    done = explore_program(program).progress
    return Count(done.replays, done.paths)


def of_merged() -> Count:
    """The same, merged at its rounds: texts that are equal go on alike, whatever was drafted on the way."""
    done = explore_merged(rejection_in_random).progress
    return Count(done.replays, done.paths)


def of_rounds() -> Count:
    """The plain sound decoder of the zoo, in fractions, on the fixtures of the loop."""
    counts = []
    for fixture in family("loop"):
        done = explore_rounds(partial(start, fixture), partial(SOUND.round, SOUND, fixture), partial(finished, fixture)).progress
        counts.append(Count(done.replays, done.paths))
    return Count(*map(sum, zip(*counts, strict=True)))


def finished(fixture, texts):
    return outcome(fixture, texts) if all(text.ended for text in texts) else None


def of_loop(name: str) -> Count:
    """Our own decoder on tables of fractions: 3 tokens, 2 drafted, texts of 6."""
    (target, draft), *_ = pairs(1, 3, seed=11)
    decoder = Decoder(target, ModelDrafter(draft, Tree.chain(2)), VERIFICATIONS[name])
    engagement = loop_law(decoder, [0], params=Verbatim(), limits=Limits(6)).engagement
    return Count(engagement.replays, engagement.paths)


def main(seconds: float = 3.0) -> None:
    cases: dict[str, Callable[[], Count]] = {
        "explore_program, random": partial(of_program, rejection_in_random),
        "explore_merged, random": of_merged,
        "explore_program, torch": partial(of_program, rejection_in_torch),
        "explore_rounds, zoo": of_rounds,
        **{f"loop_law, {name}": partial(of_loop, name) for name in VERIFICATIONS},
    }
    torch.set_num_threads(1)
    for name, case in cases.items():
        case()  # the first exploration imports parts of torch
        fastest, count, began = float("inf"), Count(0, 0), process_time()
        while fastest == float("inf") or process_time() - began < seconds:
            started = process_time()
            count = case()
            fastest = min(fastest, process_time() - started)
        rates = [f"{made:>11,} {what}, {made / fastest:>13,.0f} a second" for what, made in count._asdict().items()]
        print(f"{name:<25}{'; '.join(rates)}", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
