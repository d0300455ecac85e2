"""Tests of the rules and of what they read: python3 -m unittest discover -s Tests/Mutants"""

import pathlib
import tempfile
import unittest

from faults import Fault, Note, faults_by_rules, sample, written_by_hand
from faulty_tree import FaultyTree, chosen
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
