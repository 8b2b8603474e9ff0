"""Text in, text out: the same text for a seed in any company, and every wish refused or kept."""

import gc
from collections.abc import Sequence
from pathlib import Path

import pytest

from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafting import DRAFTERS, named_drafter
from draftproof.engine import Engine, Origin, Piece, Running, Wishes, as_prompts, as_seeds
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.language import LanguageModel
from draftproof.models.tiny import write_tiny_gguf
from draftproof.models.weights import load
from draftproof.session import Finish

PROMPTS = ["hello there, hello there", "the end", "one two one two one"]
LONG = {"max_tokens": 40, "ignore_end": True}


@pytest.fixture
def plain(tiny: LanguageModel) -> Engine:
    return Engine(tiny, drafter="none")


def texts(engine: Engine, prompts: Sequence[str] = PROMPTS, **how: object) -> list[list[int]]:
    return [done.tokens for done in engine.generate(prompts, {"temperature": 0.7}, seed=[3, 4, 5], **{**LONG, **how})]


def oracle(tiny: LanguageModel, plain: Engine, *, error_every: int = 0) -> FunctionDrafter:
    """A drafter that knows the texts of `PROMPTS`, and errs at every n-th place."""
    known = [[*done.prompt, *done.tokens] for done in plain.generate(PROMPTS, {"temperature": 0.7}, seed=[3, 4, 5], **LONG)]

    def propose(context: Sequence[int]) -> list[int]:
        text = next((text for text in known if text[: len(context)] == list(context)), [])
        places = range(len(context), min(len(context) + 5, len(text)))
        return [(text[place] + bool(error_every and place % error_every == 0)) % tiny.model.vocab for place in places]

    return FunctionDrafter(propose, tiny.model.vocab)


class TestTheTextOfASeed:
    def test_is_the_same_with_any_drafter_width_and_batch(self, tiny: LanguageModel, plain: Engine) -> None:
        expected = texts(plain)
        drafted = 0
        for drafter in ("lookup", "suffix"):
            for width in (1, 3, 8):
                engine = Engine(tiny, drafter=drafter, width=width)
                assert texts(engine) == texts(engine, batch=1) == expected
                drafted += sum(done.drafted for done in engine.generate(PROMPTS, seed=1, **LONG))
        assert drafted > 50
        for error_every in (0, 3):
            engine = Engine(tiny, drafter=oracle(tiny, plain, error_every=error_every))
            done = engine.generate(PROMPTS, {"temperature": 0.7}, seed=[3, 4, 5], **LONG)
            assert [each.tokens for each in done] == expected
            assert sum(each.accepted for each in done) > 50
            assert any(step.refused for each in done for step in each.steps) == bool(error_every)

    def test_does_not_depend_on_its_place_in_a_queue(self, plain: Engine) -> None:
        three = texts(plain, batch=2)
        pairs = zip(PROMPTS, (3, 4, 5), strict=True)
        alone = [plain.generate(prompt, {"temperature": 0.7}, seed=seed, **LONG)[0].tokens for prompt, seed in pairs]
        assert three == alone

    def test_is_another_for_another_seed_and_reported_when_fresh(self, plain: Engine) -> None:
        first, second = plain.generate(["hello"] * 2, **LONG)
        assert first.seed != second.seed
        assert first.tokens != second.tokens
        assert plain.generate("hello", seed=first.seed, **LONG)[0].tokens == first.tokens

    def test_numbers_from_one_seed_are_counted_up(self, plain: Engine) -> None:
        assert [done.seed for done in plain.generate(["a", "b"], seed=8, max_tokens=1)] == [8, 9]


