"""All rules together: order, and input that is meant to break them."""

import json

from hypothesis import given as for_all
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from draftproof.errors import BadRequest
from draftproof.lint import ENGINES, Given, Level, check

from .cases import findings

NAMES = st.sampled_from(sorted({name.rpartition(".")[2] for engine in ENGINES.values() for name in engine.table.options}))
VALUES = (
    st.none() | st.booleans() | st.integers(-1, 3) | st.floats(allow_nan=False) | st.text(max_size=4) | st.lists(st.integers(), max_size=2)
)


def test_the_gravest_comes_first_and_then_the_order_of_the_file() -> None:
    found = findings("transformers", '{"do_sampel": true, "temperature": 0.6, "top_k": "x", "top_p": "y"}', "none")
    assert [finding.level for finding in found] == sorted((finding.level for finding in found), key=list(Level).index)
    assert [finding.place.column for finding in found if finding.rule == "wrong-type"] == [41, 55]


@hypothesis_settings(max_examples=40)
@for_all(st.sampled_from(["vllm", "transformers"]), st.dictionaries(NAMES, VALUES, max_size=8), st.sampled_from(["", "0.9", "5.24", "99"]))
def test_values_of_any_type_break_no_rule_on_json(engine: str, options: dict[str, object], version: str) -> None:
    try:
        settings = ENGINES[engine].settings(Given("c.json", json.dumps(options)), version)
    except BadRequest:
        return
    for finding in check(settings):
        assert finding.message


@hypothesis_settings(max_examples=40)
@for_all(st.sampled_from(sorted(ENGINES)), st.lists(NAMES.map(lambda name: f"--{name}") | st.text(max_size=5), max_size=8))
def test_words_of_any_kind_break_no_rule_on_arguments(engine: str, words: list[str]) -> None:
    try:
        settings = ENGINES[engine].settings(Given("", "", tuple(words)))
    except BadRequest:
        return
    for finding in check(settings):
        assert finding.message
