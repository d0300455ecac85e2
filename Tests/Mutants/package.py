"""Which rooms there are, which suites hold each, and how little of the package they need to be built."""

import dataclasses
import functools
import json
import pathlib
import re
import subprocess

SIMULATION = "SimulationTests"
# What needs the whole machine, and what reads the sources that faults are made of.
NEVER_RUN = ("IntegrationTests", "TidyTests")
IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:\w+ )?import (?:\w+ )?(\w+)", re.M)


@dataclasses.dataclass(frozen=True)
class Suites:
    """The suites of one folder: all of a test target, or one subject of several; and which targets they need."""
    target: str
    folder: str
    files: tuple
    arrows: frozenset

    def __str__(self):
        return self.name

    @property
    def name(self):
        return pathlib.PurePath(self.folder).name

    @property
    def filter(self):
        """What matches them alone: a test is called by its target, its suite and its file."""
        return rf"^{self.target}\..*/(?:{'|'.join(map(re.escape, self.files))}):"


class Package:
    """The package as "swift package dump-package" says, at `root`."""

    def __init__(self, root, description):
        self.root = root
        self.targets = {target["name"]: target for target in description["targets"]}
        self.arrows = {
            name: [
                (arrow.get("byName") or arrow.get("target") or arrow["plugin"])[0]
                for arrow in target["dependencies"] + target.get("pluginUsages", [])]
            for name, target in self.targets.items()}
        self.rooms = {
            name: target["path"] for name, target in self.targets.items()
            if target["type"] in ("regular", "executable") and target["path"].startswith("Sources/")}
        self.suites = [
            suites for name, target in self.targets.items() if target["type"] == "test"
            for suites in self.suites_in(name) if not any(never in suites.folder for never in NEVER_RUN)]

    def suites_in(self, target):
        """The folders of a test target. If there are several, each needs what it imports, and the programs that it, a
        room that it imports or another such program calls by their names."""
        top = self._path(target)
        folders = {}
        for path in sorted((self.root / top).rglob("*.swift")):
            folders.setdefault(path.parent, []).append(path)
        for folder, paths in folders.items():
            arrows = self.arrows[target]
            if len(folders) > 1:
                text = "\n".join(path.read_text() for path in paths)
                arrows = [arrow for arrow in arrows if arrow.replace("-", "_") in IMPORT.findall(text)]
                text += "".join(map(self._text, arrows))
                programs = [
                    arrow for arrow in self.arrows[target] if self.targets[arrow]["type"] == "executable"]
                # What a program is made of calls others in turn.
                while called := [name for name in programs if name not in arrows and f'"{name}"' in text]:
                    arrows += called
                    text += "".join(self._text(room) for name in called for room in self._reached(name))
            yield Suites(
                target, str(folder.relative_to(self.root)), tuple(path.name for path in paths), frozenset(arrows))

    def suites_of(self, room, is_played):
        """Lists of suites, one to run after the other: the folder that is named for the room, and then those with tests
        that are named for one of its files; without such a folder those that need it and are named for no other, and
        then the others; without such those of a room that uses it. At the end the simulation, if that plays the
        room."""
        units = [suites for suites in self.suites if suites.target != SIMULATION]
        named = [suites for suites in units if suites.name in (room, f"{room}Tests")]
        users = [suites for suites in units if room in suites.arrows] or [
            suites for suites in units if any(room in self.arrows[user] for user in suites.arrows & self.rooms.keys())]
        own = named or [suites for suites in users if suites.name.removesuffix("Tests") not in self.rooms] or users
        tests = {f"{path.stem}Tests.swift" for path in (self.root / self.rooms[room]).rglob("*.swift")}
        others = [
            suites for suites in users if suites not in own and (not named or not tests.isdisjoint(suites.files))]
        simulation = [suites for suites in self.suites if suites.target == SIMULATION and is_played]
        return [suites for suites in (own, others, simulation) if suites]

    def trimmed(self, chosen, by_folder=True):
        """What, at the end of Package.swift, leaves of the package what the chosen suites need; of their targets their
        own folders alone, unless `by_folder` is false."""
        text, kept = "", set()
        for name in sorted({suites.target for suites in chosen}):
            top, whole = self._path(name), list(self.suites_in(name))
            # What lies beside the folders is for all of them.
            own = [suites for suites in whole if suites in chosen or suites.folder == top or not by_folder]
            arrows = sorted(set().union(*(suites.arrows for suites in own)) if by_folder else self.arrows[name])
            files = sorted(f"{suites.folder}/{file}"[len(top) + 1:] for suites in own for file in suites.files)
            text += f"(name: {json.dumps(name)}, sources: {json.dumps(files)}, dependencies: {json.dumps(arrows)}),\n"
            kept |= {name}.union(*map(self._reached, arrows))
        return f"""
let chosen: [(name: String, sources: [String], dependencies: [Target.Dependency])] = [\n{text}]
let kept: Set<String> = {json.dumps(sorted(kept))}
package.products = []
package.targets.removeAll {{ !kept.contains($0.name) }}
for target in package.targets {{
    guard let own = chosen.first(where: {{ $0.name == target.name }}) else {{ continue }}
    target.sources = own.sources
    target.dependencies = own.dependencies
}}
"""

    def _path(self, target):
        return self.targets[target].get("path") or f"Tests/{target}"

    @functools.lru_cache(maxsize=None)
    def _text(self, target):
        """What is in a room; of no other target."""
        return "".join(path.read_text() for path in (self.root / self.rooms[target]).rglob("*.swift")) \
            if target in self.rooms else ""

    @functools.lru_cache(maxsize=None)
    def _reached(self, target):
        return frozenset({target}).union(*map(self._reached, self.arrows[target]))


def package_at(root):
    scratch = ["--package-path", root, "--scratch-path", root / ".build/mutants/package"]
    return Package(root, json.loads(subprocess.run(
        ["swift", "package", *scratch, "dump-package"], stdout=subprocess.PIPE, check=True).stdout))
