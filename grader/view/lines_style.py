"""The stylesheet of the counters beside the source, in the colours of JupyterLab's theme where there is one."""

_SHEET = """
& { color: var(--jp-content-font-color1, currentColor); overflow-x: auto; font-size: 13px }
& table { border-collapse: collapse; margin: .3em 0; font-variant-numeric: tabular-nums; font-size: 12.5px }
& caption { text-align: left; font-weight: 600; padding: 0 0 .3em; color: inherit; caption-side: top }
& tr { background: none !important }
& th, & td { padding: 1px .35em; text-align: right; border: 0; color: inherit; vertical-align: bottom; max-width: none;
  white-space: nowrap }
& thead th { font-weight: 400; font-size: 11.5px; color: var(--jp-ui-font-color2, #777); white-space: normal;
  max-width: 6em }
& thead tr:last-child th { border-bottom: 1px solid var(--jp-border-color2, #8886) }
& thead th[scope=colgroup] { text-align: center; font-weight: 600 }
& tbody th, & tbody td { vertical-align: baseline }
& tbody th { font-weight: 400; color: var(--jp-ui-font-color2, #777) }
& .grader-source { text-align: left; padding-left: 1em; border-left: 1px solid var(--jp-border-color2, #8886) }
& code { font-family: var(--jp-code-font-family, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  font-size: 12px; white-space: pre; background: none !important; color: inherit; padding: 0 }
& td span { display: block; min-width: 3.4em; padding: 0 .3em 4px;
  background: linear-gradient(to left, #2f7fc1 var(--share), transparent var(--share)) bottom / 100% 3px no-repeat }
& p { margin: .2em 0; font-size: 11.5px; color: var(--jp-ui-font-color2, #777) }
"""
# `&` stands for the table. The class stands twice so that a rule wins over JupyterLab's own.
STYLE = f"<style>{_SHEET.replace('& ', '.grader-lines.grader-lines ')}</style>"
