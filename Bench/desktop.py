"""What belfry-desktop costs a call, and how fast it shows one and does what the person chooses."""

import contextlib
import json
import random
import re
import select
import subprocess
import time

import figures
import machine as setting

RING_SECONDS = 20
SHOWN_AT_ONCE = 5
# belfry-desktop stays for ten.
LEAVES_WITHIN_SECONDS = 30
UNITS = ("belfry-desktop.socket", "belfry-desktop.service")


class Program:
    """A peer that writes lines and reads some."""

    def __init__(self, machine, name, *arguments):
        self.started = setting.boot_seconds()
        self.process = subprocess.Popen(
            [machine.peers / name, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], setting.PATIENCE_SECONDS)
        if not ready:
            raise setting.Failure(f"{self.process.args[0].name} says nothing")
        return self.process.stdout.readline().decode().split()

    def until(self, word):
        while (words := self.line())[0] != word:
            pass
        return [int(number) for number in words[1:]]

    def obey(self, command):
        """Has it do this; when it did, in seconds since boot."""
        self.process.stdin.write(f"{command}\n".encode())
        return self.until("sent")[0] / 1e6

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=setting.PATIENCE_SECONDS)
        self.process.stdout.close()


class Desktop:
    """This stage's belfry-desktop, and the server that shows what it wants."""

    def __init__(self, machine):
        self.machine = machine
        # As it was installed it names the stage by the path that this was made at, the last one's of two.
        text = (machine.stage / "share/systemd/user/belfry-desktop.service").read_text()
        text = re.sub("(?m)^ExecStart=.*", f"ExecStart={machine.stage / 'bin/belfry-desktop'}", text)
        (machine.runtime / "systemd/user/belfry-desktop.service").write_text(text)
        machine.systemctl("daemon-reload")
        self.server = Program(machine, "notify-server")
        self.server.until("ready")

    def on(self):
        """Lets it be there, running, and knowing its server."""
        self.machine.systemctl("start", UNITS[0])
        self.ring().end()

    def off(self):
        self.machine.systemctl("stop", *UNITS)

    def cold(self):
        """Its socket is there, and it does not run."""
        self.off()
        self.machine.systemctl("start", UNITS[0])

    def ring(self):
        return Shown(self)

    def process(self):
        command = ["systemctl", "--user", "show", "--property=MainPID", "--value", UNITS[1]]
        return int(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)

    def close(self):
        self.off()
        self.server.close()


class Shown:
    """A call that rings and that the server has been asked to show."""

    def __init__(self, desktop):
        self.machine, self.desktop = desktop.machine, desktop
        self.group = self.machine.unused("desktop")
        self.ring = setting.Ring(self.machine, self.group, self.machine.unused("call"), RING_SECONDS)
        self.ringing = self.ring.until("ringing")["boot"]
        microseconds, self.id = desktop.server.until("notify")
        self.notified = microseconds / 1e6
        self.ring.first("delivered")

    def silent_after(self, began, reason):
        """Milliseconds from `began`, which is called once the call's entry is known, to silence."""
        rest()
        since = self.ring.entry()["since"] / 1e6
        start = began()
        ended = self.ring.until("ended")
        if ended["reason"] != reason:
            raise setting.Failure(f"call {self.ring.call} ended by {ended['reason']}")
        self.ring.close()
        return (since + ended["rang"] - start) * 1000

    def end(self):
        push = setting.Connection(self.machine.push_socket, answered_elsewhere(self.group))
        self.ring.until("ended")
        push.close()
        self.ring.close()


def rest():
    """Until what a call began is done, its file written; it ends anywhere between two ticks."""
    time.sleep(random.uniform(0.1, 0.2))


def answered_elsewhere(group):
    """Ends whatever rings in the group, and nothing is shown as missed."""
    message = json.loads(setting.hangup(group))
    message["payload"]["info"]["reason"] = "answered-elsewhere"
    return json.dumps(message).encode() + b"\n"


def delivered(machine, server=None):
    """Milliseconds from a call's push to its delivery; `server` is asked to show it."""
    group = machine.unused("delivered")
    ring = setting.Ring(machine, group, machine.unused("call"), RING_SECONDS)
    taken = (ring.until("delivered")["boot"] - ring.started) * 1000
    if server:
        server.until("notify")
    push = setting.Connection(machine.push_socket, answered_elsewhere(group))
    ring.until("ended")
    push.close()
    ring.close()
    return taken


