"""Reads as much of Swift as faults need: what is code, where bodies begin and end, where a statement does.

It trusts that the sources are formatted by "make format". What it misreads does not compile, and is dropped then.
"""

import bisect
import dataclasses
import functools
import re

MODIFIERS = (
    r"(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|fileprivate|private|open|final|static|class|mutating"
    r"|nonmutating|override|required|convenience|consuming|borrowing|nonisolated|indirect|lazy|weak|unowned"
    r"|prefix|postfix|infix|unsafe)(?:\(\w+\))?\s+)*")
DECLARATION = re.compile(
    r"^[ \t]*" + MODIFIERS + r"(struct|class|enum|extension|protocol|actor|func|init|deinit|subscript|var|let)\b", re.M)
ACCESSOR = re.compile(r"\s*(?:mutating |nonmutating )?(get|set|didSet|willSet|_read|_modify)\b[^{]*\Z")
STORED = re.compile(r"^[ \t]*" + MODIFIERS + r"(?:let|var) (\w+)(?:: [^={\n]+)? = ([^{\n]+)$", re.M)
BRACKET = re.compile(r"[(\[{]")
OPENING, CLOSING = "([{", ")]}"


def blank_out(text):
    """`text` with its comments and what stands in its strings blanked, place by place."""
    result = list(text)
    place = 0

    def blank(start, end):
        for index in range(start, end):
            if result[index] != "\n":
                result[index] = " "

    for found in iter(lambda: re.compile(r'//[^\n]*|/\*|(#*)("""|")').search(text, place), None):
        start, quote = found.start(), found[2]
        if found[0].startswith("//"):
            place = found.end()
            blank(start, place)
        elif found[0] == "/*":
            place = text.index("*/", start) + 2
            blank(start, place)
        else:
            place = end_of_string(text, found.end(), quote, found[1])
            blank(found.end(), place - len(quote) - len(found[1]))
    return "".join(result)


def end_of_string(text, place, quote, hashes):
    """Where the string ends whose contents begin at `place`; what is interpolated may hold strings of its own."""
    while not text.startswith(quote + hashes, place):
        if text.startswith("\\" + hashes + "(", place):
            depth, place = 1, place + 2 + len(hashes)
            while depth:
                if text[place] == '"':
                    place = end_of_string(text, place + 1, '"', "") - 1
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place += 1
        else:
            place += 2 if text.startswith("\\" + hashes, place) else 1
    return place + len(quote) + len(hashes)


def matching(code, place):
    """Where the bracket at `place` closes."""
    depth = 0
    for index in range(place, len(code)):
        depth += (code[index] in OPENING) - (code[index] in CLOSING)
        if depth == 0:
            return index
    raise ValueError("a bracket that nobody closes")


