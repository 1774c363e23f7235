"""Chapters against each other, and the search by name."""

import pytest

from grader.course import CourseError, chapter, chapters, find


@pytest.fixture
def two(make_tree, chapter_text):
    return make_tree(
        {
            "10_masked_gelu": chapter_text(prerequisites="[0]"),
            "00_warm_up": chapter_text(0, "00_warm_up", "warm-up"),
        }
    )


def test_chapters_come_by_number(two):
    assert [c.number for c in chapters(two)] == [0, 10]


def test_an_empty_course_is_no_error(make_tree):
    assert chapters(make_tree({})) == []


@pytest.mark.parametrize("name", ["masked-gelu-forward", "10.forward", " 10.FORWARD ", "Masked-Gelu-Forward"])
def test_find_by_slug_and_alias(two, name):
    assert find(name, two).slug == "masked-gelu-forward"


@pytest.mark.parametrize("name", [10, "10", "10_masked_gelu", "masked-gelu"])
def test_chapter_by_any_name(two, name):
    assert chapter(name, two).name == "10_masked_gelu"


def test_chapter_0_by_two_digits(two):
    assert chapter("00", two) is chapter(0, two)


def test_a_wrong_name_suggests_the_nearest(two):
    with pytest.raises(
        CourseError, match='no exercise "masked-gelu-foward"; did you mean "masked-gelu-forward"'
    ):
        find("masked-gelu-foward", two)
    with pytest.raises(CourseError, match='did you mean "10.forward"'):
        find("10.foward", two)
    with pytest.raises(CourseError, match='did you mean "warm-up"'):
        chapter("warmup", two)


def test_a_far_name_points_at_the_list(two):
    with pytest.raises(CourseError, match="grader list"):
        find("zzzzzz", two)


def test_an_id_belongs_to_one_chapter(make_tree, chapter_text):
    twin = chapter_text(11, "11_twin", "twin").replace("twin-forward", "masked-gelu-forward")
    with pytest.raises(CourseError, match=r'11_twin/chapter\.toml.*"exercise.slug".*taken in 10_masked_gelu'):
        chapters(make_tree({"10_masked_gelu": chapter_text(), "11_twin": twin}))


def test_a_number_belongs_to_one_chapter(make_tree, chapter_text):
    with pytest.raises(CourseError, match='"number": "10" is already taken'):
        chapters(
            make_tree({"10_masked_gelu": chapter_text(), "10_twin": chapter_text(10, "10_twin", "twin")})
        )


def test_an_alias_belongs_to_one_exercise(make_tree, chapter_text):
    text = chapter_text()
    block = text[text.index("[[exercise]]") :]
    text += block.replace("masked-gelu-forward", "masked-gelu-other")
    with pytest.raises(CourseError, match='alias "forward"'):
        chapters(make_tree({"10_masked_gelu": text}))


def test_a_circle_of_prerequisites(make_tree, chapter_text):
    with pytest.raises(CourseError, match="circle"):
        chapters(
            make_tree(
                {
                    "10_masked_gelu": chapter_text(prerequisites="[11]"),
                    "11_twin": chapter_text(11, "11_twin", "twin", "[10]"),
                }
            )
        )


def test_an_edited_file_is_read_again(two):
    path = two.course / "10_masked_gelu" / "chapter.toml"
    assert chapters(two)[1].title == "Masked GELU"
    path.write_text(path.read_text().replace("Masked GELU", "Masked GELU, again"))
    assert chapters(two)[1].title == "Masked GELU, again"
