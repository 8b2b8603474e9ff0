"""The page: whole in one file, no network, no script, nothing cut off or overlapping in a real browser, and text that stays text."""

import re
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from draftproof.audit.check import Check, Kind
from draftproof.errors import BadRequest, Unsupported
from draftproof.proof.campaign import Word
from draftproof.report.page import page, write

from .audits import ACCEPTANCE, HOSTILE, STATE, judged_error, judged_fail, judged_open, judged_pass, judged_skipped, report, saying
from .browser import NAMES, WIDTHS, browser, dumped, measured

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

needs_browser = pytest.mark.skipif(browser() is None, reason=f"no browser on the path: one of {', '.join(NAMES)} is needed")


class Elements(HTMLParser):
    """Every element of a page with the names of its attributes, in order, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data):
        self.text.append(data)


@cache
def with_everything() -> str:
    judgements = [judged_pass(), judged_fail(), judged_open(), judged_error(), judged_skipped()]
    return page(report(*judgements, checks=[STATE, ACCEPTANCE]))


@cache
def saying_page(text: str) -> str:
    return page(saying(text))


@pytest.fixture
def whole() -> str:
    """A page with everything that a page can have; made once."""
    return with_everything()


def test_it_loads_nothing_and_runs_nothing(whole):
    elements = Elements(whole).elements
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in elements}
    assert not any(name == "src" or name.startswith("on") for _, names in elements for name in names)
    assert set(re.findall(r"https?://[^\s\"<]*", whole)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://127.0.0.1:8000",
    }
    assert all(reference.startswith("#") for reference in re.findall(r"(?:url\(|href=\")([^\")]*)", whole))
    assert "@import" not in whole
    assert whole.startswith("<!doctype html>\n")


def test_its_policy_forbids_to_load_anything(whole):
    policy = re.search(r"Content-Security-Policy\" content=\"([^\"]*)", whole)
    assert policy
    assert policy[1].split("; ") == ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "form-action 'none'"]


def test_it_is_for_light_dark_and_paper(whole):
    assert "@media (prefers-color-scheme: dark)" in whole
    assert "@media print" in whole


def test_the_verdict_comes_first(whole):
    text = " ".join("".join(Elements(whole.partition("</style>")[2]).text).split())
    assert text.startswith("draftproof audit of an engine 1.0 ✕ FAIL The emitted tokens do not follow the target's law; likeliest: ")
    order = ["FAIL", "Law", "State and acceptance", "What this audit could not see", "Second opinions", "To repeat it"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "draftproof audit openai+http://127.0.0.1:8000 --effect 0.1" in text
    assert f"sha256 {'ab' * 32}" in text


def test_acceptance_is_drawn_where_its_numbers_are_given(whole):
    assert whole.count("<svg") == 2 * 5 + 2
    assert page(report(checks=[STATE])).count("<svg") == 0
    other = replace(ACCEPTANCE, values={**ACCEPTANCE.values, "histogram": [1, 2]})
    assert page(report(checks=[ACCEPTANCE, ACCEPTANCE, other])).count("<svg") == 4
    assert (
        page(report(checks=[replace(ACCEPTANCE, values={"position": [], "observed": [], "drafts": [], "histogram": []})])).count("<svg")
        == 0
    )


def test_a_check_stands_under_its_kind_of_evidence():
    compared = Check(Kind.LAW, "text with drafts and without", Word.PASS, "permutation p = 0.4")
    text = page(report(checks=[STATE, compared]))
    order = [text.index(part) for part in ("<h2>Law", compared.name, "<h2>State and acceptance", STATE.name)]
    assert order == sorted(order)


def test_no_two_elements_share_a_name(whole):
    names = re.findall(r"\bid=\"([^\"]*)\"", whole)
    assert len(names) == len(set(names))
    referred = re.findall(r"(?:url\(#|href=\"#)([^\")]*)", whole) + re.search(r"aria-labelledby=\"([^\"]*)", whole)[1].split()
    assert set(referred) <= set(names)


def test_the_same_audit_gives_the_same_bytes():
    assert page(report(judged_fail(), checks=[ACCEPTANCE])) == page(report(judged_fail(), checks=[ACCEPTANCE]))


def test_hostile_text_is_text():
    hostile, harmless = saying_page(HOSTILE), saying_page("harmless")
    assert Elements(hostile).elements == Elements(harmless).elements
    assert all(line.isprintable() for line in hostile.splitlines())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;/style&gt;" in hostile
    assert hostile.count("</style>") == 1


@needs_browser
def test_nothing_is_cut_off_or_overlaps(whole, tmp_path):
    found = measured(whole, tmp_path)
    assert set(found) == set(WIDTHS)
    for width in WIDTHS:
        assert found[width]["found"] == []
        assert found[width]["texts"] > 100


@needs_browser
def test_hostile_text_breaks_no_layout_and_runs_nothing(tmp_path):
    found = measured(saying_page(HOSTILE), tmp_path)
    assert [found[width]["found"] for width in WIDTHS] == [[], []]
    file = tmp_path / "page.html"
    file.write_text(saying_page(HOSTILE), encoding="utf-8")
    assert "<script" not in dumped(file, tmp_path)


@needs_browser
def test_what_is_cut_off_or_overlaps_is_noticed(tmp_path):
    faulty = (
        '<!doctype html><body style="margin:0"><div style="width:100px;overflow:hidden">unbreakable-' + "x" * 300 + "</div>"
        '<p style="width:1500px">wide</p><svg viewBox="0 0 100 50" width="100" height="50"><text x="90" y="20">leaves</text>'
        '<text x="5" y="20">one</text><text x="6" y="22">two</text></svg>'
    )
    found = measured(faulty, tmp_path)
    for width in WIDTHS:
        kinds = {line.partition(":")[0] for line in found[width]["found"]}
        assert kinds == {"wider than the window", "cut off", "outside", "overlaps"}


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    write(tmp_path / "report.html", report(checks=[STATE]))
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page(report(checks=[STATE]))
    with pytest.raises(BadRequest, match=r"cannot write .*: Is a directory"):
        write(tmp_path, report(checks=[STATE]))


def test_without_jinja2_it_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Unsupported, match=r"an HTML page needs the package jinja2: pip install jinja2"):
        page(report(checks=[STATE]))
