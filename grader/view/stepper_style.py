"""The stepper's stylesheet, in the colours of JupyterLab's theme where there is one, of the page elsewhere."""

_SHEET = """
& { --ink: var(--jp-content-font-color1, currentColor); --quiet: var(--jp-ui-font-color2, #777);
  --line: var(--jp-border-color2, #8886); --fill: #2f7fc1; --now: color-mix(in srgb, #2f7fc1 18%, transparent);
  --mono: var(--jp-code-font-family, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  color: var(--ink); max-width: 60rem; font-size: 13px; line-height: 1.45; border: 1px solid var(--line);
  border-radius: 4px; padding: .4em .8em .6em; box-sizing: border-box }
& p { margin: .35em 0; padding: 0 }
& small, & figcaption { font-size: 11.5px; color: var(--quiet) }
& code { font-family: var(--mono); font-size: .95em; background: none !important; color: inherit; padding: 0 }
& .grader-where { display: flex; justify-content: space-between; gap: 1em; flex-wrap: wrap }
& .grader-where span { color: var(--quiet) }
& pre { font-family: var(--mono); font-size: 12.5px; line-height: 1.5; margin: .3em 0; padding: .25em 0;
  background: none;  color: inherit; border: 0; overflow-x: auto; white-space: pre }
& .grader-row { display: block; min-width: max-content; padding: 0 .4em 0 0 }
& .grader-row i { display: inline-block; font-style: normal; width: 1.5em; text-align: center }
& .grader-row i.grader-no { width: 2.2em; text-align: right; padding-right: 1em; color: var(--quiet);
  user-select: none }
& .grader-row.grader-now { background: var(--now); font-weight: 700 }
& .grader-lanes { display: grid; grid-template-columns: repeat(32, minmax(0, 1fr)); gap: 2px; margin: .5em 0 .2em }
& .grader-lanes span { text-align: center; font: 11px/20px var(--mono); height: 20px; border-radius: 2px;
  overflow: hidden }
& .grader-runs { background: var(--fill); color: white; border: 1px solid var(--fill) }
& .grader-idle { border: 1px solid var(--fill) }
& .grader-waits { border: 1px dashed var(--quiet); color: var(--quiet) }
& .grader-ended { color: var(--quiet); text-decoration: line-through; border: 1px solid transparent }
& .grader-key { display: flex; gap: 1.4em; flex-wrap: wrap; font-size: 11.5px; color: var(--quiet); margin-top: 0 }
& .grader-key i { display: inline-block; width: 12px; height: 12px; line-height: 11px; font-style: normal;
  text-align: center; vertical-align: -2px; margin-right: .4em; box-sizing: border-box; text-decoration: none }
& .grader-register { margin: .6em 0 .1em }
& table { border-collapse: separate; border-spacing: 1px; table-layout: fixed; width: 100%; margin: 0;
  font-size: inherit }
& tr { background: none !important }
& th, & td { font: 11.5px/1.35 var(--mono); padding: 1px 3px; border: 0; text-align: right; overflow: hidden;
  color: inherit; white-space: nowrap; max-width: none; vertical-align: top }
& .grader-values td { border: 1px solid var(--line); border-radius: 2px }
& .grader-values small { display: block; font-size: 9.5px; line-height: 1; text-align: left }
& .grader-memory { border-top: 1px solid var(--line); margin-top: .7em; padding-top: .3em }
& .grader-request { font-weight: 600 }
& .grader-sectors { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 2px 1.5em;
  margin: .2em 0 }
& .grader-sector { display: flex; gap: 2px; align-items: center }
& .grader-sector small { flex: 0 0 6.2em; text-align: right; padding-right: .6em; white-space: nowrap }
& .grader-sector span { flex: 1 1 0; min-width: 0; height: 18px; font: 11px/18px var(--mono); text-align: center;
  border-radius: 2px; box-sizing: border-box; overflow: hidden }
& .grader-sector .grader-runs, & .grader-sector .grader-outside { line-height: 16px }
& .grader-outside { border: 1px solid var(--jp-error-color1, #d6336c); color: inherit;
  text-decoration: line-through 2px;  background: color-mix(in srgb, #d6336c 14%, transparent) }
& .grader-free { border: 1px dotted var(--quiet) }
& .grader-banks th { font-weight: 400; color: var(--quiet); text-align: center; font-size: 10px; padding: 0 }
& .grader-banks th:first-child { width: 3.2em; text-align: right; padding-right: .5em }
& .grader-banks td { text-align: center; padding: 0; font-size: 10.5px; line-height: 16px; height: 18px;
  border-radius: 2px }
& .grader-banks td.grader-free { border: 1px dotted var(--line) }
& .grader-banks td.grader-runs { color: white }
& .grader-fault { border-left: 4px solid var(--jp-error-color1, #d6336c); padding: .2em .6em; margin: .6em 0;
  background: color-mix(in srgb, #d6336c 10%, transparent) }
& details { margin-top: .5em }
& summary { cursor: pointer; color: var(--quiet) }
& .grader-ptx { color: var(--quiet) }
.widget-html-content:has(> .grader-step) { min-width: 0 }
"""
# `&` stands for the frame. The class stands twice so that a rule wins over JupyterLab's own.
# The last rule is for a narrow notebook: the source scrolls, not the frame.
STYLE = f"<style>{_SHEET.replace('& ', '.grader-step.grader-step ')}</style>"
