"""A copy of the tree in which every fault is compiled in, and switched on by the environment.

A body with faults becomes a switch with a whole body for each, so that any change will do that could stand in the
source; a constant becomes a choice. What does not compile is taken out by the lines of the compiler's errors.
"""

import collections
import json
import os
import re
import shutil
import subprocess

SWITCH = "FAULT_ON_PURPOSE"
# In each room, so that none imports another for it.
SWITCH_SOURCE = f"""import Glibc

/// Which fault is on.
let belfryFault: Int = getenv("{SWITCH}").flatMap {{ Int(String(cString: $0)) }} ?? 0
"""


class FaultyTree:
    """The copy, and what was built of it."""

    def __init__(self, root, simulates):
        """`simulates` builds the simulation alone, optimised, instead of tests."""
        self.root, self.simulates = root, simulates
        self.folder = root / ".build/mutants/tree"
        self.scratch = root / ".build/mutants/build"
        self.refused = root / ".build/mutants/refused.json"
        self.bundle = self.scratch / "debug/belfryPackageTests.xctest"
        self.simulation = self.scratch / "release/simulate"
        self.wanted = ["--configuration", "release", "--product", "simulate"] if simulates else ["--build-tests"]

    def build(self, package, suites, faults, tell):
        """Builds of the copy with `faults` what `suites` need; returns those that compile."""
        refused = set(map(tuple, json.loads(self.refused.read_text()))) if self.refused.exists() else set()
        faults = [fault for fault in faults if fault.identity not in refused]
        sources = {fault.source.path: fault.source for fault in faults}
        self._copy(sources.keys())
        by_folder = True
        self._trim(package.trimmed(suites))
        for folder in package.rooms.values():
            write(self.folder / folder / "BelfryFault.swift", SWITCH_SOURCE)
        while True:
            lines = self._write(sources.values(), faults)
            tell(f"building {len(faults)} faults")
            command = [
                "swift", "build", *self.wanted, "--package-path", self.folder, "--scratch-path", self.scratch,
                "-debug-info-format", "none", "-Xswiftc", "-suppress-warnings"]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if result.returncode == 0:
                return faults
            wrong = self._wrong(result.stdout, lines)
            if not wrong and by_folder:
                # A folder of tests may need what only a neighbour has.
                by_folder = False
                self._trim(package.trimmed(suites, by_folder))
                continue
            if not wrong:
                raise SystemExit(f"the faulty tree does not build:\n{result.stdout[-4000:]}")
            refused |= {fault.identity for fault in faults if fault.number in wrong}
            faults = [fault for fault in faults if fault.number not in wrong]
            self.refused.write_text(json.dumps(sorted(refused)))

    def _copy(self, faulty):
        """Copies what git knows or would, but sources with faults, and removes what is gone."""
        listed = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")
        names = {name for name in listed if name and (self.root / name).is_file()}
        for path in self.folder.rglob("*"):
            if path.is_file() and str(path.relative_to(self.folder)) not in names and path.name != "BelfryFault.swift":
                path.unlink()
        for name in names - faulty:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name == "Package.swift":
                continue
            if not target.exists() or target.read_bytes() != (self.root / name).read_bytes():
                shutil.copy(self.root / name, target)

    def _trim(self, ending):
        """Writes the copy's Package.swift: what is a warning there is no error, and the simulation is left whole."""
        text = re.sub(r"\.treatAllWarnings\(as: \.error\),?", "", (self.root / "Package.swift").read_text())
        write(self.folder / "Package.swift", text if self.simulates else text + ending)

    def _write(self, sources, faults):
        """Writes the sources with their faults; returns for each path and line the numbers of faults there."""
        lines = collections.defaultdict(dict)
        by_source = collections.defaultdict(list)
        for fault in faults:
            by_source[fault.source.path].append(fault)
        # A source that has lost its last fault is written as it is.
        for source in sources:
            path, text, place = source.path, "", 0
            own = by_source[path]
            for body in source.bodies:
                of_body = [fault for fault in own if fault.body is body]
                if not of_body:
                    continue
                text += source.text[place:body.start]
                first = text.count("\n") + 1
                choice, marks = chosen(body, source, of_body)
                text += choice
                # An error elsewhere in the body may be due to any of them.
                for line in range(first, text.count("\n") + 2):
                    lines[path][line] = {fault.number for fault in of_body}
                for start, end, number in marks:
                    for line in range(first + start, first + end + 1):
                        lines[path][line] = {number}
                place = body.end
            # What is inlined into other modules may not ask which fault is on.
            write(self.folder / path, (text + source.text[place:]).replace("@inlinable", ""))
        return lines

    def _wrong(self, output, lines):
        """The numbers of the faults in whose lines the compiler found errors; else of those where it gave up itself,
        and else of all in the files that it complains of: a fault may keep what stands elsewhere from compiling."""
        place = re.escape(str(self.folder)) + r"/([^:\n]+):(\d+):\d+"
        for found in (re.findall("^" + place + ": error:", output, re.M), re.findall(r"\[" + place, output)):
            numbers = set().union(*(lines.get(path, {}).get(int(line), set()) for path, line in found))
            numbers = numbers or set().union(*(one for path, _ in found for one in lines.get(path, {}).values()))
            if numbers:
                return numbers
        return set()


def chosen(body, source, faults):
    """The text of a body with faults, and for each the lines of that text that are its own, from 0."""
    original = source.text[body.start:body.end]
    variants = [
        (fault, source.text[body.start:fault.start] + fault.text + source.text[fault.end:body.end]) for fault in faults]
    marks = []
    if body.kind == "value":
        text = "("
        for fault, variant in variants:
            marks.append((text.count("\n") + 1, text.count("\n") + 1, fault.number))
            text += f"belfryFault == {fault.number} ?\n({variant}) :\n"
        return text + f"({original}))", marks
    text = "\nswitch belfryFault {\n"
    for fault, variant in variants:
        start = text.count("\n")
        text += f"case {fault.number}:\n{variant.strip(' ')}\n"
        marks.append((start, text.count("\n") - 1, fault.number))
    return text + f"default:\n{original}\n}}\n", marks


def write(path, text):
    """Writes a file unless it says that already, so that nothing is compiled in vain."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
