"""HTML that cannot be injected into: every text becomes an element through ``tag``, which escapes it."""

from __future__ import annotations

from html import escape

# Every class in the output begins with it: JupyterLab and its extensions bring whole style frameworks, whose rules
# for names such as "row" and "caret" would hit ours.
PREFIX = "grader-"


class Html(str):
    """Text that is HTML already. Only this module and the stylesheet make it from literals."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Html:
    """One element. Children that are not ``Html`` are escaped; ``None`` and ``""`` leave nothing behind.

    An attribute named like a Python word takes a trailing underscore (``class_``); ``aria_label`` becomes
    ``aria-label``; ``True`` gives an attribute without a value, ``None`` and ``False`` none. Each class gets the
    project's prefix: ``class_="row marked"`` becomes ``class="grader-row grader-marked"``.
    """
    written = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        if key == "class":
            value = " ".join(PREFIX + name for name in str(value).split())
        written += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: object) -> Html:
    """Children one after another, each escaped unless it is ``Html``; lists and tuples are opened up."""
    parts = []
    for child in children:
        if child is None:
            continue
        if isinstance(child, list | tuple):
            parts.append(join(*child))
        else:
            parts.append(child if isinstance(child, Html) else escape(str(child)))
    return Html("".join(parts))


def heading(level: int, *children: object, class_: str) -> Html:
    """A heading for those who navigate by them. An ``<h3>`` would get JupyterLab's anchor link beside its text."""
    return tag("div", *children, class_=class_, role="heading", aria_level=level)


def table(head: Html, rows: list[Html]) -> Html:
    """A table that scrolls by itself where the page is too narrow for it."""
    return tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="wide")


def code(text: object) -> Html:
    return tag("code", text)


def prose(text: str) -> Html:
    """A sentence in which `backquotes` mark code, as in Markdown."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # an odd backquote: no marks at all
        return join(text)
    return join(*(code(piece) if odd % 2 else piece for odd, piece in enumerate(pieces)))
