"""The page of a benchmark: in the frame of every page, whole, nothing cut off or overlapping, and text that stays text."""

import re
from functools import cache

import pytest

from draftproof.errors import BadRequest
from draftproof.report.bench_page import bench_page, write

from .audits import HOSTILE
from .benches import alone, lookup, report, saying, with_everything
from .browser import NAMES, WIDTHS, browser, dumped, measured
from .test_page import Elements

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

needs_browser = pytest.mark.skipif(browser() is None, reason=f"no browser on the path: one of {', '.join(NAMES)} is needed")


@cache
def whole() -> str:
    return bench_page(with_everything())


@cache
def saying_page(text: str) -> str:
    return bench_page(saying(text))


def test_it_loads_nothing_and_runs_nothing():
    elements = Elements(whole()).elements
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in elements}
    assert not any(name == "src" or name.startswith("on") for _, names in elements for name in names)
    assert set(re.findall(r"https?://[^\s\"<]*", whole())) == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "default-src 'none'; style-src 'unsafe-inline'" in whole()
    assert whole().startswith("<!doctype html>\n")


def test_the_parts_come_in_order_and_the_tables_share_no_headline():
    text = " ".join("".join(Elements(whole().partition("</style>")[2]).text).split())
    parts = [
        "Speed of smollm2",
        "speed alone",
        "One request",
        "Service how much",
        "Tail how long",
        "Not measured",
        "Predicted and observed",
    ]
    parts += ["What these numbers do not show", "To repeat it", "draftproof bench smollm2", "Speed is no verdict"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert whole().count("<h2>") == 7


def test_a_refusal_is_a_sentence_beside_no_number():
    text = " ".join("".join(Elements(bench_page(report(*alone(widths=(1,)), noise_limit=1e-6))).text).split())
    assert f"No speed-up of {lookup(1)}: the machine was too noisy" in text


def test_why_nothing_is_predicted_stands_where_it_would():
    page = bench_page(report(*alone(), settings=[("passes", "[1]")]))
    assert page.index("Predicted and observed") < page.index("Nothing is predicted: ") < page.index("What these numbers do not show")
    assert "Nothing is predicted" not in whole()


def test_no_two_elements_share_a_name():
    names = re.findall(r"\bid=\"([^\"]*)\"", whole())
    assert len(names) == len(set(names))
    referred = re.findall(r"(?:url\(#|href=\"#)([^\")]*)", whole()) + re.findall(r"aria-labelledby=\"([^\" ]*)", whole())
    assert set(referred) <= set(names)


def test_the_same_runs_give_the_same_bytes():
    assert bench_page(report(*alone())) == bench_page(report(*alone()))


def test_hostile_text_is_text():
    hostile, harmless = saying_page(HOSTILE), saying_page("harmless")
    assert Elements(hostile).elements == Elements(harmless).elements
    assert all(line.isprintable() for line in hostile.splitlines())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;/style&gt;" in hostile
    assert hostile.count("</style>") == 1


@needs_browser
def test_nothing_is_cut_off_or_overlaps(tmp_path):
    found = measured(whole(), tmp_path)
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


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    write(tmp_path / "report.html", report(*alone()))
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == bench_page(report(*alone()))
    with pytest.raises(BadRequest, match=r"cannot write .*: Is a directory"):
        write(tmp_path, report())
