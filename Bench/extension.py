"""A foreign extension's process from its start to its reply, against one that does the same round trip and nothing
else; and what a notification costs with one."""

import json
import os
import shutil
import socket
import subprocess

import figures
import machine as setting

BUILDS = {"dynamic": (), "static": ("--static-swift-stdlib",)}
KINDS = {"template": ("Template", "Bare"), "template that names URLSession": ("NetworkedTemplate", "NetworkedBare")}
PLIST = "<plist version='1.0'><dict><key>CFBundleIdentifier</key><string>bench.template</string></dict></plist>"
WARM_UP = 3


def build(tree):
    """Both kinds and their peers, linked both ways. An extension is delivered as a release build."""
    for name, options in BUILDS.items():
        build_package(tree / "Bench/Extensions", scratch(tree, name), options)


def build_package(package, scratch, options):
    built = subprocess.run(
        ["swift", "build", "--package-path", package, "--scratch-path", scratch,
         "--configuration", "release", "-debug-info-format", "none", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode:
        raise SystemExit(f"what is measured of {package} does not build:\n{built.stdout}")


def scratch(tree, name):
    return tree / ".build/bench/extensions" / name


class Process:
    """A process that was just started, with its end of the channel."""

    def __init__(self, machine, program):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        environment = {
            "HOME": str(machine.scratch), "TMPDIR": str(machine.scratch), "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no",
        }
        null = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
        self.started = setting.boot_seconds()
        self.pid = os.posix_spawn(
            program, [program], environment, file_actions=[*null, (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)])
        theirs.close()
        ours.settimeout(setting.PATIENCE_SECONDS)
        self.channel = ours.makefile("rwb")
        ours.close()

    def say(self, *messages):
        self.channel.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        self.channel.flush()

    def reply(self, number):
        """Waits for the reply; when it came."""
        for line in self.channel:
            message = json.loads(line)
            if message.get("say") == "reply" and message.get("number") == number:
                if not message["content"]["title"].endswith(" [modified]"):
                    raise setting.Failure(f"a reply that changed nothing: {line}")
                return setting.boot_seconds()
        raise setting.Failure("the process ended without a reply")

    def end(self):
        self.channel.close()
        os.waitpid(self.pid, 0)


def hello(machine):
    return {"say": "hello", "stateDirectory": str(machine.scratch), "memoryBytesMax": 24 << 20}


def request(number):
    content = {
        "title": "t", "subtitle": "", "body": "b", "badge": None, "sound": None, "category": "", "thread": "",
        "interruptionLevel": "active", "attachments": [],
        "userInfo": {"aps": {"alert": {"title": "t", "body": "b"}, "mutable-content": 1}},
    }
    deadline = int((setting.boot_seconds() + 30) * 1e6)
    return {"say": "request", "number": number, "identifier": "bench", "content": content, "deadline": deadline}


def spawn_to_reply(machine, program, again=False):
    """Milliseconds to the first reply; the kibibytes of its own that the process has then; and the milliseconds to a
    second reply, if it is asked for one."""
    process = Process(machine, program)
    try:
        process.say(hello(machine), request(1))
        first = (process.reply(1) - process.started) * 1000
        memory = setting.anonymous_kibibytes(process.pid)
        second = None
        if again:
            begun = setting.boot_seconds()
            process.say(request(2))
            second = (process.reply(2) - begun) * 1000
        return first, memory, second
    finally:
        process.end()


def connect_to_delivered(machine):
    connection = setting.Connection(machine.push_socket, setting.alert(f"{machine.name}.alert"))
    try:
        for line in connection.lines():
            if json.loads(line)["event"] == "delivered":
                return (setting.boot_seconds() - connection.started) * 1000
        raise setting.Failure("a notification was not delivered")
    finally:
        connection.close()


def bundle(machine, program):
    folder = machine.scratch / "Template.appex"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "Info.plist").write_text(PLIST)
    shutil.copy(program, folder / "Template")
    return folder


def measure(machine, rounds, count):
    tree = machine.tree
    rows, memory, again = [], {}, []
    for linked in BUILDS:
        programs = scratch(tree, linked) / "release"
        memory[linked] = []
        for kind, names in KINDS.items():
            ours, bare = (str(programs / name) for name in names)
            comparison = figures.Comparison(f"spawn to reply, {kind}, {linked}", "ms")
            for _ in range(WARM_UP):
                spawn_to_reply(machine, ours), spawn_to_reply(machine, bare)
            for _ in range(rounds):
                taken = [(spawn_to_reply(machine, ours, again=True), spawn_to_reply(machine, bare)[0])
                         for _ in range(count)]
                comparison.add_round([one[0] for one, _ in taken], [other for _, other in taken])
                memory[linked] += [one[1] / 1024 for one, _ in taken]
                again += [one[2] for one, _ in taken]
            rows.append(comparison.row(figures.ratio, figures.median, 1.25, "1.25 ×"))
    for linked, samples in memory.items():
        what = f"its own memory at the reply, {linked} (MiB), median"
        rows.append(figures.plain_row(what, samples, figures.median, 4, "4 MiB"))
    what = "hand-over to reply, process used again (ms), median"
    rows.append(figures.plain_row(what, again, figures.median, 2, "2 ms"))
    return rows + [through_the_units(machine, rounds, count)]


def through_the_units(machine, rounds, count):
    """What a notification takes longer with an extension than without, beyond the process itself."""
    program = str(scratch(machine.tree, "static") / "release/Template")
    path = bundle(machine, program)
    more = []
    machine.configure(SOUND="none")
    for _ in range(rounds):
        direct = figures.median([connect_to_delivered(machine) for _ in range(count)])
        machine.configure(EXTENSION=str(path))
        try:
            extended = figures.median([connect_to_delivered(machine) for _ in range(count)])
        finally:
            machine.systemctl("unset-environment", "BELFRY_EXTENSION")
        alone = figures.median([spawn_to_reply(machine, program)[0] for _ in range(count)])
        more.append(extended - direct - alone)
        machine.stop_workers()
    what = "connect to delivered with an extension, less that without and its process (ms), median"
    return figures.plain_row(what, more, figures.median, 3, "3 ms")
