"""The call directory: loads against a C program that reads the same entries from a pipe and writes the same file,
look-ups against the same in C, and what a call costs that is looked up."""

import json
import os
import pathlib
import plistlib
import shutil
import subprocess
import tempfile
import time

import extension
import figures
import machine as setting

IDS = ("bench.numbers.one", "bench.numbers.two", "bench.numbers.three")
FIRST_NUMBER = 4_930_000_000
LARGE, LOADED, SMALL = 2_000_000, 1_000_000, 10_000
# Numbers that are looked up: every second one is in no table.
LOOKED_UP = 4_000
RING_SECONDS = 1


class Directory:
    """Three extensions that give generated numbers, enabled in a state directory of their own."""

    def __init__(self, machine):
        self.machine = machine
        self.bundles = {identifier: machine.scratch / f"{identifier}.appex" for identifier in IDS}
        # On a disk, as people have it: the manager's own folders are in memory.
        self.state = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp", prefix="belfry-bench-"))
        self.folder = self.state / "directory"
        self.folder.mkdir(mode=0o700)
        records = [{"id": identifier, "app": "Bench", "enabled": True} for identifier in IDS]
        (self.folder / "extensions.json").write_text(json.dumps({"extensions": records}))
        for identifier in IDS:
            self.give(identifier, SMALL)
        self.environment = {
            **os.environ, "BELFRY_STATE_DIRECTORY": str(self.state), "BELFRY_CONFIG_FILES": "no",
            "BELFRY_DIRECTORY_EXTENSIONS": " ".join(map(str, self.bundles.values())),
        }

    def give(self, identifier, entries, difference=False):
        """Has an extension give so many entries when it is loaded next, or a hundred of them as a difference."""
        folder = self.bundles[identifier]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "Info.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "Numbers",
            "NSExtension": {"NSExtensionPointIdentifier": "com.apple.callkit.call-directory"},
            "BenchEntries": entries, "BenchDifference": difference,
        }))
        program = extension.scratch(self.machine.tree, "static") / "release/Numbers"
        shutil.copy2(program, folder / "Numbers")

    def start(self, identifier):
        program = self.machine.stage / "bin/belfry-directory"
        return subprocess.Popen([program, identifier], env=self.environment, stdout=subprocess.PIPE, text=True)

    def load(self, identifier, entries, difference=False):
        """Loads one; the seconds that it took, and the kB that were the extension's own."""
        self.give(identifier, entries, difference)
        began = time.monotonic()
        loading = self.start(identifier)
        said = [json.loads(line) for line in loading.communicate(timeout=setting.PATIENCE_SECONDS * 6)[0].splitlines()]
        seconds = time.monotonic() - began
        if loading.returncode or said[-1].get("code") is not None:
            raise setting.Failure(f"{identifier} was not loaded: {said[-1:]}")
        memory = [int(line["output"].split()[1]) for line in said if line.get("output", "").startswith("RssAnon:")]
        return seconds, memory[0]

    def table(self, identifier):
        return self.folder / f"{identifier}.extension.numbers"