class TestStreaming:
    def test_the_pieces_are_the_completion(self, tiny: LanguageModel, plain: Engine) -> None:
        engine = Engine(tiny, drafter=oracle(tiny, plain, error_every=3))
        pieces = list(engine.stream(PROMPTS[0], {"temperature": 0.7}, seed=3, **LONG))
        done = engine.generate(PROMPTS[0], {"temperature": 0.7}, seed=3, **LONG)[0]
        assert [piece.token for piece in pieces] == done.tokens
        assert "".join(piece.text for piece in pieces) == done.text
        assert {piece.origin for piece in pieces} >= {Origin.ACCEPTED, Origin.RECOVERED}
        assert sum(piece.origin is Origin.ACCEPTED for piece in pieces) == done.accepted > 0

    def test_without_drafts_every_token_is_plain(self, plain: Engine) -> None:
        assert {piece.origin for piece in plain.stream("hello", seed=1, max_tokens=5)} == {Origin.PLAIN}

    def test_a_draft_kept_whole_is_followed_by_a_bonus(self, tiny: LanguageModel, plain: Engine) -> None:
        pieces: list[Piece] = list(Engine(tiny, drafter=oracle(tiny, plain)).stream(PROMPTS[0], {"temperature": 0.7}, seed=3, **LONG))
        assert [piece.origin for piece in pieces[:6]] == [Origin.ACCEPTED] * 5 + [Origin.BONUS]


class TestWhereATextEnds:
    def test_at_a_stop_string_that_straddles_tokens_and_is_cut_off(self, plain: Engine) -> None:
        letters = {"allowed_token_ids": list(range(97, 123))}  # a token a letter
        whole = plain.generate("hello", letters, seed=1, raw=True, **LONG)[0]
        stop = whole.text[10:13]
        assert whole.text.index(stop) == 10
        done = plain.generate("hello", letters, seed=1, raw=True, stop=("#", stop), **LONG)[0]
        assert (done.finish, done.text, done.tokens) == (Finish.STOP, whole.text[:10], whole.tokens[:13])
        assert "".join(piece.text for piece in plain.stream("hello", letters, seed=1, raw=True, stop=(stop,), **LONG)) == done.text

    def test_at_the_end_token_unless_that_is_ignored(self, plain: Engine) -> None:
        ends = plain.target.tokenizer.end_tokens
        done = plain.generate(["a"] * 12, {"temperature": 2.0}, seed=0, max_tokens=60)
        ended = [each for each in done if each.finish is Finish.END]
        assert ended
        assert all(each.tokens[-1] in ends for each in ended)
        assert not any(ends & set(each.tokens[:-1]) for each in done)

    def test_min_new_tokens_knows_the_end_token(self, plain: Engine) -> None:
        done = plain.generate(["a"] * 12, {"temperature": 2.0, "min_new_tokens": 50}, seed=0, max_tokens=50)
        assert {len(each.tokens) for each in done} == {50}

    def test_a_prompt_of_ids_is_taken_as_it_stands(self, plain: Engine) -> None:
        assert plain.generate([5, 6, 7], seed=1, max_tokens=2)[0].prompt == [5, 6, 7]
        assert [done.prompt for done in plain.generate([[5], [6, 7]], seed=1, max_tokens=1)] == [[5], [6, 7]]

    def test_raw_leaves_the_template_out(self, plain: Engine) -> None:
        tokenizer = plain.target.tokenizer
        assert plain.generate("hi", raw=True, max_tokens=1)[0].prompt == tokenizer.encode("hi")
        assert plain.generate("hi", max_tokens=1)[0].prompt == tokenizer.encode(str(tokenizer.chat("hi")))


