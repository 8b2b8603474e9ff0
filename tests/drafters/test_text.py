"""A model of any vocabulary writes text, and the target's tokens of it are proposed: exact under every rule."""

from random import Random

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.protocol import Drafter, Request
from draftproof.drafters.text import TextDrafter, text_drafter
from draftproof.errors import BadRequest
from draftproof.models.table import TableModel
from draftproof.proof import assert_decodes_exactly, assert_drafter
from draftproof.proof.fixtures import generic_pair, pairs
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.types import NOTHING
from draftproof.vocabulary import Vocabulary

TARGET = Vocabulary((b"a", b"b", b"ab"))
DRAFT = Vocabulary((b"b", b"a"))
TARGETS = [target for target, _ in pairs(4, 3, seed=3)]
MODELS = [draft for _, draft in pairs(4, 2, seed=8)]


class Script:
    """A model that goes on with a text as it is written down, token by token, and notes what it is fed."""

    def __init__(self, vocab, *script):
        self.vocab, self.script, self.fed = vocab, script, []

    def start(self):
        return TableModel(np.ones((1, 1, 1))).start()

    def extend(self, caches, blocks):
        rows = []
        for cache, block in zip(caches, blocks, strict=True):
            cache.tokens += block.tokens
            token = self.script[len(cache.tokens) - 1]
            rows.append((np.arange(self.vocab) == token)[None].astype(float))
        self.fed.append([list(block.tokens) for block in blocks])
        return rows


def drafter(model, *, target=TARGET, draft=DRAFT, **choices):
    choices = {"length": 3, "draft_encode": draft.spell, "target_encode": target.spell} | choices
    return text_drafter(model, target=target, draft=draft, **choices)


def request(drafter, *context, width=9, memory=None):
    return Request(tuple(context), 1, (), Verbatim(), None, memory or drafter.start(), width)


def nobody(laws, node, depth, live):
    raise AssertionError("a written token was drawn")


def propose(drafter, *requests):
    return drafter.propose(requests, nobody).tokens.tolist()


@pytest.mark.usefixtures("unchecked_shapes")
class TestADecode:
    @pytest.mark.parametrize("name", ["point_mass", "match", "coupled", "rejection", "block", "traversal"])
    @pytest.mark.parametrize("unsettled", [0, 1])
    def test_is_exact(self, name, unsettled):
        for index in range(2):
            made = drafter(MODELS[index])
            made = TextDrafter(made.model, made.target, made.draft, made.read, made.encode, made.length, unsettled)
            decoder = Decoder(TARGETS[index], made, CATALOGUE[name].verification)
            assert_decodes_exactly(decoder, [0], params=Verbatim(), limits=Limits(4, frozenset({2 * index})))

    def test_is_exact_if_the_text_is_encoded_wrongly(self):
        """A tokenizer that takes spaces away, or another model's: the ids that are emitted stay the target's own."""
        made = drafter(MODELS[0], target_encode=lambda text: [(byte + place) % 3 for place, byte in enumerate(text)])
        decoder = Decoder(TARGETS[0], made, CATALOGUE["match"].verification)
        assert_decodes_exactly(decoder, [0], params=Verbatim(), limits=Limits(4))


class TestAProposal:
    def test_is_what_the_model_wrote_in_the_targets_tokens_but_the_last(self):
        made = drafter(model := Script(2, 0, 1, 0))  # after "a": b, a, b
        assert propose(made, request(made, 0)) == [[1]]
        assert model.fed == [[[1]], [[0]], [[1]]]

    def test_goes_on_where_the_model_read_the_text_in_other_tokens(self):
        made = drafter(Script(2, *[None] * 2, 1, 0, 1, 0))  # after "bab": a, b, a
        assert propose(made, request(made, 1, 2)) == [[2]]

    def test_is_no_deeper_than_the_width(self):
        made = drafter(model := Script(2, *[0] * 9), length=5)
        assert propose(made, request(made, 0, width=2), request(made, 0, width=0), request(made, 0)) == [
            [1, 1, NOTHING, NOTHING],
            [NOTHING] * 4,
            [1] * 4,
        ]
        assert all(len(feeds) == 2 for feeds in model.fed), "nothing is written where nothing may be drafted"

    def test_ends_with_the_text_and_then_leaves_nothing_out(self):
        ending = Vocabulary((b"b", b"a", b""), {2: "</s>"})
        made = drafter(Script(3, 0, 0, 2), draft=ending, length=9)
        assert propose(made, request(made, 0)) == [[1, 1]]

    def test_holds_no_half_character(self):
        draft = Vocabulary((b"a", b"\xe4\xbd", b"\xa0", b"\xff"))
        target = Vocabulary((b"a", b"\xe4\xbd\xa0", b"\xe4", b"\xbd"))
        for script, expected in [((0, 1, 2, 0), [0, 1]), ((0, 1, 2, 1), [0]), ((0, 0, 1), [0])]:
            made = drafter(Script(4, *script), draft=draft, target=target, length=len(script))
            assert propose(made, request(made, 0)) == [expected]

    def test_is_nothing_where_the_model_wrote_too_little_or_can_read_nothing(self):
        made = drafter(Script(2, 0), length=1)
        assert propose(made, request(made, 0)) == [[]]
        silent = Vocabulary((b"", b"b", b"ab"), {0: "<s>"})
        made = drafter(Script(2), target=silent)
        assert propose(made, request(made, 0)) == [[]]


class TestTheContext:
    def test_is_read_by_its_text_and_control_tokens_by_name(self):
        target = Vocabulary((b"a", b"", b"ab", b""), {1: "<s>", 3: "<tool>"})
        draft = Vocabulary((b"a", b"b", b"", b""), {2: "<s>", 3: "<s>"})
        made = drafter(Script(4, *[0] * 9), target=target, draft=draft, begin=(1,))
        assert made.read([1, 0, 2, 3, 0]) == [1, 2, 0, 0, 1, 0]

    def test_is_read_once_and_what_was_written_is_forgotten(self):
        made = drafter(model := Script(2, *[0] * 9))
        first = request(made, 0, 0)
        propose(made, first)
        model.fed.clear()
        propose(made, request(made, 0, 0, 1, memory=first.memory))
        assert model.fed[0] == [[0]], "the written b was kept"
        model.fed.clear()
        propose(made, request(made, 0, 0, 0, memory=first.memory))
        assert model.fed[0] == [[1]], "the written b was refused"


def test_a_text_drafter_drafts_as_a_drafter_must():
    model = TableModel(generic_pair(Random(2), 2)[0].table)
    assert isinstance(drafter(model), Drafter)
    assert_drafter(drafter(model), TARGETS[0])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"length": 0}, "length is 0 and unsettled 1; they must be at least 1 and 0"),
        ({"draft": TARGET}, "the draft vocabulary has 3 tokens; the draft model's has 2"),
    ],
)
def test_what_cannot_be_is_refused(choices, message):
    with pytest.raises(BadRequest) as caught:
        drafter(MODELS[0], **choices)
    assert str(caught.value) == message
