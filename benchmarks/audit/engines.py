"""Real engines audited end to end on a tiny pair: `python benchmarks/audit/engines.py [name ...]`.

Each line is one audit as `draftproof audit` runs it: law, acceptance and state. Then the same audit of our own engine with
five planted faults.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from planted import FAULTS

from draftproof.audit.conditions import PROMPTS, conditions
from draftproof.audit.engines.own import Own
from draftproof.audit.judgement import Audit, Judgement
from draftproof.audit.law.plan import Goal
from draftproof.audit.running import run
from draftproof.audit.subject import Subject, Wanted, subject
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.proof.campaign import Word
from draftproof.tree import Tree
from draftproof.verify import Independent

AUDITS = {
    "llama.cpp, plain": Wanted("llamacpp:tiny"),
    "llama.cpp, greedy drafts": Wanted("llamacpp:tiny", draft="tiny"),
    "llama.cpp, probabilistic drafts": Wanted("llamacpp:tiny", draft="tiny", probabilistic=True),
    "transformers, plain": Wanted("hf:tiny"),
    "transformers, assistant": Wanted("hf:tiny", draft="tiny"),
    "draftproof": Wanted("draftproof:tiny", draft="tiny"),
}
GOAL = Goal(effect=0.1)


def main(*chosen: str) -> None:
    with TemporaryDirectory() as folder:
        for name, wanted in AUDITS.items():
            if not chosen or name.startswith(chosen):
                show(name, subject(wanted, folder=Path(folder)))
        own = subject(AUDITS["draftproof"], folder=Path(folder))
        judged_by = own.judge()
        for name, rule in FAULTS.items():
            if not chosen or "planted".startswith(chosen):
                drafter = ModelDrafter(judged_by.draft.model, Tree.chain(3))
                faulty = Own(Decoder(judged_by.target.model, drafter, Independent(rule)), drafts="the tiny draft")
                show(f"draftproof, planted: {name}", replace(own, engine=faulty))


def show(name: str, found: Subject) -> None:
    began = time.perf_counter()
    with found.engine as engine:
        audit = Audit(engine.facts)
        judged_by = found.judge()
        planned = conditions(judged_by, {"dialect": found.dialect}, (), PROMPTS, GOAL, seed=0)
        for one in run(engine, judged_by, planned, drafting=found.drafting, promises_seeds=found.promises_seeds):
            (audit.judgements if isinstance(one, Judgement) else audit.checks).append(one)
    law = audit.judgements[0]
    others = [f"{check.kind} {check.name} {check.word}" for check in audit.checks if check.word not in (Word.PASS, Word.SKIPPED)]
    print(
        f"{name}: {law.word}, {law.law.tokens} of {law.condition.plan.tokens} tokens, {law.counters.accepted} of {law.counters.drafted} "
        f"accepted, log e {law.law.log_e:.1f}, {time.perf_counter() - began:.0f} s; "
        f"{sum(check.word is Word.PASS for check in audit.checks)} checks PASS{'; ' + ', '.join(others) if others else ''}. {law.reason}",
        flush=True,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
