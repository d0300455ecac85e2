"""An app that answers its calls by its own code: its rings beside those of the built-in service, by the same worker,
and its answers beside those of a bare Foundation program.

What such calls must not cost others is measured elsewhere: the alert path and a worker's start by "activation", its
memory by "memory". Where a manager runs, it is the manager's doing what an app's start takes.
"""

import contextlib
import json
import math
import os
import pathlib
import plistlib
import shutil
import signal
import socket
import struct
import subprocess
import time
import wave

import extension
import figures
import machine as setting
import serve
import ticks

APP = "bench.phone"
BARE = "bench.bare"
GROUP = "group.bench"
RING_SECONDS = 20
TUNE_SECONDS = 3
TICKS = 30
WARM_UP = 3
# Until a worker that has said its last has left.
REST_SECONDS = 0.02
GAP_MILLISECONDS = 2
LIVELY = {"SOUND": "none", "RING_INTERVAL": "1s", "APP_GROUP": GROUP}


def build(tree):
    """The app and its peer, both as `belfry pack` links: statically, and at a fixed address."""
    options = (*extension.BUILDS["static"], "--disable-local-rpath", "-Xlinker", "-no-pie")
    extension.build_package(tree / "Bench/Apps", extension.scratch(tree, "static"), options)


def bundle(machine, name="Phone.app", tune=""):
    """The folder of the app; with `tune` its ringtone is a file of that name."""
    folder = machine.scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "Info.plist").write_bytes(plistlib.dumps({
        "CFBundleIdentifier": APP, "CFBundleExecutable": "Phone", "CFBundleDisplayName": "Phone",
        "UIBackgroundModes": ["voip"], "aps-environment": "development", "Ringtone": tune,
    }))
    if tune:
        with wave.open(str(folder / tune), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(b"".join(
                struct.pack("<h", int(8000 * math.sin(n / 3))) for n in range(TUNE_SECONDS * 8000)))
    shutil.copy(program(machine, "Phone"), folder)
    return folder


def program(machine, name):
    return extension.scratch(machine.tree, "static") / "release" / name


class Ring(setting.Ring):
    """A voip push to the socket at `path`, and its events."""

    def __init__(self, path, call, topic):
        self.call, self.events = call, []
        payload = {"callId": call, "callerName": "Bench", "handle": "+1234567890", "duration": RING_SECONDS}
        push = {"payload": payload, "pushType": "voip", "topic": topic, "appGroup": GROUP}
        setting.Connection.__init__(self, path, json.dumps(push).encode() + b"\n")

    def milliseconds_until(self, name):
        return (self.first(name)["boot"] - self.started) * 1000


class Phone:
    """What `belfry serve` serves at `path`, with or without apps."""

    def __init__(self, machine, path):
        self.machine, self.path = machine, path
        self.folder = pathlib.Path(path).parent
        self.calls_path = str(self.folder / "run/calls.sock")

    def milliseconds_to_ringing(self, topic=f"{APP}.voip"):
        """Rings, and is hung up."""
        ring = Ring(self.path, self.machine.unused("voip"), topic)
        milliseconds = ring.milliseconds_until("ringing")
        push = setting.Connection(self.path, setting.hangup(GROUP))
        ring.until("ended")
        for connection in (ring, push):
            for _ in connection.lines():
                pass
            connection.close()
        time.sleep(REST_SECONDS)
        return milliseconds

    def ask(self, **message):
        """What belfry-calls answers."""
        connection = setting.Connection(self.calls_path, json.dumps(message).encode() + b"\n")
        answer = json.loads(connection.line())
        connection.close()
        return answer

    def stop_app(self):
        setting.wait_until(lambda: self.listed()["calls"] == 0, "the end of the app's calls")
        if (answer := self.ask(say="stop", app=APP))["say"] != "done":
            raise setting.Failure(f"the app does not stop: {answer}")

    def listed(self):
        return next(app for app in self.ask(say="apps")["apps"] if app["id"] == APP)

    def centre(self):
        """The process of belfry-calls."""
        mark = f"BELFRY_RUNTIME_DIRECTORY={self.folder}/run".encode()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (folder / "comm").read_text() == "belfry-calls\n" and mark in (folder / "environ").read_bytes():
                    return int(folder.name)
        raise setting.Failure("belfry-calls does not run")

    @contextlib.contextmanager
    def kept(self):
        """Has belfry-calls run on, though it has nothing to do."""
        connection = setting.Connection(self.calls_path, b'{"say":"watch"}\n')
        try:
            yield
        finally:
            connection.close()


class App:
    """The app, started by hand, which is asked for what is to be measured."""

    def __init__(self, folder, phone):
        self.phone = phone
        self.process = subprocess.Popen(
            [folder / "Phone", "--asked"], env=os.environ | {"BELFRY_CALLS_SOCKET": phone.calls_path},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer("registered")

    def answer(self, word):
        """The words after `word` in the next line, which begins with it."""
        first, *words = self.process.stdout.readline().decode().split() or [""]
        if first != word:
            raise setting.Failure(f"the app does not say {word}, but {first} {words}")
        return words

    def tell(self, word):
        self.process.stdin.write(word.encode() + b"\n")
        self.process.stdin.flush()

    def end_calls(self):
        self.tell("end")
        setting.wait_until(lambda: self.phone.listed()["calls"] == 0, "the end of the app's calls")
        time.sleep(REST_SECONDS)

    def milliseconds_to_completion(self):
        """From a report without a push to its completion."""
        self.tell("report")
        begun, ended = self.completed()
        self.end_calls()
        return (ended - begun) / 1000

    def milliseconds_from_answer(self):
        """From the start of `belfry answer` to the delegate, and to the event of the ring."""
        machine = self.phone.machine
        ring = Ring(self.phone.path, machine.unused("answered"), f"{APP}.voip")
        ring.until("ringing")
        environment = os.environ | {
            "BELFRY_APP_GROUP": GROUP,
            "BELFRY_STATE_DIRECTORY": str(self.phone.folder / "state"),
            "BELFRY_RUNTIME_DIRECTORY": str(self.phone.folder / "run"),
        }
        begun = setting.boot_seconds()
        subprocess.run(
            [machine.stage / "bin/belfry", "answer", ring.call], env=environment, check=True, timeout=20,
            stdout=subprocess.DEVNULL)
        instant = int(self.answer("answer")[0]) / 1e6
        ended = ring.until("ended")["boot"]
        ring.close()
        self.end_calls()
        return (instant - begun) * 1000, (ended - begun) * 1000

    def kibibytes_of_a_call(self, count):
        """What one of so many calls that go on takes of belfry-calls."""
        before = setting.anonymous_kibibytes(self.phone.centre())
        for _ in range(count):
            self.tell("start")
            self.completed()
        kibibytes = (setting.anonymous_kibibytes(self.phone.centre()) - before) / count
        self.end_calls()
        return kibibytes

    def completed(self):
        """When it asked for what was completed, and when that was, in microseconds since boot."""
        begun, ended, *error = self.answer("completed")
        if error:
            raise setting.Failure(f"a request was refused: {error}")
        return int(begun), int(ended)

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=setting.PATIENCE_SECONDS)


class Bare(App):
    """A bare Foundation program that says the same."""

    def __init__(self, machine, phone):
        self.phone = phone
        self.process = subprocess.Popen(
            [program(machine, "BarePhone"), phone.calls_path, BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def microseconds_of_requests(machine, phone, app, count):
    """From a request of each to its completion, and to the event of the call, the app first."""
    bare = Bare(machine, phone)
    watch = setting.Connection(phone.calls_path, b'{"say":"watch"}\n')
    completed, told = ([], []), ([], [])
    try:
        for talker in (app, bare):
            talker.tell("start")
            talker.completed()
        for n in range(count):
            for which, (talker, app_id) in enumerate(((app, APP), (bare, BARE))):
                talker.tell("mute")
                begun, ended = talker.completed()
                state = "unmuted" if n % 2 else "muted"
                event = next(event for line in watch.lines() if (event := json.loads(line)).get("state") == state
                             and event["app"] == app_id and event["event"] == "call")
                completed[which].append(ended - begun)
                told[which].append(event["boot"] * 1e6 - begun)
                time.sleep(GAP_MILLISECONDS / 1000)
        app.end_calls()
        bare.tell("end")
    finally:
        watch.close()
        bare.close()
    return completed, told


def microseconds_late(phones):
    """How late each tick is of a ring of each, which ring beside each other."""
    rings = [Ring(phone.path, phone.machine.unused("tune"), f"{APP}.voip") for phone in phones]
    for ring in rings:
        while sum(event["event"] == "tick" for event in ring.events) < TICKS:
            ring.until("tick")
    for phone in phones:
        setting.Connection(phone.path, setting.hangup(GROUP)).close()
    for ring in rings:
        ring.until("ended")
        ring.close()
    return [[event["late"] * 1e6 for event in ring.events if event["event"] == "tick"] for ring in rings]


def add_rounds_of_ticks(machine, comparison, rounds):
    settings = LIVELY | {"SOUND": "ring", "RING_INTERVAL": "200ms"}
    folders = [bundle(machine, "Tune.app", tune="tune.wav"), bundle(machine, "Plain.app")]
    with ticks.sound_server(), contextlib.ExitStack() as stack:
        phones, apps = [], []
        for folder in folders:
            path = stack.enter_context(serve.served(machine, APPS=str(folder), **settings))
            phones.append(Phone(machine, path))
            apps.append(App(folder, phones[-1]))
        try:
            # The tune may not be there yet.
            microseconds_late(phones)
            for _ in range(rounds):
                comparison.add_round(*microseconds_late(phones))
        finally:
            for app in apps:
                app.close()


@contextlib.contextmanager
def listening(path):
    """A socket that takes one connection at a time."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(1)
    try:
        yield listener
    finally:
        listener.close()
        path.unlink()


def milliseconds_to_first_line(machine):
    """The start of a bare program, to the line that it says from its main queue."""
    path = machine.scratch / "bare.sock"
    with listening(path) as listener:
        began = setting.boot_seconds()
        process = subprocess.Popen([program(machine, "BarePhone"), path])
        connection, _ = listener.accept()
        connection.recv(1024)
        milliseconds = (setting.boot_seconds() - began) * 1000
        connection.close()
        process.wait(timeout=setting.PATIENCE_SECONDS)
    return milliseconds


def microseconds_of_answers(machine, folder, count):
    """From a line on the socket to the outcome that the delegate said on the main queue, of the app and its peer."""
    paths = {name: machine.scratch / f"{name}.sock" for name in ("app", "bare")}
    for path in paths.values():
        path.unlink(missing_ok=True)
    words = [str(word) for item in paths.items() for word in item]
    centre = subprocess.Popen(
        [machine.peers / "answers", str(count), str(GAP_MILLISECONDS), *words], stdout=subprocess.PIPE, text=True)
    if centre.stdout.readline() != "listening\n":
        raise setting.Failure("nobody listens in place of belfry-calls")
    environment = os.environ | {"BELFRY_CALLS_SOCKET": str(paths["app"])}
    processes = [
        subprocess.Popen([folder / "Phone"], env=environment),
        subprocess.Popen([program(machine, "BarePhone"), paths["bare"]]),
    ]
    try:
        samples = {name: [] for name in paths}
        for line in centre.stdout:
            name, microseconds = line.split()
            samples[name].append(float(microseconds))
        if centre.wait(timeout=setting.PATIENCE_SECONDS):
            raise setting.Failure("an action had no outcome")
        return samples["app"], samples["bare"]
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Figures:
    """What is compared."""

    def __init__(self):
        self.running = figures.Comparison("connect to ringing, app runs, peer built in", "ms")
        self.absent = figures.Comparison("connect to ringing, calls.sock without an app for it, peer built in", "ms")
        self.started = figures.Comparison("connect to ringing, app starts, peer built in and a bare start", "ms")
        self.reported = figures.Comparison("report without a push to completion, peer connect to ringing of a push", "ms")
        self.answered = figures.Comparison("belfry answer to delegate, peer to ended", "ms")
        self.asked = figures.Comparison("line to delegate on the main queue to line, peer bare Foundation", "µs")
        self.requested = figures.Comparison("request of an action to its completion, peer bare Foundation", "µs")
        self.told = figures.Comparison("request, perform, fulfilled to the call's event, peer bare Foundation", "µs")
        self.late = figures.Comparison("tick lateness with an app's tune, peer the configured sound", "µs")
        self.private, self.call = [], []

    def add_round_of_running(self, machine, plain, phone, folder, count):
        app = App(folder, phone)
        try:
            for _ in range(WARM_UP):
                phone.milliseconds_to_ringing(), plain.milliseconds_to_ringing()
            taken = [(phone.milliseconds_to_ringing(), phone.milliseconds_to_ringing("nobody.voip"),
                      plain.milliseconds_to_ringing(), app.milliseconds_to_completion()) for _ in range(count)]
            running, absent, built_in, reported = (list(each) for each in zip(*taken))
            answered = [app.milliseconds_from_answer() for _ in range(count)]
            self.private.append(setting.anonymous_kibibytes(phone.centre()))
            requested, told = microseconds_of_requests(machine, phone, app, 10 * count)
            self.call.append(app.kibibytes_of_a_call(100))
        finally:
            app.close()
        self.requested.add_round(*requested)
        self.told.add_round(*told)
        self.running.add_round(running, built_in)
        self.absent.add_round(absent, built_in)
        self.reported.add_round(reported, running)
        self.answered.add_round(*(list(each) for each in zip(*answered)))

    def add_round_of_starting(self, machine, plain, phone, count):
        started, expected = [], []
        with phone.kept():
            for _ in range(count):
                started.append(phone.milliseconds_to_ringing())
                phone.stop_app()
                expected.append(plain.milliseconds_to_ringing() + milliseconds_to_first_line(machine))
        self.started.add_round(started, expected)

    def rows(self):
        return [
            self.running.row(figures.difference, figures.median, 3, "3 ms more"),
            self.started.row(figures.difference, figures.median, 3, "3 ms more"),
            self.reported.row(figures.difference, figures.median, 2, "2 ms more"),
            self.answered.row(figures.difference, figures.median, 1, "1 ms more"),
            self.asked.row(figures.ratio, figures.median, 1.25, "1.25 ×"),
            self.requested.row(figures.ratio, figures.median, 1.25, "1.25 ×"),
            self.told.row(figures.ratio, figures.median, 1.25, "1.25 ×"),
            self.late.row(figures.ratio, figures.median, 1.25, "1.25 ×"),
            self.absent.row(figures.difference, figures.median, 1, "1 ms more"),
            figures.plain_row(
                "RssAnon of belfry-calls, idle with one app (KiB)", self.private, max, 3072, "3 MiB"),
            figures.plain_row("RssAnon of belfry-calls for each of 100 calls (KiB)", self.call, max, 16, "16 KiB"),
        ]


def measure(machine, rounds, count):
    """The rows; without samples if the build knows of no apps."""
    taken = Figures()
    if (machine.stage / "bin/belfry-calls").exists():
        folder = bundle(machine)
        with serve.served(machine, **LIVELY) as plain, serve.served(machine, APPS=str(folder), **LIVELY) as apps:
            plain, phone = Phone(machine, plain), Phone(machine, apps)
            for _ in range(rounds):
                taken.add_round_of_running(machine, plain, phone, folder, count)
                taken.add_round_of_starting(machine, plain, phone, count)
                taken.asked.add_round(*microseconds_of_answers(machine, folder, 10 * count))
        add_rounds_of_ticks(machine, taken.late, rounds)
    return taken.rows()
