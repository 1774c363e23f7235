"""How the index looks. Colours are JupyterLab's own, so that light and dark themes both fit."""

STYLE = """
.tpc { max-width: 54rem; line-height: 1.5; color: var(--jp-ui-font-color1, #222);
  font-family: var(--jp-ui-font-family, sans-serif); }
.tpc h2 { font-size: 1rem; font-weight: 600; margin: 1.6rem 0 .5rem; color: var(--jp-ui-font-color2, #666); }
.tpc h3 { font-size: 1.1rem; margin: 0 0 .2rem; }
.tpc p { margin: .15rem 0; }
.tpc a { color: var(--jp-content-link-color, #0b62c4); text-decoration: none; }
.tpc a:hover { text-decoration: underline; }
.tpc .small { font-size: .85rem; color: var(--jp-ui-font-color2, #666); }
.tpc .next, .tpc .chapter { border: 1px solid var(--jp-border-color2, #ccc); border-radius: 8px;
  padding: .8rem 1rem; margin: .5rem 0; background: var(--jp-layout-color1, #fff); }
.tpc .next { border-left: 4px solid #76b900; }
.tpc .bar { height: 6px; margin: .5rem 0 .2rem; border-radius: 3px;
  background: var(--jp-layout-color3, #ddd); }
.tpc .bar div { height: 6px; border-radius: 3px; background: #76b900; }
.tpc .graph { display: block; width: 100%; margin: 1rem 0 0; font-size: 13px; }
.tpc .graph rect { fill: var(--jp-layout-color1, #fff); stroke: var(--jp-border-color1, #bbb); }
.tpc .graph text { fill: var(--jp-ui-font-color1, #222); }
.tpc .graph path { fill: none; stroke: var(--jp-ui-font-color2, #888); }
.tpc .graph .head { fill: var(--jp-ui-font-color2, #888); stroke: none; }
.tpc .graph .done rect { stroke: #76b900; stroke-width: 2; }
.tpc .graph .full rect { fill: #76b90055; }
.tpc .chapter { display: flex; gap: 1rem; }
.tpc .number { font-size: 1.6rem; font-weight: 300; min-width: 2.2rem; text-align: right;
  color: var(--jp-ui-font-color2, #666); }
.tpc ul.plain { list-style: none; padding: 0; margin: .4rem 0 0; }
.tpc li { margin: .1rem 0; }
.tpc li > span:first-child { display: inline-block; width: 1.2rem; text-align: center; }
.tpc li.done > span:first-child { color: #5b9000; font-weight: 700; }
.tpc .notice { padding: .5rem .8rem; border-radius: 6px; border: 1px solid var(--jp-warn-color1, #c77700); }
"""
