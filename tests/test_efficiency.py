"""The page of block efficiency says what the recorded data say, and the sums behind the data are what the rules keep."""

import json
import re
import sys
from fractions import Fraction
from html import unescape
from itertools import pairwise, permutations, product
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest

from draftproof.proof.fixtures import ROWS, constant_pair, generic_pair, row
from draftproof.proof.rule import round_law
from draftproof.rules.block import block
from draftproof.rules.bounds import chain_ceiling, coupled_overlap, transport_ceiling
from draftproof.rules.kseq import kseq
from draftproof.rules.match import match
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.rules.top_plus_one import top_plus_one
from draftproof.tree import Siblings, Tree
from draftproof.types import Draft

PROGRAMS = Path(__file__).parents[1] / "benchmarks" / "speed"

PAIR = generic_pair(Random(0), 3)
WIDTH = 3
LAWS = {name: tuple(np.array(law, object) for law in laws) for name, laws in ROWS.items()}


def program(name: str) -> ModuleType:
    """A file of benchmarks/speed, as its neighbours import it."""
    sys.path.insert(0, str(PROGRAMS))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(PROGRAMS))


kept, page, recording = program("block_efficiency_kept"), program("block_efficiency_page"), program("block_efficiency")


@pytest.fixture(scope="module")
def data():
    return json.loads(page.RAW.read_text())


def paths():
    """Every drafted path of the pair, as the laws before each token, the tokens, and the probability that it is drafted."""
    target, draft = PAIR
    for path in product(range(3), repeat=WIDTH):
        texts = [[0, 0, *path[:slot]] for slot in range(WIDTH)]
        p, q = (np.array([[model.law(text) for text in texts]], object) for model in (target, draft))
        yield p, q, np.array([path]), Fraction(np.prod([q[0, slot, token] for slot, token in enumerate(path)]))


@pytest.fixture(scope="module")
def averaged():
    """By rule, the chance that at least 1, 2, 3 tokens of the pair's draft are kept."""
    found = [(kept.survival(p, q, x), chance) for p, q, x, chance in paths()]
    return {name: sum(terms[name][0] * chance for terms, chance in found) for name in found[0][0]}


class TestTheSumsOfChains:
    @pytest.mark.parametrize("rule", [rejection, block, match])
    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_are_what_the_rule_keeps_on_average_exactly(self, averaged, rule, width):
        assert averaged[rule.__name__][:width].sum() == round_law(rule, [PAIR], Tree.chain(width)).accepted[0]

    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_reach_the_ceiling_of_a_chain_exactly(self, averaged, width):
        laws = [lambda text, model=model: model.law([0, 0, *text]) for model in PAIR]
        assert averaged["ceiling"][:width].sum() == chain_ceiling(*laws, width, 3)

    def test_of_coupled_follow_the_path_that_both_races_choose(self, averaged):
        target, draft = PAIR
        together, total = {(): Fraction(1)}, Fraction(0)
        for _ in range(WIDTH):
            longer = {}
            for text, chance in together.items():
                p, q = (np.array(model.law([0, 0, *text]), object) for model in (target, draft))
                total += chance * coupled_overlap(p, q)
                longer |= {(*text, token): chance * kept.agreement(p, q, token) * q[token] for token in range(3)}
            together = longer
        assert averaged["coupled"].sum() == total

    def test_of_one_token_agreed_on_add_up_to_the_overlap_of_races(self):
        for p, q in LAWS.values():
            assert sum(kept.agreement(p, q, token) * q[token] for token in range(len(p))) == coupled_overlap(p, q)

    def test_are_in_order_on_every_path(self):
        for p, q, x, _ in paths():
            assert all((lower <= upper).all() for lower, upper in pairwise(kept.survival(p, q, x).values()))

    def test_of_chosen_tokens_are_the_targets_probabilities_of_the_path(self):
        laws = np.array([[row(50, 30, 20), row(20, 50, 30), row(10, 10, 80)]] * 2, object)
        draft = Draft.fixed([[0, 1], [2]], vocab=3)
        half, tenth = Fraction(1, 2), Fraction(1, 10)
        assert kept.fixed_survival(laws, draft).tolist() == [[half, half / 2], [2 * tenth, 0]]


class TestTheSumsOfSeveralTokensAtOnePlace:
    @pytest.mark.parametrize("name", LAWS)
    @pytest.mark.parametrize("count", [1, 2, 3])
    @pytest.mark.parametrize(
        ("rule", "siblings", "total"),
        [
            (recursive, Siblings.INDEPENDENT, "independent_kept"),
            (kseq, Siblings.INDEPENDENT, "kseq_kept"),
            (top_plus_one, Siblings.TOP_PLUS_ONE, "top_plus_one_kept"),
        ],
    )
    def test_are_what_the_rule_keeps_exactly(self, name, count, rule, siblings, total):
        p, q = LAWS[name]
        exact = round_law(rule, [constant_pair(tuple(p), tuple(q))], Tree((0,) * count, siblings)).accepted[0]
        assert getattr(kept, total)(p, q, count) == exact

    @pytest.mark.parametrize("name", LAWS)
    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_of_distinct_ones_are_what_the_rule_keeps_on_average_exactly(self, name, count):
        p, q = LAWS[name]
        total = Fraction(0)
        for elders in permutations(range(len(q)), count - 1):
            chance, left = Fraction(1), Fraction(1)
            for token in elders:
                chance, left = chance * q[token] / left, left - q[token]
            total += chance * kept.distinct_kept(p, q, elders)
        assert total == round_law(recursive, [constant_pair(tuple(p), tuple(q))], Tree((0,) * count)).accepted[0]

    @pytest.mark.parametrize("name", LAWS)
    def test_of_races_agree_with_races(self, name):
        p, q = (law.astype(float) for law in LAWS[name])
        generator = np.random.default_rng(0)
        noise = generator.standard_exponential((40_000, len(p)))
        drafted, chosen = (noise / q).argsort(-1)[:, :2], (noise / p).argmin(-1)
        for siblings in permutations(range(len(q)), 2):
            met = (drafted == siblings).all(-1)
            found = kept.chosen_by_race(p, q, siblings, generator, 4_000)
            seen = [(chosen[met] == token).mean() for token in siblings]
            assert found == pytest.approx(seen, abs=4 * 0.5 / np.sqrt(met.sum()) + 0.02)

    @pytest.mark.parametrize(("name", "count"), [(name, count) for name in LAWS for count in range(1, len(LAWS[name][0]) + 1)])
    def test_have_an_integral_as_their_ceiling(self, name, count):
        p, q = LAWS[name]
        exact = float(transport_ceiling(p, q, count, Siblings.DISTINCT))
        assert kept.distinct_ceiling(p.astype(float), q.astype(float), count) == pytest.approx(exact, abs=1e-9)


