"""`draftproof explain --params`: the chain step by step, under the dialect that is named."""

import json

import pytest

from .conftest import Command

ROW = ("--logits", "3,2,1,0")


def steps(run: Command, params: str, *more: str) -> list[dict[str, object]]:
    done = run("explain", "--params", params, *ROW, *more, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["kind"] == "explain_params"
    return found["steps"]


def test_each_step_says_what_it_removed_and_what_is_left(run: Command) -> None:
    logits, temperature, top_k, top_p = steps(run, "temperature=2 top_k=3 top_p=0.8")
    assert [step["name"] for step in (logits, temperature, top_k, top_p)] == ["logits", "temperature", "top_k", "top_p"]
    assert [step["tokens_left"] for step in (logits, temperature, top_k, top_p)] == [4, 4, 3, 2]
    assert top_k["mass_removed"] == pytest.approx(0.1015, abs=1e-4)
    assert temperature["entropy_nats"] > logits["entropy_nats"]
    assert sum(top_p["law"]) == pytest.approx(1)


def test_the_same_numbers_mean_another_law_in_another_dialect(run: Command) -> None:
    first = steps(run, "temperature=2 top_p=0.8")[-1]["law"]
    last = steps(run, "temperature=2 top_p=0.8 dialect=llamacpp")[-1]["law"]
    assert first[2] > 0
    assert last[2] == 0


def test_penalties_see_the_prompt_and_the_text(run: Command) -> None:
    plain = steps(run, "repetition_penalty=2")[-1]["law"]
    after = steps(run, "repetition_penalty=2", "--prompt", "0", "--emitted", "1,1")[-1]["law"]
    assert after[0] / after[3] < plain[0] / plain[3]
    assert after[1] / after[3] < plain[1] / plain[3]
    assert after[2] / after[3] == pytest.approx(plain[2] / plain[3])


def test_a_reader_sees_the_dialect_the_chain_and_the_law(run: Command) -> None:
    done = run("explain", "--params", '{"top_k": 2}', *ROW)
    assert done.code == 0
    assert "dialect transformers: top_k(k=2" in done.out
    assert "mass removed" in done.out
    assert "sampled" in done.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--params", "top_p=2", *ROW), "top_p is 2"),
        (("--params", "top_q=2", *ROW), "top_q is not a sampling parameter"),
        (("--params", "top_p", *ROW), "'top_p' is not name=value"),
        (("--params", "top_k=1 top_k=2", *ROW), "top_k is given twice"),
        (("--params", "top_k=0.5.1", *ROW), "write a number, a word or JSON"),
        (("--params", "{", *ROW), "the JSON object cannot be read"),
        (("--params", "top_k=1", "--logits", "1,x"), "--logits, token 1 is 'x'"),
        (("--params", "top_k=1", "--logits", "nan,1"), "logits row 0 has the maximum nan"),
        (("--params", "top_k=1", *ROW, "--prompt", "a"), "--prompt holds 'a'"),
        (("--params", "top_k=1", *ROW, "--emitted", "4"), "--emitted holds token 4, but --logits has 4 tokens"),
        (("--params", "top_k=1"), "--logits is missing"),
        (ROW, "--params is missing"),
        ((*ROW, "--target", "1"), "explained one at a time"),
        (("--target", "1"), "--draft missing"),
        (("--draft", "1"), "--target missing"),
        ((), "--target and --draft missing"),
        (("--target", "1", "--draft", "1", "--prompt", "0"), "--prompt and --emitted belong to --params"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run: Command, arguments: tuple[str, ...], sentence: str) -> None:
    done = run("explain", *arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1