@pytest.mark.parametrize(
    ("prompts", "how", "sentence"),
    [
        ("", {}, "the prompt is empty"),
        ("a", {"max_tokens": 0}, "max_tokens is 0"),
        ("a" * 600, {}, r"tokens of prompt and 256 more do not fit into the 512 that .* reads; shorten the prompt"),
        ("a" * 400, {"raw": True}, "400 tokens of prompt and 256 more do not fit into the 512 .*; ask for at most 112"),
        ("a", {"stop": ("",)}, "stop string 0 is empty"),
        ("a", {"batch": 0}, "batch is 0"),
        ("a", {"seed": [1, 2]}, "1 prompts and 2 seeds"),
        ("a", {"seed": -1}, "seed -1"),
        ([[7000]], {}, "prompt token 0 is 7000, outside the target's vocabulary of 264"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(plain: Engine, prompts: object, how: dict, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        plain.generate(prompts, **how)


class TestNames:
    def test_every_drafter_has_its_needs_checked(self, tiny: LanguageModel) -> None:
        rule = Engine(tiny, drafter="none").rule
        with pytest.raises(BadRequest, match="there is no drafter 'oracle'; the drafters are best_of, lookup"):
            named_drafter("oracle", tiny, rule)
        for name in set(DRAFTERS) - {"best_of"}:
            needs_model = name in ("model", "translated", "text")
            with pytest.raises(BadRequest, match="needs a draft model" if needs_model else "takes no draft model"):
                named_drafter(name, tiny, rule, draft_model=None if needs_model else tiny)
        with pytest.raises(BadRequest, match=r"layers, .* is for the drafter early_exit"):
            named_drafter("early_exit", tiny, rule)
        with pytest.raises(Unsupported, match="cannot stop after some layers; load it with --backend hf"):
            named_drafter("early_exit", tiny, rule, layers=1)
        with pytest.raises(BadRequest, match="the width is 'wide'"):
            named_drafter("lookup", tiny, rule, width="wide")

    @pytest.mark.parametrize(
        ("how", "sentence"),
        [
            ({"num_assistant_tokens": 3, "width": 2}, "width and num_assistant_tokens are the same thing"),
            ({"prompt_lookup_num_tokens": 3, "drafter": "suffix"}, "prompt_lookup_num_tokens asks for the drafter lookup"),
            ({"rule": "kseq"}, "the rule kseq is for siblings drawn together"),
            ({"rule": "guess"}, "there is no rule 'guess'"),
            ({"drafter": no_drafter(264), "width": 3}, "brings its own width and model"),
        ],
    )
    def test_what_contradicts_itself_is_refused(self, tiny: LanguageModel, how: dict, sentence: str) -> None:
        with pytest.raises((BadRequest, Unsupported), match=sentence):
            Engine(tiny, **how)

    def test_the_names_of_transformers_mean_the_same(self, tiny: LanguageModel) -> None:
        ours = Engine(tiny, drafter="lookup", width=3).decoder.drafter
        assert Engine(tiny, prompt_lookup_num_tokens=3).decoder.drafter == ours
        assistant = Engine(tiny, assistant_model=tiny, num_assistant_tokens=2)
        assert assistant.decoder.drafter == Engine(tiny, drafter="model", draft_model=tiny, width=2).decoder.drafter
        with pytest.raises(BadRequest, match="draft_model and assistant_model are the same thing"):
            Engine(tiny, assistant_model=tiny, draft_model=tiny)

    def test_prompts_and_seeds_of_every_form(self) -> None:
        assert as_prompts("a") == ["a"]
        assert as_prompts(["a", "b"]) == ["a", "b"]
        assert as_prompts([1, 2]) == [[1, 2]]
        assert as_prompts([[1], [2, 3]]) == [[1], [2, 3]]
        assert as_prompts([]) == []
        assert as_seeds(4, 3) == [4, 5, 6]
        assert len(set(as_seeds(None, 5))) == 5


def test_a_model_drafting_for_itself_is_kept_whole_when_coupled(tiny: LanguageModel, plain: Engine) -> None:
    engine = Engine(tiny, drafter="model", draft_model=tiny, width=3)
    done = engine.generate(PROMPTS, {"temperature": 0.7}, seed=[3, 4, 5], **LONG)
    assert [each.tokens for each in done] == texts(plain)
    assert {step.accepted for each in done for step in each.steps[:-1]} == {3}


def test_a_draft_model_can_be_one_source_of_several(tiny: LanguageModel, plain: Engine) -> None:
    engine = Engine(tiny, drafter="best_of", draft_model=tiny)
    assert texts(engine) == texts(plain)
    assert sum(done.accepted for done in engine.generate(PROMPTS, seed=1, **LONG)) > 0


def test_a_request_can_be_started_and_left(plain: Engine) -> None:
    running = plain.start("hello", 1, Wishes(max_tokens=9))
    assert isinstance(running, Running)
    assert running.completion.finish is None
    assert running.completion.block_efficiency == 0


def test_a_request_that_has_ended_leaves_its_cache_to_others(plain: Engine) -> None:
    pool = plain.target.model._pool
    gc.collect()
    most = pool._count - len(pool.free)
    held: list[int] = []
    step = plain.decoder.target.extend

    def watched(caches, blocks):  # type: ignore[no-untyped-def]
        rows = step(caches, blocks)
        held.append(pool._count - len(pool.free) - most)
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(plain.decoder.target), "extend", lambda model, caches, blocks: watched(caches, blocks))
        plain.generate(["hello"] * 12, seed=1, max_tokens=2, batch=2)
    assert 0 < max(held) <= 2 * 2


@pytest.mark.parametrize(
    ("prompts", "how", "sentence"),
    [
        ("\udcff", {}, "the prompt is not UTF-8 text: surrogates not allowed at character 0"),
        ("a", {"prediction": "\udcff"}, "the prediction is not UTF-8 text"),
        (None, {}, "prompts is None; give text, or token ids"),
        (b"abc", {}, "prompts is b'abc'; give text"),
        ("a", {"seed": 1.5}, r"seed is 1\.5; give a whole number"),
        ("a", {"max_tokens": None}, "max_tokens is None; give a whole number"),
        ("a", {"stop": [3]}, "stop is 3; give text"),
        ("a", {"max_token": 3}, "max_token is nothing that can be wished for; there are params, max_tokens, stop"),
    ],
)
@pytest.mark.usefixtures("unchecked_shapes")  # or the annotations would refuse first
def test_misuse_is_told_in_a_sentence(plain: Engine, prompts: object, how: dict, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        plain.generate(prompts, **how)


def test_one_stop_string_is_one_and_not_its_letters(plain: Engine) -> None:
    letters = {"allowed_token_ids": list(range(97, 123))}
    whole = plain.generate("hello", letters, seed=1, raw=True, **LONG)[0].text
    assert plain.generate("hello", letters, seed=1, raw=True, stop=whole[10:13], **LONG)[0].text == whole[:10]


def test_a_prompt_that_the_tokenizer_would_cut_is_refused(tiny: LanguageModel) -> None:
    assert len(tiny.tokenizer.encode("b" * 8192)) == 8192
    assert len(tiny.tokenizer.encode("<|im_end|>" + "b" * 8191)) == 8192
    with pytest.raises(BadRequest, match="the text has more than 8192 tokens"):
        tiny.tokenizer.encode("b" * 8193)


@pytest.mark.parametrize("drafter", ["model", "text", "best_of"])
def test_a_draft_model_with_a_shorter_context_stops_drafting_and_the_text_goes_on(
    tiny: LanguageModel, plain: Engine, tmp_path: Path, drafter: str
) -> None:
    small = load(str(write_tiny_gguf(tmp_path / "small.gguf", seed=1, context_length=40)), cache=tmp_path, threads=1)
    engine = Engine(tiny, drafter=drafter, draft_model=small, width=3)
    done = engine.generate("hello", {"temperature": 0.7}, seed=1, raw=True, max_tokens=60, ignore_end=True)[0]
    assert done.tokens == plain.generate("hello", {"temperature": 0.7}, seed=1, raw=True, max_tokens=60, ignore_end=True)[0].tokens
    assert done.drafted > 0
