"""Tests of the rules and of what they read: python3 -m unittest discover -s Tests/Mutants"""

import pathlib
import tempfile
import unittest

from faults import Fault, Note, Survivors, excused, faults_by_rules, sample, written_by_hand
from faulty_tree import FaultyTree, chosen
from package import Package
from rules import all_rules
from swift_text import Source, blank_out

SAMPLE = Source("Sources/Core/Room/Sample.swift", '''
/// A comment with { a brace and a "quote.
struct Sample {
    static let limit = 10
    static let patience = TimeSpan.milliseconds(100)

    enum Word: String {
        case one
        case other = "a < b"
    }

    var isFull: Bool { count < Self.limit }

    func first(_ done: () -> Void = {}) -> Word? {
        guard count > 0, let word = words.first else { return nil }
        log("if \\(word == "x" ? 1 : 2) {")
        state = .over
        done()
        return .one
    }

    func effects() -> [Effect] { [.one(1), .other] }
}
''')


def changed(source=SAMPLE):
    """What the rules make of each line."""
    return {(fault.rule, fault.before, fault.after)
            for fault in faults_by_rules("Room", [source], all_rules([source]))}


class Reading(unittest.TestCase):
    def test_comments_and_strings_are_no_code(self):
        code = blank_out('let a = "x\\"{\\(b("}"))" // {\n/* { */ b("""\n {\n """, #"\\"#)')
        self.assertNotIn("{", code)
        self.assertEqual(code.count("("), code.count(")"))
        self.assertTrue(code.endswith(")"))

    def test_bodies_are_those_of_functions_and_constants(self):
        self.assertEqual([body.name for body in SAMPLE.bodies], ["limit", "patience", "isFull", "first", "effects"])
        self.assertEqual([body.returns for body in SAMPLE.bodies], ["", "", "Bool", "Word?", "[Effect]"])

    def test_statements_begin_on_lines_of_their_own(self):
        found = [SAMPLE.text[one.start:one.end].split("\n")[0] for one in SAMPLE.statements(SAMPLE.bodies[3])]
        first_words = [text.split(" ")[0].split("(")[0] for text in found]
        self.assertEqual(first_words, ["guard", "log", "state", "done", "return"])


class Rules(unittest.TestCase):
    def test_each_kind_of_fault_is_made(self):
        line = "guard count > 0, let word = words.first else { return nil }"
        for rule, before, after in [
                ("number", "static let limit = 10", "static let limit = 11"),
                ("number", "static let patience = TimeSpan.milliseconds(100)",
                 "static let patience = TimeSpan.milliseconds(200)"),
                ("boundary", "var isFull: Bool { count < Self.limit }", "var isFull: Bool { count <= Self.limit }"),
                ("early return", "var isFull: Bool { count < Self.limit }", "var isFull: Bool { false }"),
                ("dropped guard", line, line.replace("count > 0", "true")),
                ("other one", line, line.replace("first", "last")),
                ("dropped assignment", "state = .over", "_ = ()"),
                ("dropped call", "done()", "_ = ()"),
                ("early return", line, "return nil; " + line),
                ("wrong word", "return .one", "return .other"),
                ("swapped effects", "func effects() -> [Effect] { [.one(1), .other] }",
                 "func effects() -> [Effect] { [.other, .one(1)] }"),
                ("dropped effect", "func effects() -> [Effect] { [.one(1), .other] }",
                 "func effects() -> [Effect] { [.one(1)] }")]:
            self.assertIn((rule, before, after), changed())

    def test_what_stands_in_strings_stays(self):
        self.assertFalse([fault for fault in changed() if "a < b" in fault[1] or fault[2].startswith("log(")])


    def test_kinds_that_nobody_could_notice_are_not_made(self):
        for rule, not_made, made in [
                ("number", "var bytes = [UInt8](repeating: 0, count: 16)", "return [UInt8](repeating: 0, count: 16)"),
                ("number", "guard size >= 4 else { return }", "guard size <= 4 else { return }"),
                ("number", "wait(milliseconds, -1)", "wait(milliseconds, 1)"),
                ("boundary", "names.sort { $0.name < $1.name }", "names.filter { $0.count < most }"),
                ("boundary", "guard descriptor >= 0 else { return }", "guard count >= 0 else { return }"),
                ("other one", "show(calls.first { $0.id == id })", "show(calls.first)"),
                ("swapped calls", "open()\n    defer { close() }", "open()\n    close()"),
                ("swapped effects", "show([.one: one, .other: two])", "show([.one, .other])"),
                ("dropped call", "defer { unsafe json_decref(root) }", "defer { leave() }"),
                ("dropped assignment", "timer?.cancel()\n    timer = nil", "timer = nil")]:
            for text, check in [(not_made, self.assertNotIn), (made, self.assertIn)]:
                source = Source("Sample.swift", f"func call() {{\n    {text}\n}}\n")
                check(rule, {fault[0] for fault in changed(source)}, text)


