"""Do a model, its cache and a drafter do what their protocols say? Two lines for a stranger:

from draftproof.proof import assert_model
assert_model(my_model)
"""

from collections.abc import Sequence
from random import Random

import numpy as np

from draftproof.carriers import to_float64
from draftproof.decode import Decoder, draft_picker, draft_requests
from draftproof.drafters.protocol import Drafter
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest, NotConforming, Unsupported
from draftproof.models.protocol import Block, Model
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Sampling, Verbatim
from draftproof.session import Limits, Session
from draftproof.shapes import Array
from draftproof.types import NOTHING, Draft
from draftproof.verify import Independent


def assert_model(model: Model, *, tolerance: float = 0.0, texts: int = 20, longest: int = 8, seed: int = 0) -> None:
    """Return if the model's rows depend on the tokens alone: not on how they were fed, rolled back or batched.

    Args:
        tolerance: the largest difference of two entries of a row that still counts as equal; 0 asks for the same bits.
        texts: random texts that are tried, of up to `longest` tokens.

    Raises:
        NotConforming: naming the case and the difference.
    """
    if texts < 1 or longest < 2:
        raise BadRequest(f"{texts} texts of up to {longest} tokens test nothing; give at least one of at least 2")
    random = Random(seed)
    for _ in range(texts):
        text = [random.randrange(model.vocab) for _ in range(random.randint(2, longest))]
        _shaped(model, text)
        cut = random.randint(1, len(text) - 1)
        whole = [_after(model, text[: end + 1]) for end in range(len(text))]
        _fed_in_parts(model, text, cut, whole, tolerance)
        _rolled_back(model, text, cut, whole, tolerance, random)
        _batched(model, text, cut, whole, tolerance, random)
        _branched(model, text, tolerance, random)


def _after(model: Model, text: Sequence[int]) -> Array:
    """The row after a text, from a fresh cache."""
    return model.extend([model.start()], [Block(text)])[0][0]


def _shaped(model: Model, text: list[int]) -> None:
    rows = model.extend([model.start()], [Block(text[:1], text[1:], range(len(text) - 1))])
    wanted = (len(text), model.vocab)
    shape = tuple(rows[0].shape) if isinstance(rows, Sequence) and len(rows) == 1 and hasattr(rows[0], "shape") else None
    if shape != wanted:
        found = f"shape {shape}" if shape else type(rows).__name__
        raise NotConforming(f"extend returns a list with one array a cache, here of shape {wanted}; this model gave {found}")


def _fed_in_parts(model: Model, text: list[int], cut: int, whole: list[Array], tolerance: float) -> None:
    cache = model.start()
    _same(model.extend([cache], [Block(text[:cut])])[0][0], whole[cut - 1], f"the first {cut} tokens of {text}", tolerance)
    drafted = text[cut:]
    rows = model.extend([cache], [Block(drafted[:1], drafted[1:], range(len(drafted) - 1))])[0]
    _length(cache.length, len(text), f"after {text} fed in two parts")
    for place, row in enumerate(rows):
        _same(row, whole[cut + place], f"{text[: cut + place + 1]}, its first {cut} tokens fed before", tolerance)


def _rolled_back(model: Model, text: list[int], cut: int, whole: list[Array], tolerance: float, random: Random) -> None:
    cache = model.start()
    wrong = [random.randrange(model.vocab) for _ in text]
    model.extend([cache], [Block([*text[:cut], *wrong])])
    cache.truncate(cut)
    _length(cache.length, cut, f"truncated to {cut}")
    row = model.extend([cache], [Block(text[cut:])])[0][0]
    _same(row, whole[-1], f"{text} after {wrong} was fed behind its first {cut} tokens and truncated", tolerance)

    cache = model.start()
    model.extend([cache], [Block(text[:cut], [*text[cut:], *wrong], range(len(text) - cut + len(wrong)))])
    cache.keep(0, range(len(text) - 1))
    _length(cache.length, len(text) - 1, f"kept the first {len(text) - 1} of {text} and {wrong}")
    _same(model.extend([cache], [Block(text[-1:])])[0][0], whole[-1], f"{text} after a draft {wrong} was refused", tolerance)

    cache = model.start()
    try:
        rows = model.extend([cache], [Block(text[:cut], [wrong[0], text[cut]], [0, 0])])[0]
        cache.keep(cut - 1, [0, 2])
    except Unsupported:
        return  # a model of chains only: it says so instead of answering wrongly
    _same(rows[2], whole[cut], f"{text[: cut + 1]} as the second of two drafted siblings", tolerance)
    _length(cache.length, cut + 1, "kept the second of two siblings")
    if len(text) > cut + 1:
        row = model.extend([cache], [Block(text[cut + 1 :])])[0][0]
        _same(row, whole[-1], f"{text} after the second of two siblings was kept", tolerance)


def _batched(model: Model, text: list[int], cut: int, whole: list[Array], tolerance: float, random: Random) -> None:
    other = [random.randrange(model.vocab) for _ in range(random.randint(1, 2 * len(text)))]
    caches = [model.start(), model.start()]
    first = model.extend(caches, [Block(other), Block(text[:cut])])
    _same(first[1][0], whole[cut - 1], f"{text[:cut]} beside {other}", tolerance)
    second = model.extend(caches[::-1], [Block(text[cut:]), Block(other[:1])])
    _same(second[0][0], whole[-1], f"{text} in a batch, its place in it changed", tolerance)


def _branched(model: Model, text: list[int], tolerance: float, random: Random) -> None:
    """Two ragged trees in one pass, every row, then a path kept in one and nothing in the other."""
    drafts = [[random.randrange(model.vocab) for _ in range(size)] for size in (4, 2)]
    parents = [[random.randint(0, node) for node in range(len(draft))] for draft in drafts]
    texts, caches = [text, text[:1]], [model.start(), model.start()]
    paths: list[dict[int, list[int]]] = []
    for draft, above in zip(drafts, parents, strict=True):
        paths.append({0: []})
        for node, (token, parent) in enumerate(zip(draft, above, strict=True), start=1):
            paths[-1][node] = [*paths[-1][parent], token]
    try:
        rows = model.extend(caches, [Block(*parts) for parts in zip(texts, drafts, parents, strict=True)])
        for place in (0, 1):
            for node, path in paths[place].items():
                _same(
                    rows[place][node],
                    _after(model, [*texts[place], *path]),
                    f"{texts[place]} and the branch {path} in a batch of trees",
                    tolerance,
                )
        kept, node = [], 4
        while node:
            kept.append(node)
            node = parents[0][node - 1]
        caches[0].keep(len(text) - 1, [0, *reversed(kept)])
        caches[1].keep(0, [0])
    except Unsupported:
        return  # a model of chains only
    rows = model.extend(caches, [Block([0]), Block([0])])
    for place, path in ((0, paths[0][4]), (1, [])):
        _same(rows[place][0], _after(model, [*texts[place], *path, 0]), f"{texts[place]} and the kept branch {path}", tolerance)


def _same(row: Array, expected: Array, case: str, tolerance: float) -> None:
    found, wanted = to_float64(row), to_float64(expected)
    if found.shape != wanted.shape:
        raise NotConforming(f"the row after {case} has shape {found.shape}, expected {wanted.shape}")
    with np.errstate(invalid="ignore"):
        gap = np.where(found == wanted, 0, abs(found - wanted)).max()
    if not gap <= tolerance:
        if np.isnan(gap):
            raise NotConforming(f"the row after {case} holds NaN")
        raise NotConforming(f"the row after {case} differs from a fresh pass by {gap} (allowed {tolerance})")


def _length(length: int, expected: int, case: str) -> None:
    if length != expected:
        raise NotConforming(f"the cache has length {length} {case}, expected {expected}")


