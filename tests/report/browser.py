"""A page measured in a real browser, at the width of a desk and of a phone."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")

WIDTHS = (1280, 390)

MEASURE = r"""
<script>
addEventListener("load", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = [], say = (what, one) => found.push(what + ": " + one.tagName + " " + one.textContent.trim().slice(0, 60));
  const hidden = one => one.closest("thead") && getComputedStyle(one.closest("thead")).clipPath !== "none";
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const one of document.body.querySelectorAll("*")) {
    if (one.closest("svg") || hidden(one) || !one.clientWidth) continue;
    if (one.scrollWidth > one.clientWidth + 1) say("cut off", one);
  }
  for (const svg of document.querySelectorAll("svg")) {
    const edge = svg.getBoundingClientRect(), boxes = [];
    if (!edge.width || !edge.height) say("not shown", svg);
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      const beside = box.left < edge.left - 1 || box.right > edge.right + 1, above = box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
      if (beside || above) say("outside", text);
      for (const other of boxes) {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > 1 && down > 1) say("overlaps", text);
      }
      boxes.push(box);
    }
  }
  parent.postMessage({width: innerWidth, found, texts: document.querySelectorAll("svg text").length}, "*");
});
</script>
"""

OUTER = """<!doctype html><body><pre id="found"></pre><script>
const all = [];
addEventListener("message", event => { all.push(event.data); document.getElementById("found").textContent = JSON.stringify(all); });
</script>"""


def browser() -> str | None:
    """The browser of this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def measured(page: str, folder: Path) -> dict[int, dict]:
    """What is cut off, outside or overlapping at each width. The page is measured in a copy that may run a script of ours."""
    copy = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page) + MEASURE
    (folder / "copy.html").write_text(copy, encoding="utf-8")
    frames = "".join(f'<iframe src="copy.html" style="width:{width}px;height:900px;border:0"></iframe>' for width in WIDTHS)
    (folder / "outer.html").write_text(OUTER + frames, encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', dumped(folder / "outer.html", folder), re.DOTALL)
    assert found, "the browser showed no page"
    return {one["width"]: one for one in json.loads(unescape(found[1]))}


def dumped(file: Path, folder: Path) -> str:
    """The document as the browser has it when all is loaded."""
    name = browser()
    assert name, "there is no browser"
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000"]
    command = [name, *options, "--virtual-time-budget=10000", "--dump-dom", file.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout
