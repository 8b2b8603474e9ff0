"""The tables of rules: each applies where it should, and not next to it."""

import pytest

from draftproof.lint import ENGINES, RULES, Level
from draftproof.lint.rule import Rule
from draftproof.lint.rules import general
from draftproof.lint.version import parse

from .cases import CASES, CLEAN, findings

GENERAL = {rule.name for rule in general.RULES}


def engine_of(name: str) -> str:
    """The engine of a rule; that of its case for one that is for all."""
    if name in GENERAL:
        return "transformers" if CASES[name].applies.startswith("{") else "llamacpp"
    return name.partition("-")[0]


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert [rule.name for rule in RULES] == list(CASES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_applies_in_its_case_and_not_in_the_neighbour(rule: Rule) -> None:
    case, engine = CASES[rule.name], engine_of(rule.name)
    found = findings(engine, case.applies, case.version)
    assert [finding.level for finding in found if finding.rule == rule.name] == [rule.level]
    assert rule.name not in {finding.rule for finding in findings(engine, case.spares, case.spared_version)}


@pytest.mark.parametrize(("engine", "text"), [(engine, text) for engine, texts in CLEAN.items() for text in texts])
def test_nothing_is_found_in_a_clean_configuration(engine: str, text: str) -> None:
    assert findings(engine, text) == []


def test_names_begin_with_the_engine_and_messages_are_sentences() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    for engine in ENGINES.values():
        assert all(rule.name.startswith(f"{engine.name}-") for rule in engine.rules)
    for name, case in CASES.items():
        for finding in findings(engine_of(name), case.applies, case.version):
            for sentence in (finding.what, finding.do):
                assert sentence[-1] in ".?", sentence
                assert "{" not in sentence


def test_versions_of_rules_are_within_what_is_known() -> None:
    for engine in ENGINES.values():
        for rule in engine.rules:
            if rule.since:
                assert parse(rule.since) <= parse(engine.newest), rule.name
            if rule.since and rule.until:
                assert parse(rule.since) < parse(rule.until), rule.name


def test_a_threshold_of_confidence_is_not_taken_for_a_lossy_rule() -> None:
    found = findings("transformers", "do_sample=True assistant_model=d assistant_confidence_threshold=0.4")
    assert found == []
    found = findings("llamacpp", "llama-server --spec-type ngram-mod --spec-draft-p-min 0.8")
    assert found == []


@pytest.mark.parametrize("method", ["fly", "relaxed", "typical"])
def test_every_lossy_rule_of_vllm_is_an_error(method: str) -> None:
    found = findings("vllm", f'{{"method": "ngram", "num_speculative_tokens": 5, "rejection_sample_method": "{method}"}}')
    assert [finding.level for finding in found] == [Level.ERROR]
