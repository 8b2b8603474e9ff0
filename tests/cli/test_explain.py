"""`draftproof explain`: exact numbers, boundary cases in a sentence, bad input in a sentence."""

import json
from fractions import Fraction
from typing import Any

import pytest

from .conftest import Command

EXAMPLE = ("explain", "--target", "0.2,0.5,0.3", "--draft", "0.5,0.3,0.2")


def content(run: Command, *arguments: str) -> dict[str, Any]:
    done = run("explain", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_the_example_of_three_tokens_is_exact(run: Command) -> None:
    found = content(run, *EXAMPLE[1:])
    assert found["kept"] == ["1/5", "3/10", "1/5"]
    assert found["refused"] == ["3/10", "0", "0"]
    assert found["deficit"] == ["0", "1/5", "1/10"]
    assert found["residual"] == ["0", "2/3", "1/3"]
    assert found["output"] == found["target"] == ["1/5", "1/2", "3/10"]
    assert found["overlap"] == {"fraction": "7/10", "float": 0.7}
    assert found["wrong_fallback"]["output"] == ["13/50", "9/20", "29/100"]
    assert found["wrong_fallback"]["total_variation"] == {"fraction": "3/50", "float": 0.06}
    assert found["floats"]["wrong_output"] == [0.26, 0.45, 0.29]
    assert found["cases"] == []
    assert (found["kind"], found["schema_version"], found["rule"]) == ("explain", 1, "rejection")


def test_a_reader_sees_the_same_fractions(run: Command) -> None:
    done = run(*EXAMPLE, "--tokens", "a,b,c")
    assert (done.code, done.err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line.split()}
    assert "a         1/5    1/2   1/5     3/10        0         0     1/5     13/50" in done.out
    assert "b         1/2   3/10  3/10        0      1/5       2/3     1/2      9/20" in done.out
    assert "c        3/10    1/5   1/5        0     1/10       1/3    3/10    29/100" in done.out
    assert rows["sum"] == ["1", "1", "7/10", "3/10", "3/10", "1", "1", "1"]
    assert "The output is the target's law, exactly." in done.out


def test_decimals_are_read_exactly_and_fractions_too(run: Command) -> None:
    assert content(run, "--target", "0.1,.9", "--draft", "1/3, 2/3")["target"] == ["1/10", "9/10"]
    assert content(run, "--target", "1e-1,9E-1", "--draft", "1.,0")["draft"] == ["1", "0"]


@pytest.mark.parametrize(
    ("target", "draft", "names"),
    [
        ("1/2,1/2", "1/2,1/2", ["equal"]),
        ("1", "1", ["one_token", "equal"]),
        ("1,0", "1,0", ["equal", "certain_target"]),
        ("1/2,1/2,0", "0,0,1", ["disjoint", "never_wanted", "never_drafted"]),
        ("1,0", "1/2,1/2", ["certain_target", "never_wanted"]),
        ("1/2,1/2", "1,0", ["never_drafted"]),
        ("1,0", "0,1", ["disjoint", "certain_target", "never_wanted", "never_drafted"]),
    ],
)
def test_every_boundary_is_named_and_explained(run: Command, target: str, draft: str, names: list[str]) -> None:
    found = content(run, "--target", target, "--draft", draft)
    assert [case["name"] for case in found["cases"]] == names
    assert found["output"] == found["target"]
    assert all(case["sentence"].endswith(".") and case["sentence"].count(". ") == 0 for case in found["cases"])
    shown = " ".join(run("explain", "--target", target, "--draft", draft).out.split())
    assert all(case["sentence"] in shown for case in found["cases"])


def test_equal_laws_have_no_residual_at_all(run: Command) -> None:
    found = content(run, "--target", "1/3,2/3", "--draft", "1/3,2/3")
    assert found["residual"] is None
    assert found["floats"]["residual"] is None
    shown = run("explain", "--target", "1/3,2/3", "--draft", "1/3,2/3").out
    assert "There is no residual." in shown
    assert "none" in shown


def test_a_small_difference_still_has_a_residual(run: Command) -> None:
    found = content(run, "--target", "0.5000000000000000000000001,0.4999999999999999999999999", "--draft", "1/2,1/2")
    assert found["residual"] == ["1", "0"]
    assert Fraction(found["refused"][1]) == Fraction(1, 10**25)


@pytest.mark.parametrize(
    ("target", "draft", "message"),
    [
        ("0.5,0.5", "1", "target has length 2 and draft has length 1"),
        ("", "1", "--target is empty"),
        ("1", " ", "--draft is empty"),
        ("1,,0", "1,0,0", "--target, token 1 is missing"),
        ("-1/2,3/2", "1,0", "target: token 0 has probability -1/2"),
        ("1,0", "1/2,2/3", "draft: the probabilities sum to 7/6, not 1"),
        ("nan,1", "1,0", "--target, token 0 is 'nan'"),
        ("1,inf", "1,0", "--target, token 1 is 'inf'"),
        ("1,0", "half,1/2", "--draft, token 0 is 'half'"),
        ("1/0,1", "1,0", "--target, token 0 is '1/0', which divides by zero"),
        ("1e999999999,0", "1,0", "--target, token 0 is '1e999999999'"),
        ("1_0,0", "1,0", "--target, token 0 is '1_0'"),
        ("1" * 5000, "1", "--target, token 0 is '1111"),
        ("1\x1b[31m", "1", "--target, token 0 is '1\\x1b[31m'"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr(run: Command, target: str, draft: str, message: str) -> None:
    done = run("explain", "--target", target, "--draft", draft)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"draftproof: {message}")
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err


def test_a_common_denominator_has_a_limit(run: Command) -> None:
    primes = [10**9 + 7, 10**9 + 9, 10**9 + 21, 10**9 + 33]
    unreadable = ",".join(f"1/{prime**6}" for prime in primes)
    done = run("explain", "--target", unreadable, "--draft", "1,0,0,0")
    assert (done.code, done.out) == (2, "")
    assert "the common denominator has more than 200 digits" in done.err


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("a,b", "tokens has length 2 and target has length 3"),
        ("a,,c", "token 1 has an empty name"),
        ("a,b,a", "'a' names both token 0 and token 2"),
    ],
)
def test_bad_names_are_refused(run: Command, tokens: str, message: str) -> None:
    done = run(*EXAMPLE, "--tokens", tokens)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_missing_option_is_a_usage_error(run: Command) -> None:
    done = run("explain", "--target", "1")
    assert (done.code, done.out) == (2, "")
    assert "--draft" in done.err


def test_a_hostile_name_cannot_speak_to_the_terminal(run: Command) -> None:
    done = run("explain", "--target", "1,0", "--draft", "1/2,1/2", "--tokens", "\x1b[31mred,[bold]b\nc")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out
    assert "[bold]b\\nc" in done.out
