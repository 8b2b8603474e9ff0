"""Our own decoder as an audited engine, and a log as one."""

import numpy as np

from draftproof.audit.acceptance.contradictions import contradictions
from draftproof.audit.engines.logged import Logged
from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Ask, Audited, Tier
from draftproof.audit.logs.record import Record
from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.models.table import TableModel
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree

RULES = SamplingParams()


def own() -> Own:
    random = np.random.default_rng(0)
    target, draft = (TableModel(random.dirichlet(np.ones(5), size=(5, 5))) for _ in range(2))
    decoder = Decoder(target, ModelDrafter(draft, Tree.chain(2)), find(["rejection"])[0].verification)
    return Own(decoder, drafts="a table", params=Verbatim(), together=3)


def asks(count: int, seed: int | None = 0) -> list[Ask]:
    return [Ask(number, (1, 2), RULES, 9, None if seed is None else seed + number) for number in range(count)]


def test_every_request_is_answered_with_all_its_rounds() -> None:
    engine = own()
    assert isinstance(engine, Audited)
    found = list(engine.answers(asks(20)))
    assert [answer.number for answer in found] == list(range(20))
    assert all(len(answer.tokens) == 9 and answer.rounds and not contradictions(answer) for answer in found)
    assert 0 < sum(answer.accepted or 0 for answer in found) < sum(answer.drafted or 0 for answer in found)
    assert max(len(answer.rounds or ()) for answer in found) > 1


def test_a_seed_fixes_an_answer_and_no_seed_gives_fresh_ones() -> None:
    engine = own()
    assert [one.tokens for one in engine.answers(asks(7))] == [one.tokens for one in engine.answers(asks(7))]
    unseeded = [one.tokens for _ in range(2) for one in engine.answers(asks(20, None))]
    assert len(set(unseeded)) > 35


def test_a_log_answers_what_it_has_recorded() -> None:
    records = [Record(prompt_ids=(1,), output_ids=(2, 3, 4), params=RULES, log_probs=(-1.0, -2.0, -3.0), drafted=4, accepted=1)] * 2
    log = Logged(records, "a log")
    assert isinstance(log, Audited)
    assert (log.facts.tier, bool(log.facts.drafts)) == (Tier.TOKENS, True)
    whole, cut = (next(log.answers([Ask(1, (1,), RULES, length)])) for length in (3, 2))
    assert (whole.tokens, whole.log_probs, whole.drafted, whole.accepted) == ((2, 3, 4), (-1.0, -2.0, -3.0), 4, 1)
    assert (cut.tokens, cut.log_probs, cut.drafted, cut.accepted) == ((2, 3), (-1.0, -2.0), None, None)
