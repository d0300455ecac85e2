"""The private user manager that the benchmark runs in: Belfry's units and its peers', and connections to them."""

import itertools
import json
import os
import pathlib
import plistlib
import re
import socket
import subprocess
import time

PATIENCE_SECONDS = 20
PEERS = ("echo-worker", "notify-waiter", "ringing", "tick-timerfd")


class Failure(Exception):
    """A measurement could not be taken, and why."""


def boot_seconds():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def wait_until(is_so, what, seconds=PATIENCE_SECONDS):
    end = time.monotonic() + seconds
    while not (result := is_so()):
        if time.monotonic() > end:
            raise Failure(f"{what} did not happen within {seconds} s")
        time.sleep(0.01)
    return result


def cpu_nanoseconds(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def anonymous_kibibytes(pid):
    return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


class Connection:
    """One connection to a socket, and the lines that come back."""

    def __init__(self, path, message):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.started = boot_seconds()
        # Without a timeout, with which connect() would fail on a full socket instead of waiting for a place.
        self.socket.connect(path)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.sendall(message)
        self.pending = b""

    def line(self):
        """The next line; empty at the end."""
        while b"\n" not in self.pending:
            try:
                received = self.socket.recv(65536)
            except OSError as error:
                raise Failure(f"no answer: {error}") from error
            if not received:
                return b""
            self.pending += received
        line, self.pending = self.pending.split(b"\n", 1)
        return line

    def lines(self):
        while line := self.line():
            yield line

    def close(self):
        self.socket.close()


class Ring(Connection):
    """A call request of Belfry's, and its events."""

    def __init__(self, machine, group, call, duration_seconds):
        self.machine, self.group, self.call = machine, group, call
        self.events = []
        super().__init__(machine.push_socket, call_request(group, call, duration_seconds))

    def until(self, name):
        for line in self.lines():
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == name:
                return event
            if event["event"] in ("rejected", "silent"):
                raise Failure(f"call {self.call} does not ring: {line.decode()}")
        raise Failure(f"call {self.call} ended without \"{name}\"")

    def of(self, name):
        return [event for event in self.events if event["event"] == name]

    def first(self, name):
        """The first such event, which may have come already."""
        return next(iter(self.of(name)), None) or self.until(name)

    def entry(self):
        """What the group file says of the call."""
        return plistlib.loads(self.machine.group_file(self.group).read_bytes())["calls"][self.call]


def call_request(group, call, duration_seconds):
    payload = {
        "aps": {"alert": {"title": "Bench", "body": "Incoming call"}, "mutable-content": 1},
        "info": {"type": "call-request", "callId": call, "callerName": "Bench", "duration": duration_seconds},
    }
    return json.dumps({"payload": payload, "appGroup": group}).encode() + b"\n"


def alert(group):
    payload = {"aps": {"alert": {"title": "Bench", "body": "Not a call"}, "mutable-content": 1}}
    return json.dumps({"payload": payload, "appGroup": group}).encode() + b"\n"


def hangup(group):
    """Hangs up whatever rings in the group."""
    payload = {"aps": {"alert": {"title": "Bench", "body": "Over"}, "mutable-content": 1}, "info": {"type": "hangup"}}
    return json.dumps({"payload": payload, "appGroup": group}).encode() + b"\n"


class Machine:
    """Installs what is measured in this manager: one build's programs under `name`, and the peers.

    Belfry's units are as they are but for the paths of program and socket, and each peer's differ from them in the
    program alone.
    """

    def __init__(self, stage, peers, tree, name="belfry"):
        self.stage, self.peers, self.tree, self.name = stage, peers, tree, name
        self.runtime = pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
        self.push_socket = self.socket_of(name)
        self.scratch = pathlib.Path(os.environ["HOME"]) / f"bench-{name}"
        self.scratch.mkdir(exist_ok=True)
        self.numbers = itertools.count()
        self.install_units()

    def install_units(self):
        folder = self.runtime / "systemd/user"
        folder.mkdir(parents=True, exist_ok=True)
        units = {path.name: path.read_text() for path in (self.stage / "share/systemd/user").iterdir()}
        socket_unit, service = units.pop("belfry.socket"), units.pop("belfry@.service")
        # A stage names its programs by the path it was made at.
        service = re.sub("(?m)^ExecStart=.*", f"ExecStart={self.stage / 'bin/belfry-worker'}", service)
        units[f"{self.name}@.service"] = service
        for peer in PEERS:
            units[f"{peer}@.service"] = re.sub("(?m)^ExecStart=.*", f"ExecStart={self.peers / peer}", service)
        for name in (self.name, *PEERS):
            units[f"{name}.socket"] = socket_unit.replace("%t/belfry/push.sock", f"%t/{name}/push.sock")
        for name, text in units.items():
            (folder / name).write_text(text)
        self.systemctl("daemon-reload")
        self.systemctl("start", f"{self.name}.socket", *(f"{peer}.socket" for peer in PEERS))

    def unused(self, what):
        """A name for a group or a call that no measurement has used, for what rang once is remembered."""
        return f"{self.name}.{what}.{next(self.numbers)}"

    def systemctl(self, *arguments):
        subprocess.run(["systemctl", "--user", "--quiet", *arguments], check=True, timeout=60)

    def configure(self, **settings):
        """What the workers started from now on find in their environment."""
        self.systemctl("set-environment", *(f"BELFRY_{name}={value}" for name, value in settings.items()))

    def socket_of(self, peer):
        return str(self.runtime / peer / "push.sock")

    def peer_connection(self, peer, line):
        return Connection(self.socket_of(peer), line.encode() + b"\n")

    def group_file(self, group):
        groups = pathlib.Path(os.environ["XDG_STATE_HOME"]) / "belfry/groups"
        return groups / group / "Library/Preferences" / f"{group}.plist"

    def peer_group_file(self, group, peer):
        """A copy of the group's file in a container that only this kind of peer watches."""
        container = self.scratch / peer / group
        path = container / "Library/Preferences" / f"{group}.plist"
        path.parent.mkdir(parents=True, exist_ok=True)
        (container / "tmp").mkdir(exist_ok=True)
        path.write_bytes(self.group_file(group).read_bytes())
        return path

    def ringing_peer(self, interval_seconds, ticks, path, call):
        """A peer that rings as `call` does, in C, and watches the group file at `path`; and its process id."""
        microseconds = int(interval_seconds * 1e6)
        # A folder in memory, as that of the notes is.
        connection = self.peer_connection("ringing", f"{microseconds} {ticks} {path} {call} {self.runtime}")
        return connection, int(connection.line())

    def hang_up(self, path, call="--all"):
        """Hangs up in a group file; when the write began, in seconds since boot."""
        result = subprocess.run([self.peers / "hang-up", path, call], capture_output=True, timeout=10)
        if result.returncode:
            raise Failure(result.stderr.decode().strip())
        return int(result.stdout) / 1e6

    def stop_workers(self):
        """Ends what still rings or ticks, and waits until it has left."""
        self.systemctl("stop", *self.worker_units())
        wait_until(lambda: not self.running_workers(), "the end of all workers", 60)

    def running_workers(self):
        command = ["systemctl", "--user", "list-units", "--no-legend", "--plain", *self.worker_units()]
        return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.splitlines()

    def worker_units(self):
        return [f"{name}@*" for name in (self.name, *PEERS)]
