"""The texts that name contenders: what each means, and what is no contender."""

import pytest

from draftproof.bench.contenders.spec import KINDS, parse
from draftproof.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "engine", "name", "drafts"),
    [
        ("ours", "draftproof float32", "draftproof float32, best_of", True),
        ("ours:best_of", "draftproof float32", "draftproof float32, best_of", True),
        ("ours:none", "draftproof float32", "draftproof float32, no drafts", False),
        ("ours:lookup", "draftproof float32", "draftproof float32, lookup", True),
        ("ours:suffix,width=5", "draftproof float32", "draftproof float32, suffix, width 5", True),
        ("ours:width=auto", "draftproof float32", "draftproof float32, best_of", True),
        ("ours:precision=bfloat16", "draftproof bfloat16", "draftproof bfloat16, best_of", True),
        ("ours:none,precision=bfloat16", "draftproof bfloat16", "draftproof bfloat16, no drafts", False),
        ("ours:draft=smollm2", "draftproof float32", "draftproof float32, model, draft smollm2", True),
        ("ours:best_of,draft=a.gguf", "draftproof float32", "draftproof float32, best_of, draft a.gguf", True),
        ("ours:lookup,rule=block", "draftproof float32, rule block", "draftproof float32, rule block, lookup", True),
        ("ours:rule=coupled,precision=float32", "draftproof float32", "draftproof float32, best_of", True),
        ("hf", "transformers float32", "transformers float32, no drafts", False),
        ("hf:lookup", "transformers float32", "transformers float32, lookup", True),
        ("hf:draft=m,width=4,precision=bfloat16", "transformers bfloat16", "transformers bfloat16, draft m, width 4", True),
        ("genai", "openvino_genai float32", "openvino_genai float32, no drafts", False),
        ("genai-default:lookup", "openvino_genai as it comes", "openvino_genai as it comes, lookup", True),
        ("llamacpp", "llama.cpp, weights as in the file", "llama.cpp, weights as in the file, no drafts", False),
        ("llamacpp:lookup,precision=float16", "llama.cpp, weights float16", "llama.cpp, weights float16, lookup", True),
        ("openai+http://h:1", "http://h:1/v1", "http://h:1/v1, no drafts", False),
        ("openai+https://h/api#drafts,engine=vllm,dialect=vllm", "vllm", "vllm, drafts", True),
    ],
)
def test_a_text_names_an_engine_and_how_it_drafts(text: str, engine: str, name: str, drafts: bool) -> None:
    spec = parse(text)
    assert (spec.engine, spec.name, spec.drafts) == (engine, name, drafts)


@pytest.mark.parametrize("text", ["ours:suffix,width=5", "ours:lookup,rule=block", "hf:draft=m,precision=bfloat16", "llamacpp:lookup"])
def test_the_plain_one_is_of_the_same_engine(text: str) -> None:
    spec = parse(text)
    assert spec.plain.engine == spec.engine
    assert not spec.plain.drafts
    assert spec.plain.name == f"{spec.engine}, no drafts"
    assert spec.plain.plain == spec.plain


def test_a_server_has_an_address_and_what_its_operator_says() -> None:
    spec = parse("openai+http://127.0.0.1:8000#drafts,dialect=llamacpp,slots=3")
    assert spec.address == "http://127.0.0.1:8000/v1"
    assert spec.options == {"dialect": "llamacpp", "slots": "3"}


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("vllm", r"'vllm' is no engine; there are ours \(.*\), hf \(.*openai\+http://HOST"),
        ("", "'' is no engine"),
        ("openai+http:host", "is no engine"),
        ("openai+http://", "is no address of a server"),
        ("openai+http://user:word@host", "the address holds a user or a password"),
        ("openai+http://user:word@host#nonsense", "the address holds a user or a password"),
        ("hf:suffix", "'suffix' in 'hf:suffix' is nothing that hf takes; it takes lookup, none, width=NUMBER, draft=MODEL, precision="),
        ("hf:width=", "'width=' in 'hf:width=' is nothing that hf takes"),
        ("genai-default:precision=float32", "nothing that genai-default takes"),
        ("ours:lookup=3", "'lookup=3' in .* is nothing that ours takes; it takes best_of, lookup"),
        ("openai+http://h#width=3", "'width=3' in .* is nothing that openai"),
        ("ours:lookup,suffix", "drafts in two ways; name each as a contender of its own"),
        ("hf:lookup,draft=m", "drafts in two ways"),
        ("ours:lookup,lookup", "says lookup twice"),
        ("ours:width=3,width=4", "says width twice"),
        ("hf:width=3", "gives width and does not draft; leave it out, or say how it drafts: lookup"),
        ("ours:none,width=3", "gives width and does not draft"),
        ("ours:width=0", "width in 'ours:width=0' is '0'; give a whole number of at least 1"),
        ("hf:lookup,width=auto", "is 'auto'; give a whole number"),
        ("openai+http://h#slots=many", "slots in .* is 'many'; give a whole number"),
        ("ours:precision=float16", "precision in .* is 'float16'; give one of float32, bfloat16"),
        ("llamacpp:precision=bfloat16", "is 'bfloat16'; give one of float16"),
        ("openai+http://h#dialect=sglang", "dialect in .* is 'sglang'; give one of llamacpp, vllm, openai"),
        ("ours:rule=luck", "luck"),
    ],
)
def test_what_names_no_contender_is_one_sentence(text: str, match: str) -> None:
    with pytest.raises(BadRequest, match=match) as error:
        parse(text)
    assert "\n" not in str(error.value)
    assert "word@" not in str(error.value)


def test_no_engine_is_told_of_twice() -> None:
    assert len({about.told for about in KINDS.values()}) == len({about.label for about in KINDS.values()}) == len(KINDS)