class Excuses(unittest.TestCase):
    def test_they_name_file_function_and_kind(self):
        text = "# x\n\nTime.swift *: number 2, other one; end: range = No.\n\nIt is so:\n  Time.swift end: number\n"
        self.assertEqual(dict(excused(text)), {
            ("Time.swift", "*", "number"): 2, ("Time.swift", "*", "other one"): 1, ("Time.swift", "end", "range"): 1,
            ("Time.swift", "end", "number"): 1})
        fault = Fault("Room", SAMPLE, SAMPLE.bodies[0], 0, 1, "", "number")
        self.assertEqual(fault.kind, ("Sample.swift", "limit", "number"))

    def test_an_entry_without_a_reason_or_a_kind_fails_the_run(self):
        for text in ["Time.swift end: number", "  Time.swift end: number", "Time.swift end = No.", "x"]:
            self.assertRaises(SystemExit, excused, text)


    def test_one_survivor_more_than_are_excused_tells_of_all(self):
        one, two, three, other = faults = [
            Fault("Room", SAMPLE, SAMPLE.bodies[0], 0, 1, "", rule) for rule in ["number"] * 3 + ["range"]]
        survivors = Survivors(excused("Sample.swift limit: number = No."), set())
        self.assertEqual(survivors.add(one), [])
        self.assertEqual([survivors.are_excused(fault) for fault in faults], [True, False, False, False])
        self.assertEqual([survivors.add(fault) for fault in [two, three, other]], [[one, two], [three], [other]])
        self.assertFalse(any(map(survivors.are_excused, faults)))


class ByHand(unittest.TestCase):
    PLACE = "Sources/Core/Room/Sample.swift: first"

    def made(self, before):
        note = Note(self.PLACE, before, "state = .idle", "")
        return list(written_by_hand({"Room": [SAMPLE]}, [note]))

    def test_text_is_found_wherever_it_stands(self):
        fault, = self.made("state = .over\ndone()")
        self.assertEqual((fault.before, fault.after), ("state = .over\ndone()", "state = .idle"))

    def test_text_that_is_gone_or_stands_there_twice_fails_the_run(self):
        for before in ["state = .gone", "o"]:
            self.assertRaises(SystemExit, self.made, before)


class Copy(unittest.TestCase):
    def test_a_body_has_a_case_for_each_fault(self):
        body = SAMPLE.bodies[2]
        fault = Fault("Room", SAMPLE, body, body.start, body.end, " true ", "", 7)
        text, marks = chosen(body, SAMPLE, [fault])
        self.assertEqual(text.split("\n"), [
            "", "switch belfryFault {", "case 7:", "true", "default:", " count < Self.limit ", "}", ""])
        self.assertEqual(marks, [(2, 3, 7)])

    def test_a_constant_is_a_choice(self):
        body = SAMPLE.bodies[0]
        text, marks = chosen(body, SAMPLE, [Fault("Room", SAMPLE, body, body.start, body.end, "11", "", 7)])
        self.assertEqual(text, "(belfryFault == 7 ?\n(11) :\n(10))")
        self.assertEqual(marks, [(1, 1, 7)])