class TestTheChecksOfARecording:
    def texts(self, *, gap=0.0, above=-0.1):
        """Two texts in which `block` keeps `gap` more than its sum, and `recursive` `above` more than its ceiling."""
        near = [0.1, -0.1, 0.05, -0.05]
        checks = {"rejection": near, "match": near, "block": [one + gap for one in near], "races": [[0.7 + one, 0.7] for one in near]}
        below = {str(count): 1.5 for count in recording.COUNTS}
        siblings = {"coupled": below, "recursive": dict.fromkeys(below, 1.6 + above), "ceiling_distinct": dict.fromkeys(below, 1.6)}
        return [{"checks": checks, "siblings": siblings}] * 2

    def test_pass_when_the_rules_keep_what_their_sums_say(self):
        assert recording.summed_up(self.texts())["block"] == {"gap": 0.0, "standard error": pytest.approx(0.0299, abs=1e-4), "of": 8}

    def test_stop_a_recording_whose_sum_is_not_what_the_rule_keeps(self):
        with pytest.raises(SystemExit, match=r"check failed: block keeps \+0\.2000 tokens beside what its sum says"):
            recording.summed_up(self.texts(gap=0.2))

    def test_stop_a_recording_in_which_a_rule_is_above_its_ceiling(self):
        with pytest.raises(SystemExit, match="check failed: recursive keeps more of distinct tokens than the ceiling"):
            recording.summed_up(self.texts(above=0.1))


class TestThePage:
    def test_holds_the_tables_of_the_data(self, data):
        text = page.PAGE.read_text()
        assert page.filled(text, data) == text

    def test_is_refused_when_it_has_no_place_for_a_table(self, data):
        with pytest.raises(ValueError, match="has no place") as refusal:
            page.filled("# Block efficiency\n", data)
        assert "has no place for the table 'chains 0.8'; add <!-- chains 0.8, from the data -->" in str(refusal.value)

    def test_draws_conclusions_from_numbers_of_the_tables_alone(self, data):
        conclusions = re.search(r"## What follows\n(.*?)\n## ", page.PAGE.read_text(), re.DOTALL)[1]
        quoted = re.findall(r"\d+\.\d+%|\d\.\d{3}", conclusions)
        assert len(quoted) > 10
        shown = "\n".join(page.tables(data).values())
        assert [number for number in quoted if number not in shown] == []

    def test_does_not_agree_with_other_data(self, data):
        other = json.loads(json.dumps(data))
        other["texts"][0]["chain"]["block"][3] += 0.1
        assert page.filled(page.PAGE.read_text(), other) != page.PAGE.read_text()

    def test_shows_the_figure_of_the_data(self, data):
        assert "](benchmarks/block_efficiency.svg)" in page.PAGE.read_text()
        drawn, made = page.FIGURE.read_text(), page.figure(data)
        words = re.compile(r"<(?:title|desc)[^>]*>(.*?)</", re.DOTALL)
        assert [unescape(said) for said in words.findall(drawn)] == [unescape(said) for said in words.findall(made)]
        assert drawn.count("<path") == made.count("<path")

    def test_names_the_command_the_seed_and_the_versions(self, data):
        text = page.PAGE.read_text()
        for said in (data["command"], f"seed {data['seed']}", *(f"{name} {number}" for name, number in data["versions"].items())):
            assert said in text, said


class TestTheData:
    def test_is_of_every_prompt_at_every_temperature(self, data):
        places = [(text["temperature"], text["workload"], text["prompt"]) for text in data["texts"]]
        assert len(set(places)) == len(places) == len(page.temperatures(data)) * len({place[1:] for place in places})

    def test_puts_no_rule_above_another_that_keeps_at_least_as_much(self, data):
        for text in data["texts"]:
            for names in (("match", "coupled"), ("coupled", "rejection"), ("rejection", "block"), ("block", "ceiling")):
                lower, upper = (np.array(text["chain"][name]) for name in names)
                assert (lower <= upper + 1e-5).all(), names

    def test_keeps_one_token_alike_under_rejection_and_block_and_at_the_ceiling(self, data):
        for text in data["texts"]:
            assert text["chain"]["rejection"][0] == text["chain"]["block"][0] == text["chain"]["ceiling"][0]

    def test_passed_the_checks_of_the_rules_themselves(self, data):
        assert {"rejection", "block", "match"} < data["checks"].keys()
        for name, check in data["checks"].items():
            assert abs(check["gap"]) <= 4 * check["standard error"], name

    def test_is_small(self):
        assert page.RAW.stat().st_size < 300_000
