"""The pictures of an audit: sound SVG with text as text, the colours of the page, the same bytes each time, and a table beside each."""

import sys
from functools import cache
from xml.etree import ElementTree

import pytest

from draftproof.audit.judgement import judge
from draftproof.errors import Unsupported
from draftproof.report import figures
from draftproof.report.judged import Judged, Standing
from draftproof.report.svg import COLOURS

from .audits import ACCEPTANCE, HOSTILE, Mixture, condition, judged_fail, judged_open, judged_pass, saying

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing):
    return ["".join(one.itertext()) for one in ElementTree.fromstring(drawing.svg).iter(f"{SVG}text")]


@cache
def drawings():
    one = Judged.of(judged_fail())
    return [
        figures.shares(one, "a"),
        figures.evidence(one, "b"),
        figures.positions(ACCEPTANCE.values, "c"),
        figures.accepted(ACCEPTANCE.values, "d"),
    ]


def test_each_has_a_text_alternative_and_a_table():
    for drawing in drawings():
        root = ElementTree.fromstring(drawing.svg)
        title, said = root[0], root[1]
        assert (title.tag, said.tag) == (f"{SVG}title", f"{SVG}desc")
        assert title.text == drawing.title
        assert said.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
        assert drawing.rows
        assert all(len(row) == len(drawing.header) for row in drawing.rows)


def test_no_two_elements_share_a_name():
    names = [one.get("id") for drawing in drawings() for one in ElementTree.fromstring(drawing.svg).iter() if one.get("id")]
    assert len(names) == len(set(names))


def test_colours_are_those_of_the_page():
    for drawing in drawings():
        assert not any(stands in drawing.svg for stands in COLOURS.values())
        assert "var(--" in drawing.svg


def test_the_same_audit_draws_the_same_bytes():
    assert drawings.__wrapped__() == drawings()


def test_every_suspect_has_a_row_and_its_name_beside_it():
    one = Judged.of(judged_pass())
    drawing = figures.shares(one, "a")
    assert [row[0] for row in drawing.rows] == [suspicion.name for suspicion in one.suspicions]
    assert {suspicion.name for suspicion in one.suspicions} <= set(texts(drawing))
    assert "0%" in texts(drawing)


def test_what_refutes_has_another_colour_than_what_is_excluded():
    passed, failed = Judged.of(judged_pass()), Judged.of(judged_fail())
    assert all(one.standing is Standing.EXCLUDED for one in passed.suspicions if one.watched)
    assert any(one.standing is Standing.REFUTES for one in failed.suspicions)
    assert "stroke: var(--bad)" not in figures.shares(passed, "a").svg
    assert "stroke: var(--bad)" in figures.shares(failed, "a").svg


def test_evidence_ends_where_the_audit_did():
    one = Judged.of(judged_open())
    drawing = figures.evidence(one, "a")
    assert drawing.rows[-1] == (f"{one.tokens:,}", f"{one.judgement.law.log_e:.2f}")
    assert "refuted above 6.9" in texts(drawing)


def test_nothing_judged_draws_nothing_wrong():
    empty = Judged.of(judge(Mixture(dies=0), condition("at once")))
    assert figures.evidence(empty, "a").rows == [("0", "0.00")]
    ElementTree.fromstring(figures.shares(empty, "b").svg)


def test_acceptance_stands_beside_what_is_known_of_it():
    drawing = figures.positions(ACCEPTANCE.values, "a")
    assert drawing.header == ("position", "reached", "observed", "predicted", "ceiling")
    assert drawing.rows[0] == ("1", "1,000", "0.7820", "0.7280", "0.7280")
    unknown = {name: values for name, values in ACCEPTANCE.values.items() if name not in ("predicted", "ceiling")}
    assert figures.positions(unknown, "a").header == ("position", "reached", "observed")


def test_hostile_names_are_text():
    (refuted, _) = saying(HOSTILE).judged
    drawing = figures.shares(refuted, "a")
    tags = {one.tag.removeprefix(SVG) for one in ElementTree.fromstring(drawing.svg).iter()}
    assert tags <= {"svg", "title", "desc", "defs", "g", "path", "use", "text", "clipPath", "rect", "tspan"}
    assert drawing.svg.isprintable()


def test_without_matplotlib_it_is_one_sentence(monkeypatch):
    one = Judged.of(judged_open())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unsupported, match=r"a page with figures needs the package matplotlib: pip install matplotlib"):
        figures.evidence(one, "a")
