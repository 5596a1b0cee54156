# SPDX-License-Identifier: BSD-3-Clause
"""Pages as a browser lays them out, at several widths: what is cut off, and which texts of figures overlap."""

import contextlib
import functools
import html
import http.server
import json
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

CHROMIUM = shutil.which("chromium")
WIDTHS = (360, 800, 1600)

# Frames are as wide as windows; the last one that has loaded lets the page load, whose text is the answer.
PAGE = """<!doctype html><meta charset="utf-8"><body>%(frames)s<script>
const within = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
  inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
const named = element => element.tagName.toLowerCase() + " '" + element.textContent.trim().slice(0, 40) + "'";
const isShown = element => element.getClientRects().length > 0 &&
  element.ownerDocument.defaultView.getComputedStyle(element).visibility !== "hidden";
function scrolls(element) {
  for (let each = element; each; each = each.parentElement) {
    const style = each.ownerDocument.defaultView.getComputedStyle(each);
    if (style.overflowX !== "visible" || style.position === "fixed") return true;
  }
  return false;
}
// The corners of a text, which may be turned.
function cornersOf(text) {
  const box = text.getBBox(), matrix = text.getScreenCTM();
  return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height], [box.x, box.y + box.height]]
    .map(([x, y]) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f]);
}
// How far one would have to be moved to leave the other, along a side of either.
function depthOfOverlap(first, second) {
  let least = Infinity;
  for (const corners of [first, second])
    for (const side of [0, 1]) {
      const x = corners[side + 1][0] - corners[side][0], y = corners[side + 1][1] - corners[side][1];
      const length = Math.hypot(x, y) || 1;
      const along = corners => corners.map(corner => (corner[0] * x + corner[1] * y) / length);
      const [a, b] = [along(first), along(second)];
      least = Math.min(least, Math.max(...a) - Math.min(...b), Math.max(...b) - Math.min(...a));
    }
  return least;
}
function faultsOfFigure(figure) {
  const faults = [], box = figure.getBoundingClientRect();
  const texts = [...figure.querySelectorAll("text")].filter(text => isShown(text) && text.textContent.trim());
  const corners = texts.map(cornersOf);
  texts.forEach((text, i) => {
    if (!within(text.getBoundingClientRect(), box)) faults.push(named(text) + " is cut");
    const height = Math.hypot(corners[i][3][0] - corners[i][0][0], corners[i][3][1] - corners[i][0][1]);
    for (let j = 0; j < i; ++j)
      if (depthOfOverlap(corners[i], corners[j]) > %(most_overlap)s * height)
        faults.push(named(text) + " overlaps " + named(texts[j]));
  });
  return faults;
}
function faultsOf(frame) {
  const page = frame.contentDocument, width = frame.contentWindow.innerWidth, faults = [];
  const root = page.scrollingElement || page.documentElement;
  if (page.body && root.scrollWidth > width) {
    faults.push("is " + root.scrollWidth + " wide");
    for (const element of page.body.querySelectorAll("*"))
      if (element.getBoundingClientRect().right > width + 1 && isShown(element) && !scrolls(element))
        faults.push(named(element) + " is cut");
  }
  for (const element of page.body ? page.body.querySelectorAll("h1, h2, h3, p, li, td, th, dt, dd, figcaption") : []) {
    const style = frame.contentWindow.getComputedStyle(element);
    if (["hidden", "clip"].includes(style.overflowX) && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
      faults.push(named(element) + " is cut");
  }
  const figures = page.documentElement.tagName === "svg" ? [page.documentElement] : page.querySelectorAll("svg");
  for (const figure of figures) faults.push(...faultsOfFigure(figure));
  return faults;
}
window.addEventListener("load", () => {
  const answer = [...document.querySelectorAll("iframe")].map(
    frame => ({page: frame.dataset.page, width: frame.contentWindow.innerWidth,
               texts: frame.contentDocument.documentElement.textContent.length, faults: faultsOf(frame)}));
  document.body.textContent = "";
  const result = document.createElement("pre");
  result.id = "answer";
  result.textContent = JSON.stringify(answer);
  document.body.append(result);
});
</script>"""

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder: Path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def faults_of_pages(folder: Path, pages: list[str], widths: tuple[int, ...] = WIDTHS) -> list[str]:
    """Of pages or pictures in a folder, which gets a page of its own meanwhile, what is wrong at each width."""
    frames = "".join(
        f'<iframe data-page="{html.escape(page)}" src="{html.escape(page)}" style="width: {width}px; height: 900px; border: 0"></iframe>'
        for page in pages
        for width in widths
    )
    harness = folder / "rendered.html"
    harness.write_text(PAGE % {"frames": frames, "most_overlap": 0.25}, encoding="utf-8")
    with tempfile.TemporaryDirectory() as profile, served(folder) as address:
        done = subprocess.run(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", f"{address}/{harness.name}"],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    harness.unlink()
    answer = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert answer, done.stderr
    results = json.loads(html.unescape(answer[1]))
    assert [(each["page"], each["width"]) for each in results] == [(p, w) for p in pages for w in widths]
    assert all(each["texts"] > 0 for each in results)
    return [f"{each['page']} at {each['width']}: {fault}" for each in results for fault in each["faults"]]