def assert_drafter(
    drafter: Drafter,
    target: Model,
    *,
    params: Sampling | None = None,
    texts: int = 20,
    longest: int = 8,
    adaptive: bool = False,
    seed: int = 0,
) -> None:
    """Return if the drafter depends on the context and the given draws alone, keeps to the width, and records true laws.

    Args:
        adaptive: what the drafter learned and what stands beside a row may also move how deep that row drafts: two
            drafts are then compared as far as both go.

    Raises:
        NotConforming: naming the case.
    """
    random, rules, decoder = Random(seed), params or Verbatim(), Decoder(target, drafter, Independent(rejection))
    remembered: Session | None = None
    for _ in range(texts):
        text, given = ([random.randrange(target.vocab) for _ in range(random.randint(1, longest))] for _ in range(2))
        number, limits = random.randrange(2**32), Limits(random.randint(1, longest))

        def session(text: list[int] = text, given: list[int] = given, number: int = number, limits: Limits = limits) -> Session:
            return decoder.open(text, params=rules, limits=limits, draws=SeededDraws(number), given=given)

        alone = _propose(decoder, [session()])
        if alone.vocab != target.vocab or len(alone.tokens) != 1:
            raise NotConforming(
                f"one session got a draft of {len(alone.tokens)} rows over {alone.vocab} tokens; the target has {target.vocab}"
            )
        _same_draft(_propose(decoder, [session()]), alone, f"asked twice after {text} with the same draws")
        beside = _propose(decoder, [session([0]), session()])
        _same_draft(beside, alone, f"after {text}, beside another session", row=1, adaptive=adaptive)
        fresh = session()
        if remembered is not None:
            fresh.memory = remembered.memory
        _same_draft(_propose(decoder, [fresh]), alone, f"after {text}, with the memory of another context", adaptive=adaptive)
        remembered = fresh


def _propose(decoder: Decoder, sessions: list[Session]) -> Draft:
    drawn: dict[tuple[int, int], tuple[Array, int]] = {}
    draw = draft_picker(sessions, decoder.verification)

    def recording(laws: Array, node: int, depth: int, live: np.ndarray) -> np.ndarray:
        tokens = draw(laws, node, depth, live)
        drawn.update({(row, node): (laws[row], int(tokens[row])) for row in np.flatnonzero(live).tolist()})
        return tokens

    requests = draft_requests(sessions)
    draft = decoder.drafter.propose(requests, recording)
    if not isinstance(draft, Draft) or len(draft.tokens) != len(sessions):
        rows = f"{len(draft.tokens)} rows" if isinstance(draft, Draft) else type(draft).__name__
        raise NotConforming(f"propose returns a Draft with one row a session; for {len(sessions)} sessions this drafter gave {rows}")
    for row, request in enumerate(requests):
        depth = max((len(draft.tree.path(node)) for node in draft.followed(row)), default=0)
        if depth > request.width:
            raise NotConforming(f"a request of width {request.width} got a draft {depth} tokens deep")
    if not draft.is_fixed and not _drawn_as_recorded(draft, drawn):
        raise NotConforming("a sampled draft holds a token that the given pick did not draw from the law that is recorded with it")
    return draft


def _drawn_as_recorded(draft: Draft, drawn: dict[tuple[int, int], tuple[Array, int]]) -> bool:
    laws = to_float64(draft.laws(np.empty(0)))
    for row, column in np.argwhere(draft.present).tolist():
        recorded, token = laws[row, column], draft.tokens[row, column]
        if recorded[token] == 1:
            continue  # a point mass is what it is, however it came about
        law, picked = drawn.get((row, column + 1), (recorded * 0, NOTHING))
        if token != picked or (recorded != to_float64(law)).any():
            return False
    return True


def _same_draft(draft: Draft, expected: Draft, case: str, row: int = 0, adaptive: bool = False) -> None:
    width = (min if adaptive else max)(draft.tree.width, expected.tree.width)
    tokens, wanted = (np.pad(d.tokens[r], (0, width), constant_values=NOTHING)[:width] for d, r in ((draft, row), (expected, 0)))
    compared = (tokens != NOTHING) & (wanted != NOTHING) if adaptive else True
    if ((tokens != wanted) & compared).any():
        raise NotConforming(f"{case}: drafted {tokens.tolist()}, and {wanted.tolist()} before")