def copied(path, to):
    """The seconds that a copy of the file takes, flushed and renamed."""
    began = time.monotonic()
    with open(path, "rb") as source, open(f"{to}.new", "wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 16)
        copy.flush()
        os.fsync(copy.fileno())
    os.rename(f"{to}.new", to)
    return time.monotonic() - began


def measure_loads(machine, directory, rounds):
    whole = figures.Comparison(f"directory: load of {LOADED:,} entries", "s")
    difference = figures.Comparison("directory: 100 entries anew of 2,000,000, peer a copy of the file", "s")
    memory = figures.Comparison("directory: extension with 2,000,000 entries, peer 10,000", "MiB")
    first = IDS[0]
    for _ in range(rounds):
        peer = subprocess.run(
            [machine.peers / "number-load", str(LOADED), directory.state], check=True, stdout=subprocess.PIPE)
        whole.add_round([directory.load(first, LOADED)[0]], [float(peer.stdout)])
        small, large = directory.load(first, SMALL)[1], directory.load(first, LARGE)[1]
        memory.add_round([large / 1024], [small / 1024])
        path = directory.state / "copy"
        difference.add_round([directory.load(first, LARGE, True)[0]], [copied(directory.table(first), path)])
        path.unlink()
    return [
        whole.row(figures.ratio, figures.median, 3, "3 ×"),
        difference.row(figures.ratio, figures.median, 2, "2 ×"),
        memory.row(figures.difference, figures.median, 2, "2 MiB more"),
    ]


def measure_lookups(machine, directory, rounds):
    """Look-ups in three large tables, each time opened anew."""
    numbers = "".join(f"+{FIRST_NUMBER + index * 997 % (2 * LARGE)}\n" for index in range(LOOKED_UP))
    bare = numbers.replace("+", "")
    lookup = figures.Comparison("directory: a look-up in three tables of 2,000,000", "µs")
    for _ in range(rounds):
        peer = subprocess.run(
            [machine.peers / "number-lookup", directory.folder, *IDS], input=bare, check=True, stdout=subprocess.PIPE,
            text=True)
        lookup.add_round([lookup_microseconds(machine, directory, numbers)], [float(peer.stdout)])
    return [
        lookup.row(figures.ratio, figures.median, 2, "2 ×"),
        figures.plain_row(lookup.what + ", opening them", [value for [value] in lookup.belfry], figures.median, 300,
                          "300 µs"),
    ]


def lookup_microseconds(machine, directory, numbers):
    """One look-up of many in one run, less the run that looks up nothing."""
    def seconds(text):
        began = time.monotonic()
        subprocess.run([machine.stage / "bin/belfry", "directory", "lookup", "-"], input=text, text=True, check=True,
                       env=directory.environment, stdout=subprocess.DEVNULL)
        return time.monotonic() - began
    return (seconds(numbers) - seconds("")) * 1e6 / LOOKED_UP


def call(machine, group, identifier, duration):
    """A call whose number the first table names."""
    request = json.loads(setting.call_request(group, identifier, duration))
    request["payload"]["info"]["handle"] = f"+{FIRST_NUMBER + 7}"
    return json.dumps(request).encode() + b"\n"


class NumberedRing(setting.Ring):
    """A call request with a number, whose group is kept in the state directory `state`."""

    def __init__(self, machine, state, duration):
        self.machine, self.group, self.call = machine, machine.unused("number"), machine.unused("call")
        self.state = state
        self.events = []
        setting.Connection.__init__(self, machine.push_socket, call(machine, self.group, self.call, duration))

    def milliseconds_to_ring(self):
        self.until("ringing")
        return (setting.boot_seconds() - self.started) * 1e3

    def pid(self):
        path = self.state / "groups" / self.group / "Library/Preferences" / f"{self.group}.plist"
        return plistlib.loads(path.read_bytes())["calls"][self.call]["pid"]


def measure_calls(machine, directory, rounds, count):
    """Until a call rings while a large load runs and while none does; and a ringing worker's memory with tables and
    without."""
    start = figures.Comparison("directory: connect to ringing during a load, peer without one", "ms")
    memory = figures.Comparison("directory: a worker that rings a labelled call, peer no tables", "MiB")
    for _ in range(rounds):
        machine.configure(STATE_DIRECTORY=str(directory.state))
        calm = [ring_once(machine, directory.state) for _ in range(count)]
        directory.give(IDS[2], LARGE)
        loading, busy = directory.start(IDS[2]), []
        while loading.poll() is None:
            busy.append(ring_once(machine, directory.state))
        start.add_round(busy, calm)
        with_tables = worker_mebibytes(machine, directory.state)
        bare = machine.scratch / "no-directory"
        machine.configure(STATE_DIRECTORY=str(bare))
        memory.add_round([with_tables], [worker_mebibytes(machine, bare)])
    machine.systemctl("unset-environment", "BELFRY_STATE_DIRECTORY")
    return [
        start.row(figures.difference, figures.median, 5, "5 ms more"),
        memory.row(figures.difference, figures.median, 0.1, "0.1 MiB more"),
    ]


def ring_once(machine, state):
    ring = NumberedRing(machine, state, RING_SECONDS)
    milliseconds = ring.milliseconds_to_ring()
    ring.close()
    return milliseconds


def worker_mebibytes(machine, state):
    ring = NumberedRing(machine, state, 20)
    ring.until("delivered")
    mebibytes = setting.anonymous_kibibytes(ring.pid()) / 1024
    ring.close()
    machine.stop_workers()
    return mebibytes


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s")
    directory = Directory(machine)
    try:
        for identifier in IDS:
            directory.load(identifier, LARGE)
        rows = measure_lookups(machine, directory, rounds)
        rows += measure_calls(machine, directory, rounds, count)
        return rows + measure_loads(machine, directory, rounds)
    finally:
        shutil.rmtree(directory.state, ignore_errors=True)