def split(code, separator=","):
    """The parts of `code` between separators that stand in no bracket, as (start, end)."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(code):
        depth += (character in OPENING) - (character in CLOSING)
        if depth == 0 and character == separator:
            parts.append((start, index))
            start = index + 1
    return parts + [(start, len(code))]


@dataclasses.dataclass(frozen=True)
class Body:
    """What a function, an initializer or an accessor does: text between its braces, or the value of a constant."""
    name: str
    kind: str
    returns: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Statement:
    start: int
    end: int
    indent: int


class Source:
    """One Swift file."""

    def __init__(self, path, text):
        self.path, self.text, self.code = path, text, blank_out(text)
        self.line_starts = [0] + [found.end() for found in re.finditer("\n", text)]
        self.bodies = sorted(self._bodies(0, len(text)), key=lambda body: body.start)

    def line(self, place):
        """The number of the line of a place, from 1."""
        return bisect.bisect_right(self.line_starts, place)

    def whole_lines(self, start, end):
        """Where the lines of a piece of text begin and end."""
        newline = self.text.find("\n", end)
        return self.text.rfind("\n", 0, start) + 1, len(self.text) if newline < 0 else newline

    def body(self, place):
        """The body that a place stands in, if any."""
        return next((body for body in self.bodies if body.start <= place < body.end), None)

    def _bodies(self, start, end):
        place = header = start
        stored = []
        while found := BRACKET.search(self.code, place, end):
            place, close = found.start(), matching(self.code, found.start())
            if found[0] != "{":
                place = close + 1
                continue
            declared = None
            for declared in DECLARATION.finditer(self.code, header, place):
                pass
            stored += self._stored(header, place)
            yield from self._declared(declared, place, close) if declared else ()
            place = header = close + 1
        yield from stored
        yield from self._stored(header, end)

    def _declared(self, declared, opening, close):
        kind, head = declared[1], self.code[declared.end():opening]
        if kind in ("struct", "class", "enum", "extension", "protocol", "actor"):
            if kind != "protocol":
                yield from self._bodies(opening + 1, close)
        elif kind in ("func", "init", "deinit", "subscript"):
            parameters = head.find("(")
            after = head[matching(head, parameters):] if parameters >= 0 else ""
            returns = after.split("->", 1)[1].split(" where ")[0].strip() if "->" in after else ""
            name = head[:max(parameters, 0)].strip() if kind == "func" else kind
            yield Body(name, kind, returns, opening + 1, close)
        else:
            name, _, returns = head.partition(":")
            accessors = self._accessors(opening + 1, close)
            if accessors:
                for accessor, start, end in accessors:
                    what = returns.strip() if accessor == "get" else ""
                    yield Body(name.strip(), accessor, what, start, end)
            elif "=" not in head and kind == "var":
                yield Body(name.strip(), "get", returns.strip(), opening + 1, close)

    def _accessors(self, start, end):
        found, place = [], start
        while (opening := self.code.find("{", place, end)) >= 0:
            accessor = ACCESSOR.match(self.code[place:opening])
            if not accessor:
                return []
            close = matching(self.code, opening)
            found.append((accessor[1], opening + 1, close))
            place = close + 1
        return found

    def _stored(self, start, end):
        """Constants, and first values of variables, that stand on one line."""
        whole = self.code.rfind("\n", 0, start) + 1
        for found in STORED.finditer(self.code, whole):
            if found.start() >= end:
                break
            value = found[2]
            if start <= found.start(2) and found.end() <= end and all(
                    value.count(one) == value.count(other) for one, other in zip(OPENING, CLOSING)):
                yield Body(found[1], "value", "", found.start(2), found.end(2))

    @functools.lru_cache(maxsize=None)
    def statements(self, body):
        """The statements of a body that begin on a line of their own, those in blocks and closures too."""
        found, brackets, previous, previous_indent = [], [], "{", -1
        first = self.line(body.start) + 1
        for number in range(first, self.line(body.end)):
            start, end = self.line_starts[number - 1], self.line_starts[number] - 1
            line = self.code[start:end]
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip())
            opens_block = previous[-1] in "{:" or previous.endswith(" in")
            goes_on = line.lstrip()[0] in ".?:&|+-*/)]}=<>" or (indent > previous_indent and not opens_block)
            if (not brackets or brackets[-1] == "{") and not goes_on and previous[-1] not in ",=([&|":
                found.append(Statement(start + indent, self._end_of_statement(number, indent, body), indent))
            for character in line:
                if character in OPENING:
                    brackets.append(character)
                elif character in CLOSING and brackets:
                    brackets.pop()
            previous, previous_indent = line.strip(), indent
        return found

    def _end_of_statement(self, number, indent, body):
        depth = 0
        for line in range(number, self.line(body.end)):
            start, end = self.line_starts[line - 1], self.line_starts[line] - 1
            code = self.code[start:end]
            depth += sum(map(code.count, OPENING)) - sum(map(code.count, CLOSING))
            following = self.code[end + 1:self.line_starts[line + 1] if line + 1 < len(self.line_starts) else None]
            deeper = following.strip() and len(following) - len(following.lstrip()) > indent
            if depth == 0 and not deeper:
                return start + len(code.rstrip())
        return self.line_starts[number] - 1
