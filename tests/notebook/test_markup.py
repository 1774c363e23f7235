import pytest

from grader.notebook.markup import Html, code, join, prose, tag


def test_text_is_escaped_and_html_is_not():
    assert tag("p", "a < b & \"c\"", tag("b", "<i>")) == "<p>a &lt; b &amp; &quot;c&quot;<b>&lt;i&gt;</b></p>"


def test_classes_get_the_prefix():
    assert tag("i", class_="row  marked") == '<i class="grader-row grader-marked"></i>'


def test_attributes_are_escaped_named_and_dropped():
    made = tag("td", class_='x"y', aria_label="<", title=None, hidden=True, open=False)
    assert made == '<td class="grader-x&quot;y" aria-label="&lt;" hidden></td>'


@pytest.mark.parametrize(
    "text, html",
    [
        ("use `a<b>` here", "use <code>a&lt;b&gt;</code> here"),
        ("an odd ` mark <i>", "an odd ` mark &lt;i&gt;"),
        ("`a` and `b`", "<code>a</code> and <code>b</code>"),
    ],
)
def test_prose_marks_code_and_nothing_else(text, html):
    made = prose(text)
    assert made.replace("<code></code>", "") == html and isinstance(made, Html)


def test_join_opens_lists_and_leaves_nothing_for_none():
    assert join("<", None, ["a", (code("&"),)]) == "&lt;a<code>&amp;</code>"
