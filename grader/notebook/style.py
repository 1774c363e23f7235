"""The panel's stylesheet: scoped to the panel, in the colours of JupyterLab's theme, light or dark.

Outside JupyterLab the text keeps the page's own colour and backgrounds are see-through tints, so that the
panel reads on white and on black alike.
"""

from grader.notebook.markup import Html

_SHEET = """
.grader-panel {
  --good: var(--jp-success-color1, #2b8a3e); --bad: var(--jp-error-color1, #d6336c);
  --open: var(--jp-warn-color1, #c76a00); --quiet: var(--jp-ui-font-color2, #7b7b7b);
  --line: var(--jp-border-color2, rgba(128, 128, 128, .35));
  --mono: var(--jp-code-font-family, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  max-width: 58rem; margin: .4em 0; border: 1px solid var(--line); border-left: 5px solid var(--state, var(--quiet));
  border-radius: 4px; color: var(--jp-content-font-color1, inherit);
  font-family: var(--jp-content-font-family, system-ui, sans-serif); font-size: var(--jp-content-font-size1, 14px);
  line-height: 1.5; overflow-wrap: anywhere; position: relative;
}
.grader-panel.grader-good, & .grader-good { --state: var(--good) }
.grader-panel.grader-bad, & .grader-bad { --state: var(--bad) }
.grader-panel.grader-open, & .grader-open { --state: var(--open) }
& .grader-quiet { --state: var(--quiet) }
& header { display: flex; flex-wrap: wrap; gap: .2em 1.2em; align-items: baseline; padding: .6em 1em;
  background: color-mix(in srgb, var(--state) 10%, transparent) }
& header .grader-title { margin: 0; font-size: 1.15em; font-weight: 600; flex: 1 1 18em; color: inherit }
& header .grader-title .grader-icon { color: var(--state); margin-right: .1em }
& header p { margin: 0; color: inherit }
& .grader-points { font-weight: 600; white-space: nowrap }
& .grader-body { padding: .5em 1em .8em }
& .grader-group { margin: 1em 0 .25em; padding: 0 0 .15em; line-height: 1.4; font-size: 1em; font-weight: 600;
  display: flex; gap: .8em; border-bottom: 1px solid var(--line); color: inherit }
& .grader-group .grader-earned { margin-left: auto; font-weight: 400; color: var(--quiet); white-space: nowrap }
& p { margin: .3em 0 }
& ul.grader-checks, & ul.grader-messages { list-style: none; margin: 0; padding: 0 }
& ul.grader-checks > li { display: grid; margin: 0; padding: .22em 0;
  grid-template-columns: 11.5em minmax(0, 1fr); gap: 0 .8em }
& .grader-state { color: var(--state); font-weight: 600; white-space: nowrap }
& .grader-state .grader-icon { display: inline-block; width: 1.1em }
& .grader-found { border-left: 3px solid var(--state); padding: .1em 0 .1em .8em; margin: .3em 0 .5em }
& .grader-found > p:first-child { margin-top: 0 }
& .grader-note { color: var(--quiet) }
& dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; margin: .4em 0 }
& dt { color: var(--quiet); font-weight: 400; margin: 0; padding: 0; float: none; width: auto }
& dd { margin: 0; padding: 0; float: none; width: auto }
& code, & pre { font-family: var(--mono); font-size: .92em; color: inherit;
  background: none; padding: 0; border: 0 }
& code { background: color-mix(in srgb, currentColor 9%, transparent); padding: .08em .3em;
  border-radius: 3px }
& pre { margin: .4em 0; padding: .4em 0; overflow-x: auto; white-space: pre; line-height: 1.45;
  border: 1px solid var(--line); border-radius: 3px; overflow-wrap: normal }
& pre .grader-row { display: block; padding: 0 .7em; min-width: max-content }
& pre .grader-row.grader-marked { background: color-mix(in srgb, var(--bad) 16%, transparent) }
& pre .grader-no { display: inline-block; min-width: 3em; color: var(--quiet); user-select: none }
& pre .grader-caret { color: var(--bad); font-weight: 700 }
& table { border-collapse: collapse; margin: .4em 0; font-variant-numeric: tabular-nums; font-size: 1em }
& caption { text-align: left; color: var(--quiet); padding: 0 0 .2em }
& th, & td { padding: .2em 1.2em .2em 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); color: inherit; max-width: none; white-space: normal }
& th, & td { overflow-wrap: break-word }
& tr { background: none !important }
& th { font-weight: 600 }
& th[scope=row], & td.grader-name { font-weight: 400; white-space: nowrap }
& .grader-wide { overflow-x: auto }
& li.grader-waiting > div { color: var(--quiet) }
& td.grader-num, & th.grader-num { text-align: right }
& details { margin: .4em 0 }
& summary { cursor: pointer; color: var(--quiet) }
& summary .grader-state { color: var(--state) }
& summary:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 2px }
& footer { margin-top: .9em; padding-top: .5em; border-top: 1px solid var(--line) }
& .grader-hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 40rem) { & ul.grader-checks > li { grid-template-columns: minmax(0, 1fr) } }
"""

# `&` stands for the panel. The class stands twice so that a rule wins over JupyterLab's own for elements in an output.
STYLE = Html(f"<style>{_SHEET.replace('& ', '.grader-panel.grader-panel ')}</style>")
