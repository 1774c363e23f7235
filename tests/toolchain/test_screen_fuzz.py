"""Random bits of C++ preprocessing: whatever passes the screen must not let g++ see a private file.

Each text is preprocessed twice, with the private file there and without it; any difference in what the
compiler says is a leak, be it the file's content or only that it exists.
"""

import random
import subprocess

import pytest

from grader.toolchain import locate
from grader.toolchain.screen import check_includes, read_files

SECRET = "SECRET/s.h"  # below the test's folder; an absolute path when it is written into a text
PIECES = [
    "#", "#", "%:", "??=", "include", "include", "include_next", "import", "\\\n", "\\\n", "\\ \n",
    "/*", "*/", "//", "'", '"', 'R"(', ')"', 'R"x(', ')x"', 'uR"(', "\n", "\n", "\n", " ", "\t", "\v",
    "\f", "#if 0\n", "\n#endif\n", "\n#if 1\n", "\n#else\n", "\n#define F ", "\n#define F(x) ", "F",
    "F(1)", "__has_include", "__has_include(", "__has_include(<", '__has_include("', ")", "(", "1'0",
    "0x1p+", "\r", "u8", "L", "\\", "<", ">", ";", "int x", "\n#include ", "\n#include ", "\n#if ",
    "\n#elif ", "defined", "##", "\n#error don't ", "\ufeff", "??/", "??/\n", "@", "$", "é", "\n # ",
    '_Pragma("', "\n#pragma ", "\n#line 3 ", "\n#embed ", "%:%:", '"a"', "'a'", '\'"\'', '"\\"', "'\\'",
    "\n#define J(a, b) a##b\n", "J(__has_,include)", "__CONCAT(__has_,include)", "(X)", "X",
    "\n#define X PATH\n", "\n#warning seen\n", '"PATH"', '"PATH"', "<PATH>", "<PATH", '"PATH', ",",
    "\n#define Q ",
]  # fmt: skip
ENDINGS = [
    "", "\n", '\n#include "PATH"\n', "*/", '" \n#include "PATH"\n',
    "\n#if J(__has_,include)(X)\n#error y\n#endif\n",
]  # fmt: skip


@pytest.fixture
def differs(tmp_path):
    """Whether g++ can tell, by a text, if the private file is there."""
    if locate.gxx() is None:
        pytest.skip("no g++ on this machine")
    secret = tmp_path / SECRET
    secret.parent.mkdir()

    def check(text: str) -> bool:
        said = []
        for there in (True, False):
            secret.write_text("the secret\n") if there else secret.unlink()
            command = [locate.gxx(), "-x", "c++", "-std=c++17", "-E", "-P", "-"]
            done = subprocess.run(command, input=text.encode(), capture_output=True, cwd=tmp_path)
            said.append(done.stdout + done.stderr)
        return said[0] != said[1]

    check.path = str(secret)
    return check


def passes(text: str) -> bool:
    readings, problems = read_files({"a.cpp": text.encode()})
    return not problems and not check_includes(readings, {"a.cpp"}, [], assembly=False)


def test_the_difference_is_seen_without_the_screen(differs):
    assert differs(f'#include "{differs.path}"\n')
    assert differs(f"#if __has_include(<{differs.path}>)\n#warning yes\n#endif\n")
    assert not differs("int x;\n")


def test_nothing_that_passes_lets_the_compiler_see_the_file(differs):
    chance, tried = random.Random(20), 0
    for _ in range(3000):
        text = "".join(chance.choices(PIECES, k=chance.randint(3, 18))) + chance.choice(ENDINGS)
        text = text.replace("PATH", differs.path)
        if differs.path in text and passes(text):
            tried += 1
            assert not differs(text), repr(text)
    assert tried > 30
