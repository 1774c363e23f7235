import numpy as np
import pytest

from grader.view import Picture, bars, error_plot, figure, show

X = np.linspace(-2, 2, 41)


def test_a_picture_needs_alt_text():
    with figure() as fig:
        fig.add_subplot()
    with pytest.raises(ValueError, match="alt text"):
        Picture(fig, "  ")


def test_svg_takes_the_colour_of_the_page_and_leaks_no_style():
    with figure() as fig:
        fig.add_subplot().set_title("a <title>")
    picture = Picture(fig, 'says "so" & <so>')
    svg = picture.svg()
    assert svg.startswith("<svg aria-hidden=") and "currentColor" in svg and "#1b1b1d" not in svg
    assert "<style" not in svg and "<metadata" not in svg
    html = picture._repr_html_()
    assert html.count("says &quot;so&quot; &amp; &lt;so&gt;") == 2 and svg in html
    assert '<figure role="img" aria-label="says' in html and "<so>" not in html


def test_the_same_figure_gives_the_same_text():
    first, second = (bars({"a": {"m": 1.0}, "b": {"m": 2.0}}).svg() for _ in range(2))
    assert first == second


def test_show_prints_the_sentence_outside_a_notebook(capsys):
    with figure() as fig:
        fig.add_subplot()
    show(fig, alt="An empty chart.")
    assert capsys.readouterr().out == "Picture: An empty chart.\n"


def test_error_plot_names_the_worst_place_of_each_approximation():
    picture = error_plot(X, X, {"shifted": X + 0.25, "good": X}, limits={"limit": 0.5}, title="T")
    assert "shifted at most 0.25" in picture.alt and "good at most 0" in picture.alt
    texts = [text.get_text() for text in picture.fig.legends[0].get_texts()]
    assert texts == ["shifted: at most 2.5e-01", "good: at most 0.0e+00", "limit"]


def test_error_plot_relative_leaves_out_where_the_truth_is_zero():
    picture = error_plot(X, X, {"a": X * 1.5}, relative=True)
    assert "relative error" in picture.alt and "a at most 0.5" in picture.alt


@pytest.mark.parametrize("values, word", [(X[:-1], "shape"), (np.full_like(X, np.nan), "finite")])
def test_error_plot_refuses_what_it_cannot_compare(values, word):
    with pytest.raises(ValueError, match=word):
        error_plot(X, X, {"a": values})


def test_bars_say_their_numbers_and_differ_by_more_than_colour():
    picture = bars({"before": {"sectors": 32.0, "only": 1.0}, "after": {"sectors": 4.0}}, title="Transpose")
    assert picture.alt == "Transpose. sectors: before 32, after 4."
    (axes,) = picture.fig.axes
    assert [text.get_text().strip() for text in axes.texts] == ["32", "4"]
    assert len({patch.get_hatch() for patch in axes.patches}) == 2


def test_bars_of_nothing_in_common():
    with pytest.raises(ValueError, match="in common"):
        bars({"a": {"x": 1.0}, "b": {"y": 1.0}})
