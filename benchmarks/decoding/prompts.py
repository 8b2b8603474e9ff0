"""The prompts of these measurements, and random ones."""

import json
from pathlib import Path
from random import Random

WORDS = """river stone winter letter engine garden silver window market bridge paper mountain small bright quick north old seven
count write explain name list compare why how when the a of in with and from about between"""


def shipped(kind: str) -> list[str]:
    """`copy`, where much of the answer stands in the prompt, or `open`, where nothing does."""
    return [json.loads(line)["prompt"] for line in (Path(__file__).parent / f"{kind}.jsonl").read_text().splitlines()]


def random_prompts(count: int, seed: int = 0) -> list[str]:
    """Short prompts of random words; every third one repeats itself, so that there is something to look up."""
    random = Random(seed)
    texts = [" ".join(random.choices(WORDS.split(), k=random.randint(3, 20))) for _ in range(count)]
    return [f"Repeat this: {text} {text}" if place % 3 == 0 else text for place, text in enumerate(texts)]
