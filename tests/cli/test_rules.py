"""`draftproof rules`: every rule of the catalogue, for a reader and for a program."""

import json

from draftproof.catalogue import CATALOGUE

from .conftest import Command


def test_every_rule_is_listed_with_what_it_needs(run: Command) -> None:
    done = run("rules")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.split()}
    for entry in CATALOGUE.values():
        assert ("exact" if entry.exact else "declared") in lines[entry.name]
        assert ("needs q" in lines[entry.name]) is entry.needs_draft_law
        assert ("tree" if entry.siblings else "chain") in lines[entry.name]
        assert entry.cost in done.out
        assert entry.source in done.out
        assert entry.law.removeprefix("declared: ") in done.out


def test_a_program_reads_the_same(run: Command) -> None:
    done = run("rules", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["kind"] == "rules"
    assert [rule["name"] for rule in found["rules"]] == list(CATALOGUE)
    by_name = {rule["name"]: rule for rule in found["rules"]}
    assert by_name["rejection"]["draft"] == "chain"
    assert by_name["rejection"]["siblings"] is None
    assert by_name["rejection"]["needs_draft_law"] is True
    assert by_name["match"]["needs_draft_law"] is False
    assert by_name["top_plus_one"]["siblings"] == "top_plus_one"
    assert by_name["lenience"]["exact"] is False
