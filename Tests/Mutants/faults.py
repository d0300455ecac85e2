"""The faults of a tree: made by rules, or written by hand; and the notes about them that people keep."""

import collections
import dataclasses
import hashlib
import pathlib
import re

from rules import all_rules
from swift_text import Source

# Only our own mistake breaks a precondition, room in memory is a hint, and of a hash all that counts is ==.
UNNOTICEABLE = re.compile(r"precondition|reserveCapacity|hasher\.combine")
# Kinds of fault that are not made, since nobody could notice most of them. Of each rule: what stands in the body before
# what it changes, that itself in « », and the rest of its line.
NOT_MADE = {rule: re.compile(pattern, re.S) for rule, pattern in {
    # What a buffer holds before it is read into, and how much it could; "none" as C has it; and what "boundary" does.
    "number": r"\bvar \w+ = \[\w+\]\(repeating: [^\n«]*«|capacity: [^\n«]*«|(?:==|\?\?| =) -«1»|\[-«1»"
              r"|, -«1»\)|(?:>=| <) «",
    # Of what is sorted no two are equal; and descriptor 0 is never free.
    "boundary": r"\$0[^\n«]* «[<>]=?» [^\n]*\$1|\b(?:opened|descriptor|number|accepted|device) «>=» 0\b",
    # A key is there once.
    "other one": r"«(?:first|last)»(?:\(where:)? \{ (?:\w+\.)?\$0\.(id|key|mode|name|number|setting|subject) == \1\b",
    # What is deferred happens at the end, wherever it stands, and an archive has its values by name.
    "swapped calls": r"«[^»]*\bdefer \{|«[^»]*forKey: [^»]*forKey: ",
    # A dictionary has no order.
    "swapped effects": r"«\.\w+: ",
    # No test measures memory.
    "dropped call": r"«(?:defer \{ )?(?:unsafe )?(?:\w+\.)*(?:\w*free\w*|deallocate|\w+_(?:decref|del|forget)|unref"
                    r"|destroy\w*)\(",
    # What is cancelled calls nobody back, kept or not.
    "dropped assignment": r"\b([\w.]+)\??\.cancel\(\).*«\1 = nil»",
}.items()}
HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(eq=False)
class Fault:
    """One change of one body. Its lines, as they are and as they would be, tell it from every other: no number does."""
    room: str
    source: Source
    body: object
    start: int
    end: int
    text: str
    rule: str
    number: int = 0

    def __post_init__(self):
        start, end = self.source.whole_lines(self.start, self.end)
        changed = self.source.text[start:self.start] + self.text + self.source.text[self.end:end]
        self.place = f"{self.source.path}: {self.body.name}"
        self.before = stripped(self.source.text[start:end])
        self.after = stripped(changed)

    @property
    def identity(self):
        return self.place, self.before, self.after

    @property
    def kind(self):
        """By what equivalent.txt calls it: no folder, type or line, which change more often than what is right."""
        return pathlib.PurePath(self.source.path).name, self.body.name.split()[0].split("<")[0] or "<", self.rule

    @property
    def is_of_a_kind_not_made(self):
        code = self.source.code
        marked = f"{code[self.body.start:self.start]}«{code[self.start:self.end]}»"
        rest = code[self.end:self.source.whole_lines(self.end, self.end)[1]]
        return self.rule in NOT_MADE and NOT_MADE[self.rule].search(marked + rest)

    @property
    def rank(self):
        """A number by which a sample is drawn: the same fault has the same, whatever else changes."""
        return hashlib.sha256("\n".join(self.identity).encode()).digest()

    def __str__(self):
        where = f"{self.source.path}:{self.source.line(self.start)}: {self.body.name}"
        lines = [f"- {line}" for line in self.before.split("\n")] + [f"+ {line}" for line in self.after.split("\n")]
        return "\n".join([f"{self.number}  {where}  ({self.rule})", *lines])


def stripped(text):
    return "\n".join(line.strip() for line in text.strip().split("\n"))


def faults_by_rules(room, sources, rules):
    """Every fault that the rules find in the sources of one room."""
    for source in sources:
        seen = set()
        for body in source.bodies:
            for name, rule in rules.items():
                for start, end, text in rule(source, body):
                    fault = Fault(room, source, body, start, end, text, name)
                    is_new = fault.identity not in seen and fault.before != fault.after
                    is_noticeable = not UNNOTICEABLE.search(fault.before) and not fault.is_of_a_kind_not_made
                    if is_new and is_noticeable and body.name != "hash":
                        seen.add(fault.identity)
                        yield fault


@dataclasses.dataclass
class Note:
    """A paragraph of one of the lists: where, which lines, what in their place, and why."""
    place: str
    before: str
    after: str
    reason: str

    @property
    def identity(self):
        return self.place, self.before, self.after


