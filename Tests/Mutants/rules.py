"""The rules by which faults are made. Each takes a source and one of its bodies and yields what it would change:
(start, end, text in its place). They need not know types: what does not compile is dropped."""

import re

from swift_text import matching, split

NOTHING = "_ = ()"
EXPRESSION = r"(?:(?:try[?!]?|await|unsafe|self\.) ?)*[\w.?!]+(?:\[[^\]]*\])?[\w.?!]*"
ASSIGNMENT = re.compile(EXPRESSION + r" (?:=|\+=|-=|\*=|\|=|&=|\^=) ")
CALL = re.compile(r"(?:_ = )?" + EXPRESSION + r"(?:\(|\.\w+ \{| \{)")
KEYWORD = re.compile(
    r"(?:let|var|return|throw|if|guard|for|while|switch|case|do|catch|repeat|default|func|precondition\w*|fatalError"
    r"|assert\w*|break|continue|else|init|super\.init|self\.init|struct|enum)\b")


def swaps(pattern, pairs):
    """A rule that puts for each match of `pattern` what `pairs` has for it."""
    pattern = re.compile(pattern)

    def rule(source, body):
        for found in pattern.finditer(source.code, body.start, body.end):
            if found[1] in pairs:
                yield found.start(1), found.end(1), pairs[found[1]]
    return rule


def both_ways(*pairs):
    return {**dict(pairs), **{other: one for one, other in pairs}}


boundary = swaps(r"(?<= )(<=|>=|<|>)(?= )", both_ways(("<", "<="), (">", ">=")))
equality = swaps(r"(?<= )(==|!=|===|!==)(?= )", both_ways(("==", "!="), ("===", "!==")))
range_end = swaps(r"(?<=[\w\])\[(])(\.\.\.|\.\.<)(?=[\w(-])", both_ways(("...", "..<")))
conjunction = swaps(r"(?<=\s)(&&|\|\|)(?= )", both_ways(("&&", "||")))
arithmetic = swaps(r"(?<= )(\+|-|\+=|-=|<<|>>|&|\|)(?= )", both_ways(
    ("+", "-"), ("+=", "-="), ("<<", ">>"), ("&", "|")))
negation = swaps(r"(?<=[\s(\[])(!)(?=[\w(])", {"!": ""})
truth = swaps(r"(?<![\w.])(true|false)\b", both_ways(("true", "false")))
# Of two that are of one kind, the other: ends, units, instants and clocks.
other_one = swaps(
    r"\b(min|max|first|last|prefix|suffix|dropFirst|dropLast|removeFirst|removeLast|seconds|milliseconds|start|end"
    r"|since|until|deadline|lowerBound|upperBound|startIndex|endIndex|some|union|subtracting|insert|CLOCK_\w+)\b(?!:)",
    {
        **both_ways(
            ("min", "max"), ("first", "last"), ("prefix", "suffix"), ("dropFirst", "dropLast"),
            ("removeFirst", "removeLast"), ("seconds", "milliseconds"), ("start", "end"), ("since", "until"),
            ("lowerBound", "upperBound"), ("startIndex", "endIndex"), ("union", "subtracting")),
        "deadline": "start", "CLOCK_BOOTTIME": "CLOCK_REALTIME", "CLOCK_MONOTONIC": "CLOCK_REALTIME",
        "CLOCK_REALTIME": "CLOCK_BOOTTIME",
    })
wrong_clock = swaps(r"(?<=\.)(now|wall|startOfBudget|began|begun|started|ended|sentAt|hangupSentAt)\b(?![(:])", {
    "began": "ended", "begun": "now", "now": "begun", "started": "ended", "ended": "started", "sentAt": "hangupSentAt",
    "hangupSentAt": "sentAt"})


def number(source, body):
    """Another constant: one more; of a length of time, which nothing reaches to the millisecond, twice as much."""
    for found in re.finditer(r"(?<![\w.$])(0x[0-9A-Fa-f_]+|\d[\d_]*)(?![\w.])", source.code[body.start:body.end]):
        digits = found[1].replace("_", "")
        value = int(digits, 0 if digits.startswith("0x") else 10)
        is_time = source.code.endswith("seconds(", 0, body.start + found.start())
        more = value * 2 if is_time and value else value + 1
        yield body.start + found.start(), body.start + found.end(), hex(more) if "x" in digits else str(more)


def clauses(source, body, keyword):
    """The conditions of an `if` or a `guard` that bind nothing."""
    pattern = re.compile(r"(?<![\w.#])" + keyword + r" ")
    for found in pattern.finditer(source.code, body.start, body.end):
        place, end = found.end(), None
        while end is None and place < body.end:
            if source.code[place] == "{" or source.code.startswith("else {", place):
                end = place
            elif source.code[place] in "([":
                place = matching(source.code, place) + 1
            else:
                place += 1
        for start, stop in split(source.code[found.end():end]):
            clause = source.code[found.end():end][start:stop]
            begin = found.end() + start + len(clause) - len(clause.lstrip())
            if clause.strip() and not re.match(r"\s*(?:let|var|case)\b", clause):
                yield begin, begin + len(clause.strip())


