"""`take_in`: everything that was handed in, from all sources, into the instructor's tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from grader.classroom import durable
from grader.classroom.autograde import only_one
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Note, printable, some
from grader.classroom.foreign import called
from grader.classroom.intake import times
from grader.classroom.intake.by_hand import ByHand, by_hand, digest
from grader.classroom.intake.choose import Chosen, choose, wanted_names
from grader.classroom.intake.folders import STAMP
from grader.classroom.intake.handin import HandIn, Sender
from grader.classroom.intake.names import apart, student_id
from grader.classroom.intake.place import Origin, age, origin_path, place, present, recover
from grader.classroom.intake.roster import Roster, read_roster
from grader.classroom.intake.sources import read_source
from grader.classroom.intake.wrong import refuse_another_chapters
from grader.classroom.tree import ClassTree
from grader.course import Chapter

NO_ROSTER = (
    "Without a roster a student of Moodle's is called by the name and a number that is another one in each assignment: "
    "give --roster from the first chapter on."
)
NO_TIMES = (
    "The archives of Moodle and Canvas do not say when something was handed in, so no penalty for being late is taken; "
    "a column 'submitted' in the roster can say it."
)


NO_TIME = "When these handed in is not known, so no penalty for being late is taken from them: {}."
ANYWAY = "To take what the archive holds all the same, name whom:  --replace STUDENT  ('*': everybody)."


@dataclass(frozen=True)
class Taken:
    """How one hand-in went. `how`: "new", "replaced", "unchanged", "older" (than what is there), "none" (nothing of
    the chapter's was handed in, and nothing was changed), or "failed"."""

    student: str
    how: str
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # sentences that grading tells again
    ignored: int = 0  # files that nothing asks for
    late: bool = False
    kept: tuple[str, ...] = ()  # files that stay because they were put there by hand
    earlier: str = ""  # where that lies which it replaced
    by_hand: bool = False  # and that was put there by hand


@dataclass
class Report:
    """What came of taking in. `lines` are for the instructor: each oddity once."""

    taken: list[Taken] = field(default_factory=list)
    looked: bool = True  # in some source; else it is about the roster alone
    told: list[str] = field(default_factory=list)  # about no one student
    nobodys: int = 0  # files that belong to no student
    absent: list[str] = field(default_factory=list)  # in the roster, with nothing in submitted/

    def count(self, how: str) -> int:
        return sum(taken.how == how for taken in self.taken)

    def lines(self, *, notes: bool = True) -> list[str]:
        """`notes`: with what grading tells again."""
        words = {"new": "new", "replaced": "newer than before", "unchanged": "unchanged", "older": "older, not taken",
                 "none": "of another chapter or of nobody known, not taken", "failed": "NOT TAKEN"}  # fmt: skip
        counts = ", ".join(f"{n} {word}" for how, word in words.items() if (n := self.count(how)))
        said = [f"Handed in: {counts or 'nothing'}."] if self.looked else []
        for taken in self.taken:
            sentences = taken.sentences + (taken.notes if notes else ())
            said += [f"{taken.student}: {sentence}" for sentence in sentences]
            if taken.by_hand:
                said.append(f"{taken.student}: what you had put there by hand was replaced; it is in {taken.earlier}.")
        replaced = [taken.earlier for taken in self.taken if taken.earlier and not taken.by_hand]
        for first in range(0, len(replaced), 5):
            said.append(f"Replaced; the earlier work lies in {', '.join(replaced[first : first + 5])}.")
        said += self.told
        if kept := [f"{taken.student} ({', '.join(taken.kept)})" for taken in self.taken if taken.kept]:
            said.append(f"Put there by hand, so it stays, since nothing newer was handed in: {some(kept)}. {ANYWAY}")
        if older := [taken.student for taken in self.taken if taken.how == "older"]:
            said.append(f"Not taken, because what is there is newer: {some(older)}. {ANYWAY}")
        if late := [taken.student for taken in self.taken if taken.late]:
            said.append(f"Late by the platform's own mark: {some(late)}.")
        if ignored := self.nobodys + sum(taken.ignored for taken in self.taken):
            said.append(f"Files that no exercise asks for, and that were left out: {ignored}.")
        if self.absent:
            said.append(f"Nothing from {len(self.absent)} of the roster: {some(self.absent)}.")
        return [printable(line, 700) for line in said]


def take_in(
    tree: ClassTree,
    chapter: Chapter,
    sources: Sequence[Path],
    roster: Path | Roster | None = None,
    *,
    anyway: Sequence[str] = (),
    progress: Callable[[Taken], None] = lambda taken: None,
) -> Report:
    """Take what was handed in for `chapter` from `sources` into `submitted/STUDENT/ASSIGNMENT/`.

    A source is Moodle's or Canvas' archive of submissions (or the folder that it was unpacked to), nbgrader's exchange,
    or a folder like `submitted/` (or a zip file of one). The newest hand-in of a student wins and earlier ones are
    kept; taking in the same again changes nothing, nor what was put there by hand. Of students whose id fits a pattern
    in `anyway` the hand-in is taken even so. `ClassroomError` only for what stops all: a source or a roster that cannot
    be read at all, a source of another chapter, or another run at work. Whatever is wrong with one student's files is
    told in the report.
    """
    if roster is not None and not isinstance(roster, Roster):
        roster = read_roster(roster)
    with only_one(tree), ExitStack() as stack:
        told = [f"{student}: an interrupted step was ended." for student in recover(tree)]
        report = Report(looked=bool(sources), told=told)
        found: list[HandIn] = []
        for number, path in enumerate(sources):
            source = read_source(stack, tree, chapter, path, roster)
            report.told += source.told
            report.nobodys += source.nobodys
            refuse_another_chapters(path, source.hand_ins, chapter)
            found += [replace(hand_in, source=number) for hand_in in source.hand_ins]
        found.sort(key=lambda hand_in: hand_in.as_of)  # stable: of equally new ones the source named last wins
        known = _Known(tree, chapter, roster, found)
        given = _Given(tree, chapter, [path.name for path in sources])
        timeless: dict[str, bool] = {}  # of the students of Moodle and Canvas: nobody knows when
        for hand_in in found:
            for student, sentences, when in known.students(hand_in):
                theirs = replace(hand_in, when=hand_in.when or when)
                ours = roster is None or student in known.people
                wanted = any(fnmatchcase(student, pattern) for pattern in anyway)
                try:
                    taken = _take(given, student, theirs, sentences, ours, wanted)
                except Exception as problem:  # whatever it was, the others must still be taken in
                    if durable.disk_is_full(problem, tree.root):
                        raise ClassroomError(
                            f"a disk is full, so taking in stopped at {student}: {problem}. What was taken in is kept; "
                            "make room and run the same again"
                        ) from None
                    kind = "" if isinstance(problem, ClassroomError) else f"{type(problem).__name__}: "
                    taken = Taken(student, "failed", (f"not taken in: {kind}{printable(str(problem), 200)}",))
                if hand_in.sender.platform in ("moodle", "canvas") and taken.how != "none":
                    stamp = tree.submitted(student, chapter.name) / STAMP
                    timeless[student] = not (theirs.when or stamp.exists())
                report.taken.append(taken)
                progress(taken)
        if roster is None and any(hand_in.sender.platform == "moodle" for hand_in in found):
            report.told.append(NO_ROSTER)
        if without := [student for student, is_so in timeless.items() if is_so]:
            report.told.append(NO_TIMES if len(without) == len(timeless) else NO_TIME.format(some(without)))
        if roster is not None:
            here = set(tree.students(chapter.name))
            report.absent = [person.id for person in roster.people if person.id not in here and _counts(person.name)]
    return report


@dataclass(frozen=True)
class _Given:
    """Of one intake: where it goes, and what the sources are called."""

    tree: ClassTree
    chapter: Chapter
    sources: list[str]

    def source(self, hand_in: HandIn) -> str:
        return printable(self.sources[hand_in.source])


def mend(tree: ClassTree) -> None:
    """End what a kill interrupted while something was taken in."""
    with only_one(tree):
        recover(tree)


def _counts(name: str) -> bool:
    return name != "Test Student"  # Canvas' own, in every course


class _Known:
    """Which student's folder a hand-in belongs to: by the roster, as in an earlier run, or by the sender's name."""

    def __init__(self, tree: ClassTree, chapter: Chapter, roster: Roster | None, found: list[HandIn]):
        self.roster = roster
        self.by_sender: dict[Sender, str] = {}
        self.by_student: dict[str, Sender] = {}
        self.people = {person.id for person in roster.people} if roster else set()
        self.claims: dict[tuple[int, str], set[Sender]] = {}  # (source, person) -> who may be that
        for hand_in in found if roster else ():
            for person in roster.find(hand_in.sender)[0]:
                self.claims.setdefault((hand_in.source, person.id), set()).add(hand_in.sender)
        for student in tree.students(chapter.name):
            if origin := Origin.read(origin_path(tree, student, chapter.name)):
                self.by_sender[origin.sender] = student
                self.by_student[student.casefold()] = origin.sender

    def students(self, hand_in: HandIn) -> list[tuple[str, list[str], datetime | None]]:
        """Their ids (several for a group), each with what is to be told and the time that the roster knows."""
        sender = hand_in.sender
        people, doubt = self.roster.find(sender) if self.roster else ([], "")
        shown = f"{sender.name} {sender.number}".strip()
        told = [f"handed in as {printable(shown)}; {doubt}."] if doubt else []
        if any(len(self.claims[hand_in.source, person.id]) > 1 for person in people):
            # Two senders of one archive are two people, even if the roster knows one by that name.
            told = [f"{printable(shown)} may be {people[0].id} of the roster, but somebody else there as well."]
            people = []
        if people:
            before = self.by_sender.get(sender)
            if before and before not in {person.id for person in people}:
                told.append(f"taken in before as {before}: if that is one person, run  grader class forget {before}")
            return [(person.id, told, person.submitted) for person in people]
        if self.roster:
            called = "" if student_id(sender.name, sender.number) == shown else f"{printable(shown)} is "  # else twice
            told = told or [f"{called}not in the roster."]
        if before := self.by_sender.get(sender):
            return [(before, told, None)]
        student = student_id(sender.name, sender.number)
        if self.by_student.get(student.casefold(), sender) != sender:
            student = apart(student, sender.platform, sender.number, sender.name)
        self.by_sender[sender], self.by_student[student.casefold()] = student, sender
        return [(student, told, None)]


def _take(given: _Given, student: str, hand_in: HandIn, told: list[str], known: bool, anyway: bool) -> Taken:
    """`known`: the roster names the student, or there is none. `anyway`: even if it is older, or replaces what was
    put there by hand."""
    tree, chapter, name = given.tree, given.chapter, given.chapter.name
    wanted = {*wanted_names(chapter), f"{name}.ipynb"}
    there = present(tree, student, name, wanted)
    origin = Origin.read(origin_path(tree, student, name))
    since = age(origin, there) if there is not None else None
    chosen = choose(hand_in, chapter)
    outcome = Taken(student, "unchanged", tuple(told), ignored=chosen.ignored, late=hand_in.late)
    if since and hand_in.as_of < since and not anyway:
        same = chosen.files.items() <= there.items()
        return replace(outcome, how="unchanged" if same else "older", ignored=0)
    if not chosen.files and (why := _not_of_the_chapter(chosen, chapter, there, known)):
        return replace(outcome, how="none", sentences=(*told, why))
    files = dict(chosen.files)
    if hand_in.when:
        files[STAMP] = times.stamp(hand_in.when).encode()
    from_source = {file: digest(data) for file, data in files.items()}
    mine = by_hand(tree.submitted(student, name), there, origin)
    if not anyway:
        mine.defend(files, origin, hand_in.as_of, whole=hand_in.whole)
    files, kept = _together(files, chosen, hand_in, there, wanted)
    notes = [*chosen.notes, *kept]
    sentences, noted = tuple(told), tuple(note.sentence for note in notes)
    if not chosen.files:
        sentences += ("handed in, but nothing of what the chapter asks for.",)
    if not hand_in.when and there and {**files, STAMP: b""} == {**there, STAMP: b""}:
        files = there  # the same files, and the time at which they were handed in is known from before
    how = "unchanged" if files == there else "new" if there is None else "replaced"
    outcome = replace(outcome, how=how, sentences=sentences, notes=noted, kept=tuple(mine.kept))
    before = origin or Origin(hand_in.sender, hand_in.as_of)
    placed, seen = _recorded(before, files, from_source, mine, given.source(hand_in))
    after = Origin(hand_in.sender, hand_in.as_of, hand_in.late, tuple(notes), placed, seen)
    if how == "unchanged":
        if origin != after:
            after.write(origin_path(tree, student, name))
        return outcome
    # Whoever it is of is written first, what was placed last: see place.py.
    replace(after, placed=before.placed).write(origin_path(tree, student, name))
    mark = "-by-hand" if mine.replaced or (anyway and mine.since) else ""
    earlier = place(tree, student, name, files, max(mine.since.values()) if mark else since, mark)
    after.write(origin_path(tree, student, name))
    return replace(outcome, earlier=str(earlier.relative_to(tree.root)) if earlier else "", by_hand=bool(mark))


def _recorded(
    before: Origin, files: dict[str, bytes], from_source: dict[str, str], mine: ByHand, source: str
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """`placed` and `seen` for the record. A file that stays from before is of the source it came from; one that was
    put there by hand, of none."""
    placed = {}
    for name in files:
        if name in from_source and name not in mine.kept:
            placed[name] = from_source[name]
        elif before.placed is None:
            placed[name] = digest(files[name])
        elif name in before.placed:
            placed[name] = before.placed[name]
    seen = {name: dict(hashes) for name, hashes in before.seen.items()}
    for name, hash in from_source.items():
        seen.setdefault(name, {}).setdefault(hash, source)
    return placed, seen


def _not_of_the_chapter(chosen: Chosen, chapter: Chapter, there: dict[str, bytes] | None, known: bool) -> str:
    """Why a hand-in without anything that the chapter asks for is none, "" if it is one: what cannot be read may be
    it, and a student of ours who handed in the wrong thing is told so by the grading."""
    if any(note.kind in ("unreadable", "refused") for note in chosen.notes):
        return ""
    what = f"handed in nothing of {called(chapter)}"
    if chosen.foreign and (there is not None or not known):
        file, other = next(iter(chosen.foreign.items()))
        return f"{what}, but {printable(file)} of {called(other)}; not taken."
    return "" if known else f"{what}; not taken."


def _together(
    files: dict[str, bytes], chosen: Chosen, hand_in: HandIn, there: dict[str, bytes] | None, wanted: set[str]
) -> tuple[dict[str, bytes], list[Note]]:
    """The files of the hand-in, and where it is a part only, what it lacks from the earlier one. A notebook of another
    chapter takes no place."""
    files, notes = dict(files), []
    for name in sorted((there or {}).keys() & wanted - files.keys()):
        if name.endswith(".ipynb") and any(other.endswith(".ipynb") for other in files):
            continue  # the newer one has a notebook under a name of its own
        if not hand_in.whole or (name.endswith(".ipynb") and chosen.foreign):
            files[name] = there[name]
            notes.append(Note("changed", name, f"{name} is the one handed in earlier; the newest hand-in has none."))
    return files, notes