def notes(name):
    """The notes of one list. Paragraphs are parted by empty lines; lines with # are for the reader."""
    text = re.sub(r"^#.*\n?", "", (HERE / name).read_text(), flags=re.M)
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.strip().split("\n")
        marked = {mark: [line[2:].strip() for line in lines[1:] if line[:1] == mark] for mark in "-+="}
        if lines[0]:
            yield Note(lines[0].strip(), *("\n".join(marked[mark]) for mark in "-+"), " ".join(marked["="]))


def excused(text):
    """Of each kind of fault that equivalent.txt names, how many nobody could notice."""
    most, is_below_reason = collections.Counter(), False
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        entry = re.fullmatch(r"( *)(\S+\.swift) (.+?)(?: = (.+))?", line)
        if not entry and line.endswith(":"):
            is_below_reason = True
            continue
        is_reasoned = entry and (is_below_reason if entry[1] else entry[4])
        for part in entry[3].split("; ") if is_reasoned else [""]:
            function, _, kinds = part.partition(": ")
            found = [re.fullmatch(r"([a-z ]*[a-z])(?: (\d+))?", kind) for kind in kinds.split(", ")]
            if not all(found):
                raise SystemExit(f"equivalent.txt: no reason, or no kind of fault: {line}")
            for kind in found:
                most[entry[2], function, kind[1]] += int(kind[2] or 1)
    return most


class Survivors:
    """What no test noticed: told as it is found, but of a kind of which equivalent.txt excuses some once it is more."""

    def __init__(self, excused_counts, unruled):
        self.excused, self.unruled = excused_counts, unruled
        self.kinds = collections.defaultdict(list)

    def add(self, fault):
        """The faults to be told of, now that this one has survived."""
        if fault.identity in self.unruled:
            return []
        found = self.kinds[fault.kind]
        found.append(fault)
        left = len(found) - self.excused[fault.kind]
        return [] if left < 1 else found[:] if left == 1 else [fault]

    def are_excused(self, fault):
        return fault in self.kinds[fault.kind] and len(self.kinds[fault.kind]) <= self.excused[fault.kind]


def left_out():
    """Folders and files that make no decision a unit test could hold, with the reason: `path: reason` on a line."""
    lines = (HERE / "left-out.txt").read_text().split("\n")
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def written_by_hand(sources_of_rooms, entries):
    """The faults of nasty.txt. One whose text is gone, or stands there twice, is an error."""
    by_path = {source.path: (room, source) for room, sources in sources_of_rooms.items() for source in sources}
    for note in entries:
        path, _, name = note.place.partition(": ")
        room, source = by_path.get(path, (None, None))
        lines = note.before.split("\n")
        pattern = re.compile(r"\n\s*".join(map(re.escape, lines)))
        found = [
            (match, body) for body in (source.bodies if source else ()) if body.name == name
            for match in pattern.finditer(source.text, body.start, body.end)]
        if len(found) != 1:
            raise SystemExit(f"nasty.txt: {note.place} has {len(found)} times, not once:\n{note.before}")
        match, body = found[0]
        yield Fault(room, source, body, match.start(), match.end(), note.after, "by hand")


def all_faults(root, targets):
    """The faults of the tree, numbered in the order of the sources; `targets` are its rooms and their folders."""
    omitted = left_out()
    everything = {
        room: [
            Source(str(path.relative_to(root)), path.read_text())
            for path in sorted((root / folder).rglob("*.swift"))]
        for room, folder in targets.items()}
    paths = [source.path for sources in everything.values() for source in sources]
    for path in omitted:
        if not any(one == path or one.startswith(path + "/") for one in paths):
            raise SystemExit(f"left-out.txt: {path} is gone")
    rules = all_rules([source for sources in everything.values() for source in sources])
    kept = {
        room: [
            source for source in sources
            if not any(source.path == path or source.path.startswith(path + "/") for path in omitted)]
        for room, sources in everything.items()}
    by_hand = list(written_by_hand(kept, notes("nasty.txt")))
    faults = []
    for room, sources in kept.items():
        own = list(faults_by_rules(room, sources, rules)) + [fault for fault in by_hand if fault.room == room]
        faults += sorted(own, key=lambda fault: (fault.source.path, fault.start))
    for number, fault in enumerate(faults, 1):
        fault.number = number
    return faults


def sample(faults, most):
    """At most `most` of each room, those by hand among them; a change elsewhere does not change which."""
    chosen = []
    for room in dict.fromkeys(fault.room for fault in faults):
        own = [fault for fault in faults if fault.room == room]
        own.sort(key=lambda fault: (fault.rule != "by hand", fault.rank))
        chosen += own[:max(most, sum(fault.rule == "by hand" for fault in own))] if most else own
    return sorted(chosen, key=lambda fault: fault.number)
