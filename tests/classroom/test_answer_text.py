"""An answer in words is shown with a little formatting, and nothing in it can run, load or be clicked."""

import re
from html.parser import HTMLParser

import hostile_markdown
import pytest

from grader.classroom.answer_text import LONGEST, inert, readable, to_html

TAGS = {"div", "p", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em"}


class Seen(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def seen(html):
    parser = Seen()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.parametrize("evil", hostile_markdown.ALL)
def test_only_our_own_tags_are_left(evil):
    for text in (evil, f"Because\n\n{evil}\n\nof NaN", f"- {evil}", f"> {evil}", f"**a** {evil} `b`"):
        html = to_html(text)
        found = seen(html)
        assert "\n" not in html and {tag for tag, _ in found.tags} <= TAGS
        assert found.tags[0] == ("div", [("class", "mathjax_ignore tex2jax_ignore answer")])
        assert not any(attributes for _, attributes in found.tags[1:])


@pytest.mark.parametrize("evil", hostile_markdown.ALL)
def test_nbconvert_and_a_markdown_reader_leave_it_as_it_is(evil):
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    ours, theirs = to_html(evil), markdown2html_mistune(to_html(evil))
    assert seen(theirs).text.strip() == seen(ours).text.strip()
    assert [tag for tag, _ in seen(theirs).tags] == [tag for tag, _ in seen(ours).tags]


def test_what_an_answer_needs():
    html = to_html("# Why\nIt is **not** *so*: `a*b`.\n\n- one\n- two\n\n1. first\n\n> said\n\n```cpp\nif (a < b)\n```")
    found = seen(html)
    assert [tag for tag, _ in found.tags] == [
        "div", "h4", "p", "strong", "em", "code", "ul", "li", "li", "ol", "li", "blockquote", "p", "pre", "code",
    ]  # fmt: skip
    assert "a*b" in found.text and "if (a < b)" in found.text and "It is not so" in found.text


def test_indented_code_and_tables_keep_their_lines():
    assert seen(to_html("x\n\n    a\n      b\n\n| a | b |\n|---|---|")).text == "x    a\n      b| a | b |\n|---|---|"


def test_what_is_not_understood_is_shown_as_it_was_typed():
    typed = r"See [this](https://x.org/a_b) and $\frac{a}{b}$, 2 * 3 * 4, snake_case_name, \*not italic\*"
    assert seen(to_html(typed)).text == typed.replace("\\*", "*")
    assert not re.search(r"<(a|em)\b", to_html(typed))


def test_nothing_turns_the_direction_of_text_or_rings_a_bell():
    assert readable("a\u202eb\u2066c\x07d\x9be") == "a\ufffdb\ufffdc d e"


def test_a_long_answer_is_cut_and_says_so():
    assert "the answer is longer" in to_html("x" * (LONGEST + 1))
    assert "the answer is longer" not in to_html("x" * LONGEST)


@pytest.mark.parametrize(
    "unit", ["*a ", "`a``b", "**", "_a ", "> - # ", "- \n", "~~~\n```\n", "# " + " " * 500, "[", "<", "$", "\n", "| "]
)
def test_a_text_made_to_take_long_does_not(unit):
    """With anything that grows faster than the text this test would not come to an end."""
    assert len(to_html(unit * (LONGEST // len(unit)))) < 10 * LONGEST


def test_html_of_ours_is_inert_in_a_markdown_cell():
    assert inert('<p class="a">$x$ \\y</p>\n') == '<p class="a">&#36;x&#36; &#92;y</p>&#10;'
