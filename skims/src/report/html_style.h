// SPDX-License-Identifier: BSD-3-Clause
// How pages look: light and dark, on screens of any width and on paper.
#pragma once

namespace skimline::skims {

/// A style sheet. The first six colours of series are those of Petroff (arXiv:2107.02270), told apart by most
/// eyes.
inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --shade: #f6f8fa;
  --link: #0550ae; --good: #116329; --bad: #a40e26; --key: #0550ae; --text: #0a5c36; --number: #8a3b00;
  --c0: #5790fc; --c1: #f89c20; --c2: #e42536; --c3: #964a8b; --c4: #9c9ca1; --c5: #7a21dd; --c6: #2f8f5b; --c7: #b07d3a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9da7b1; --rule: #30363d; --shade: #161b22; --link: #79b8ff;
    --good: #56d364; --bad: #ff8182; --key: #79b8ff; --text: #7ee2a8; --number: #ffb77c; --c5: #a371f7; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { line-height: 1.2; margin: 0; }
h2 { border-top: 1px solid var(--rule); padding-top: 1rem; margin-top: 2rem; }
nav ul, .legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .good, .bad { font-weight: 600; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .25rem; }
th, td { padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; overflow-wrap: normal; }
td, thead th:not(:first-child) { text-align: right; white-space: nowrap; }
thead th { white-space: normal; min-width: 4rem; }
tbody th { text-align: left; font-weight: normal; min-width: 8rem; }
.texts td, .texts thead th { text-align: left; white-space: normal; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figure h3 { margin: .5rem 0; font-size: 1rem; }
svg { display: block; width: 100%; max-width: 46rem; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; text-anchor: middle; }
svg .index { font-size: 10px; }
svg .label { text-anchor: start; } svg .end { text-anchor: end; }
.frame, .mark, .line, .error { fill: none; stroke: var(--ink); }
.line { stroke: var(--own); stroke-width: 1.8; } .series .error { stroke: var(--own); }
.layer { fill: var(--own); stroke: var(--paper); stroke-width: .5; }
.signal .line { stroke-dasharray: 6 3; }
.point, .cell { fill: var(--own, var(--ink)); } .cell.negative { fill: var(--c2); }
.band { fill: var(--soft); fill-opacity: .35; } .guide { stroke: var(--soft); stroke-dasharray: 3 3; }
.variation { --own: var(--c2); } .variation.v1 { --own: var(--c0); } .variation.v1 .line { stroke-dasharray: 5 3; }
.ratio .error { stroke: var(--own); }
.key { display: inline-block; width: 1rem; height: .7rem; margin-right: .35rem; background: var(--own); }
.key.data { border-radius: 50%; width: .7rem; } .key.signal { height: .2rem; margin-bottom: .2rem; }
.key.total { background: var(--soft); opacity: .5; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--link); }
pre { background: var(--shade); padding: 1rem; overflow-x: auto; white-space: pre-wrap; font-size: .875rem; }
.k { color: var(--key); } .s { color: var(--text); } .n { color: var(--number); }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #555; --rule: #bbb; --shade: #fff; --link: #000; }
  body { max-width: none; padding: 0; font-size: 9pt; } nav, .skip { display: none; }
  .scroll { overflow: visible; } td { white-space: normal; } h2, h3, caption { break-after: avoid; }
}
)css";

}  // namespace skimline::skims