class Tree(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.tree = FaultyTree(pathlib.Path(self.place.name), simulates=False)
        self.faults = list(faults_by_rules("Room", [SAMPLE], all_rules([SAMPLE])))
        for number, fault in enumerate(self.faults, 1):
            fault.number = number

    def tearDown(self):
        self.place.cleanup()

    def test_a_source_that_has_lost_its_last_fault_is_written_as_it_is(self):
        path = self.tree.folder / SAMPLE.path
        self.tree._write([SAMPLE], self.faults)
        self.assertNotEqual(path.read_text(), SAMPLE.text)
        self.tree._write([SAMPLE], [])
        self.assertEqual(path.read_text(), SAMPLE.text)

    def test_an_error_takes_out_the_faults_of_its_line_and_else_of_its_file(self):
        lines = self.tree._write([SAMPLE], self.faults)
        path = self.tree.folder / SAMPLE.path
        line, numbers = next((line, own) for line, own in lines[SAMPLE.path].items() if len(own) == 1)
        self.assertEqual(self.tree._wrong(f"{path}:{line}:1: error: x\n", lines), numbers)
        self.assertEqual(self.tree._wrong(f"3. While checking [{path}:{line}:1 - line:9]\n", lines), numbers)
        everything = {fault.number for fault in self.faults}
        self.assertEqual(self.tree._wrong(f"{path}:1:1: error: x\n", lines), everything)
        self.assertEqual(self.tree._wrong(f"{path}x:1:1: error: x\n", lines), set())


class Trimming(unittest.TestCase):
    FILES = {
        "Sources/Core/Ringing/Ring.swift": "", "Sources/Core/Ledger/Ledger.swift": 'let tool = "ring-tool"',
        "Sources/Core/Ledger/Note.swift": "", "Sources/Core/Terms/Terms.swift": "",
        "Tests/CoreTests/Help.swift": "import Terms", "Tests/CoreTests/RingingTests/RingTests.swift": "import Ringing",
        "Tests/CoreTests/LedgerTests/LedgerTests.swift": "@testable import Ledger",
        "Tests/NoteTests/NoteTests.swift": "import Ledger",
        "Tests/WholeTests/WholeTests.swift": "import Ringing", "Tests/IntegrationTests/ATests.swift": "import Ringing"}

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.place.name)
        for name, text in self.FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        arrows = {
            "Terms": [], "Ringing": ["Terms"], "Ledger": ["Terms"], "ring-tool": ["Ringing"],
            "CoreTests": ["Ringing", "Ledger", "Terms", "ring-tool"], "WholeTests": ["Ringing"],
            "NoteTests": ["Ledger"], "IntegrationTests": ["Ringing"]}
        self.package = Package(root, {"targets": [
            {"name": name, "type": "test" if "Tests" in name else "executable" if "-" in name else "regular",
             "path": None if "Tests" in name else f"Sources/Core/{name}",
             "dependencies": [{"byName": [arrow, None]} for arrow in own]} for name, own in arrows.items()]})

    def tearDown(self):
        self.place.cleanup()

    def names(self, room):
        return [[suites.name for suites in one] for one in self.package.suites_of(room, False)]

    def test_suites_of_a_room_are_of_its_folder_and_else_what_imports_it(self):
        self.assertEqual(self.names("Ledger"), [["LedgerTests"], ["NoteTests"]])
        self.assertEqual(self.names("Ringing"), [["RingingTests"]])
        self.assertEqual(self.names("Terms"), [["CoreTests"]])
        self.assertEqual(self.names("ring-tool"), [["LedgerTests"]])

    def test_a_folder_of_several_needs_itself_and_what_it_imports(self):
        (suites,), = self.package.suites_of("Ringing", False)
        self.assertEqual(suites.filter, r"^CoreTests\..*/(?:RingTests\.swift):")
        text = self.package.trimmed([suites])
        self.assertIn('"CoreTests", sources: ["Help.swift", "RingingTests/RingTests.swift"]', text)
        self.assertIn('dependencies: ["Ringing", "Terms"]', text)
        self.assertIn('["CoreTests", "Ringing", "Terms"]', text)
        self.assertIn('["CoreTests", "Ledger", "Ringing", "Terms", "ring-tool"]', self.package.trimmed([suites], False))


class Sampling(unittest.TestCase):
    def test_a_sample_has_what_is_made_by_hand_and_does_not_depend_on_numbers(self):
        faults = list(faults_by_rules("Room", [SAMPLE], all_rules([SAMPLE])))
        faults[-1].rule = "by hand"
        chosen_first = {fault.identity for fault in sample(faults, 5)}
        for number, fault in enumerate(faults):
            fault.number = 100 + number
        self.assertEqual({fault.identity for fault in sample(faults, 5)}, chosen_first)
        self.assertEqual(len(chosen_first), 5)
        self.assertIn(faults[-1].identity, chosen_first)


if __name__ == "__main__":
    unittest.main()