def turned_condition(source, body):
    for start, end in clauses(source, body, "if"):
        code = source.code[start:end]
        # One comparison, and one negation, are turned by their own rules.
        if not re.fullmatch(r"!\S+|(?:(?! && | \|\| ).)* [=!]= (?:(?! && | \|\| ).)*", code):
            yield start, end, f"!({source.text[start:end]})"


def dropped_guard(source, body):
    for start, end in clauses(source, body, "guard"):
        yield start, end, "true"


def dropped_assignment(source, body):
    if body.kind != "init":
        for statement in source.statements(body):
            code = source.code[statement.start:statement.end]
            if ASSIGNMENT.match(code) and not KEYWORD.match(code) and not code.startswith("_ = "):
                yield statement.start, statement.end, NOTHING


def calls(source, body):
    for statement in source.statements(body):
        code = source.code[statement.start:statement.end]
        if CALL.match(code) and not KEYWORD.match(code) and not ASSIGNMENT.match(code):
            yield statement
        elif code.startswith("defer {"):
            yield statement


def dropped_call(source, body):
    for statement in calls(source, body):
        yield statement.start, statement.end, NOTHING


def swapped_calls(source, body):
    """Two effects that follow one another, the other way round."""
    found = list(calls(source, body))
    for one, other in zip(found, found[1:]):
        between = source.text[one.end:other.start]
        # In which order an object has its keys means nothing.
        are_keys = "append(newKey:" in source.code[one.start:one.end]
        if not between.strip() and one.indent == other.indent and not are_keys:
            yield one.start, other.end, \
                source.text[other.start:other.end] + between + source.text[one.start:one.end]


def effect_lists(source, body):
    """Lists of cases, such as a state machine's effects."""
    for found in re.finditer(r"(?<![\w\])])\[(?=\.\w)", source.code[body.start:body.end]):
        start = body.start + found.start() + 1
        parts = split(source.code[start:matching(source.code, start - 1)])
        code = source.code[start:]
        yield [
            (start + one + len(code[one:other]) - len(code[one:other].lstrip()), start + other)
            for one, other in parts if code[one:other].strip()]


def swapped_effects(source, body):
    for parts in effect_lists(source, body):
        for (start, middle), (begin, end) in zip(parts, parts[1:]):
            yield start, end, source.text[begin:end] + source.text[middle:begin] + source.text[start:middle]


def dropped_effect(source, body):
    for parts in effect_lists(source, body):
        texts = [source.text[start:end] for start, end in parts]
        for index in range(len(parts) if len(parts) > 1 else 0):
            yield parts[0][0], parts[-1][1], ", ".join(texts[:index] + texts[index + 1:])


def early_return(source, body):
    """The function does nothing: it answers at once, if there is an answer that needs no knowledge of its type."""
    kinds = {"": [""], "Bool": ["true", "false"]}
    values = kinds.get(body.returns, ["nil"] if body.returns.endswith("?") else [])
    values = ["[]"] if body.returns.startswith("[") and body.returns.endswith("]") else values
    if body.kind in ("init", "deinit", "subscript", "value") or not source.code[body.start:body.end].strip():
        return
    is_expression = not re.search(r"\breturn\b", source.code[body.start:body.end])
    first = re.search(r"\S", source.text[body.start:body.end])
    start = body.start + first.start()
    for value in values:
        if value and is_expression:
            yield start, start + len(source.text[start:body.end].rstrip()), value
        else:
            yield start, start, f"return {value}".strip() + "; "


class WrongWord:
    """Another word of a closed list: of an enumeration's cases, the next."""

    CASES = re.compile(r"\benum (\w+)[^{]*\{")

    def __init__(self, sources):
        self.others = {}
        for source in sources:
            for found in self.CASES.finditer(source.code):
                inside = source.code[found.end():matching(source.code, found.end() - 1)]
                self._learn(re.findall(r"^\s*(?:indirect )?case `?(\w+)`?(?: = .*)?$", inside, re.M))

    def _learn(self, words):
        for one, other in zip(words, words[1:] + words[:1]):
            if one != other:
                self.others.setdefault(one, []).append(other)

    def __call__(self, source, body):
        for found in re.finditer(r"(?<=[\s(\[:])\.(\w+)\b(?!\()", source.code[body.start:body.end]):
            line = source.code[source.code.rfind("\n", 0, body.start + found.start()) + 1:body.start + found.start()]
            if re.match(r"\s*case ", line):
                continue
            others = list(dict.fromkeys(self.others.get(found[1], [])))
            # A word that is in several lists: whichever compiles.
            for other in others[:3]:
                yield body.start + found.start(1), body.start + found.end(1), other


def all_rules(sources):
    """The rules by their names."""
    return {
        "boundary": boundary, "equality": equality, "range": range_end, "conjunction": conjunction,
        "arithmetic": arithmetic, "negation": negation, "truth": truth, "other one": other_one,
        "wrong clock": wrong_clock, "number": number, "turned condition": turned_condition,
        "dropped guard": dropped_guard, "dropped assignment": dropped_assignment, "dropped call": dropped_call,
        "swapped calls": swapped_calls, "swapped effects": swapped_effects, "dropped effect": dropped_effect,
        "early return": early_return, "wrong word": WrongWord(sources),
    }