def delivered_each(machine, desktop, count):
    """On and off in turn, in blocks, since nobody's first call counts."""
    on, off = [], []
    for begin, server, taken in ((desktop.on, desktop.server, on), (desktop.off, None, off)) * 4:
        begin()
        delivered(machine, server)
        taken += [delivered(machine, server) for _ in range(max(1, count // 4))]
    return on, off


def shown_by_peer(machine, desktop):
    peer = Program(machine, "notify-once")
    microseconds, _ = desktop.server.until("notify")
    peer.close()
    return (microseconds / 1e6 - peer.started) * 1000


def shown(desktop):
    call = desktop.ring()
    call.end()
    return (call.notified - call.ringing) * 1000, (call.notified - call.ring.started) * 1000


def shown_cold(desktop):
    desktop.cold()
    return shown(desktop)


def clicked(desktop):
    call = desktop.ring()
    return call.silent_after(lambda: desktop.server.obey(f"choose {call.id} call.accept"), "answered")


def clicked_at_peer(machine, desktop):
    peer = Program(machine, "click-waiter", str(machine.scratch))
    desktop.server.until("notify")
    number = int(peer.line()[0])
    rest()
    began = desktop.server.obey(f"choose {number} call.accept")
    known = int(peer.line()[0]) / 1e6
    peer.close()
    return (known - began) * 1000


def answered(desktop):
    call = desktop.ring()
    return call.silent_after(lambda: desktop.server.obey(f"answer {call.group} {call.ring.call}"), "answered")


def answered_by_command(machine, desktop):
    call = desktop.ring()
    commands = []

    def start():
        began = setting.boot_seconds()
        command = [machine.stage / "bin/belfry", "answer", call.ring.call, "--group", call.group]
        commands.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        return began

    taken = call.silent_after(start, "answered")
    commands[0].wait(timeout=setting.PATIENCE_SECONDS)
    return taken


def memory(machine, desktop):
    """Private memory in KiB with some calls shown, ours and the peer's."""
    calls = [desktop.ring() for _ in range(SHOWN_AT_ONCE)]
    ours = setting.anonymous_kibibytes(desktop.process())
    for call in calls:
        call.end()
    peer = Program(machine, "notify-once")
    desktop.server.until("notify")
    peer.line()
    theirs = setting.anonymous_kibibytes(peer.process.pid)
    peer.close()
    return ours, theirs


def processes_left(machine):
    """How many of our processes run some time after the last call."""
    machine.stop_workers()

    def running():
        command = ["systemctl", "--user", "list-units", "--no-legend", "--plain", "--state=active,activating",
                   "belfry*.service"]
        return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.splitlines()

    with contextlib.suppress(setting.Failure):
        setting.wait_until(lambda: not running(), "the end of all processes", LEAVES_WITHIN_SECONDS)
    return len(running())


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s")
    cost = figures.Comparison("push to delivered, desktop on / off", "ms")
    warm = figures.Comparison("ringing to Notify", "ms")
    cold = figures.Comparison("ringing to Notify, belfry-desktop to be started", "ms")
    whole = figures.Comparison("push to Notify, belfry-desktop to be started", "ms")
    click = figures.Comparison("click to silent", "ms")
    answer = figures.Comparison("bus Answer to silent / belfry answer", "ms")
    ours, theirs = [], []
    desktop = Desktop(machine)
    try:
        for _ in range(rounds):
            cost.add_round(*delivered_each(machine, desktop, count))
            desktop.on()
            peers = [shown_by_peer(machine, desktop) for _ in range(count)]
            warm.add_round([shown(desktop)[0] for _ in range(count)], peers)
            # In turn, since other programs' load is not the same for long.
            clicks = [(clicked(desktop), clicked_at_peer(machine, desktop)) for _ in range(count)]
            click.add_round(*map(list, zip(*clicks)))
            answers = [(answered(desktop), answered_by_command(machine, desktop)) for _ in range(count)]
            answer.add_round(*map(list, zip(*answers)))
            from_ringing, from_push = zip(*(shown_cold(desktop) for _ in range(count)))
            cold.add_round(list(from_ringing), peers)
            whole.add_round(list(from_push), peers)
            taken = memory(machine, desktop)
            ours.append(taken[0])
            theirs.append(taken[1])
        left = processes_left(machine)
    finally:
        desktop.close()
    more = figures.Row(
        f"RssAnon of belfry-desktop with {SHOWN_AT_ONCE} calls (KiB), median", figures.median, 3, "3 ×",
        [[value] for value in ours], [[value] for value in theirs], figures.ratio)
    return [
        cost.row(figures.ratio, figures.median, 1.1, "1.1 ×"),
        warm.row(figures.ratio, figures.median, 2, "2 ×"),
        cold.row(figures.ratio, figures.median, 5, "5 ×"),
        whole.row(figures.ratio, figures.median, None, ""),
        click.row(figures.ratio, figures.median, 2, "2 ×"),
        answer.row(figures.ratio, figures.median, 0.5, "0.5 ×"),
        more,
        figures.plain_row("processes with nothing ringing or shown", [left], max, 0, "none"),
    ]
