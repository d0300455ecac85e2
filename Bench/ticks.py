"""One ring's ticks: how late, how far adrift, at what cost of CPU and memory."""

import contextlib
import json
import pathlib
import subprocess
import time

import figures
import machine as setting

INTERVAL_SECONDS = 0.2
DRIFT_TICK = 100
# Nothing of a start counts as the cost of a tick.
SETTLING_TICKS = 3
# A tick carries when it was written, a little after its lateness was taken.
WRITING_MICROSECONDS_MAX = 1000
PLAYING_TICKS = 3
WITH_SOUND = pathlib.Path(__file__).resolve().parent.parent / "Tests/with-sound"


class Pair:
    """A ring, and two peers that tick as often beside it: one that only ticks, and one that does a ring's work."""

    def __init__(self, machine, ticks):
        self.ticks = ticks
        call = machine.unused("tick")
        self.ring = setting.Ring(machine, f"{machine.name}.ticks", call, int(INTERVAL_SECONDS * ticks) + 2)
        self.ring.until("delivered")
        microseconds = int(INTERVAL_SECONDS * 1e6)
        self.peer = machine.peer_connection("tick-timerfd", f"{microseconds} {ticks}")
        path = machine.group_file(self.ring.group)
        self.ringing, ringing_pid = machine.ringing_peer(INTERVAL_SECONDS, ticks, path, call)
        entry = self.ring.entry()
        self.since_microseconds = entry["since"]
        self.pids = entry["pid"], int(self.peer.line()), ringing_pid

    def cpu_microseconds(self):
        """CPU of a tick, ours and the peers', over the ticks of the middle."""
        time.sleep(INTERVAL_SECONDS * SETTLING_TICKS)
        spent = [setting.cpu_nanoseconds(pid) for pid in self.pids]
        counted = self.ticks - 2 * SETTLING_TICKS
        time.sleep(INTERVAL_SECONDS * counted)
        return [(setting.cpu_nanoseconds(pid) - before) / counted / 1000 for pid, before in zip(self.pids, spent)]

    def finish(self):
        while len(self.ring.of("tick")) < self.ticks:
            self.ring.until("tick")
        ours = [event["late"] * 1e6 for event in self.ring.of("tick")]
        bare = [float(line.split()[1]) for line in self.peer.lines()]
        same_work = [json.loads(line)["late"] * 1e6 for line in self.ringing.lines()]
        for connection in (self.ring, self.peer, self.ringing):
            connection.close()
        return ours, bare, same_work

    def drift_microseconds(self):
        """How far the last tick is from where it should be, beyond the lateness that it admits; and that lateness."""
        tick = self.ring.of("tick")[-1]
        due = self.since_microseconds + tick["n"] * INTERVAL_SECONDS * 1e6
        late = tick["late"] * 1e6
        return tick["boot"] * 1e6 - due - late, late


def measure(machine, rounds, ticks):
    machine.configure(SOUND="none", RING_INTERVAL=f"{int(INTERVAL_SECONDS * 1000)}ms")
    lateness = figures.Comparison("tick lateness, 1 ring", "µs")
    cpu = figures.Comparison("CPU of a tick", "µs")
    lateness_of_work = figures.Comparison("tick lateness, same work in C", "µs")
    cpu_of_work = figures.Comparison("CPU of a tick, same work in C", "µs")
    drift, late = [], []
    for _ in range(rounds):
        pair = Pair(machine, ticks)
        ours, bare, same_work = pair.cpu_microseconds()
        cpu.add_round([ours], [bare])
        cpu_of_work.add_round([ours], [same_work])
        ours, bare, same_work = pair.finish()
        lateness.add_round(ours, bare)
        lateness_of_work.add_round(ours, same_work)
        beyond, tick_late = pair.drift_microseconds()
        drift.append(beyond)
        late.append(tick_late)
        machine.stop_workers()
    return [
        lateness.row(figures.ratio, figures.median, 1.5, "1.5 ×"),
        lateness.row(figures.ratio, figures.p99, 1.5, "1.5 ×"),
        lateness_of_work.row(figures.ratio, figures.median, 1.5, "1.5 ×"),
        cpu.row(figures.ratio, figures.median, 3, "3 ×"),
        cpu_of_work.row(figures.ratio, figures.median, 1.5, "1.5 ×"),
        figures.plain_row(
            f"drift of tick {ticks} beyond its lateness (µs)", [abs(value) for value in drift], max,
            WRITING_MICROSECONDS_MAX, "0 (written)", late),
    ]


def measure_memory(machine, rounds):
    rows = [memory_row(machine, "none", rounds, 1536, "1.5 MiB")]
    with sound_server():
        rows.append(memory_row(machine, "ring", rounds, 3072, "3 MiB"))
    return rows


@contextlib.contextmanager
def sound_server():
    command = [str(WITH_SOUND), "cat"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        setting.wait_until(is_sound_server_there, "a sound server")
        yield
    finally:
        server.stdin.close()
        server.wait(timeout=setting.PATIENCE_SECONDS)


def is_sound_server_there():
    return subprocess.run(["pactl", "info"], capture_output=True, timeout=10).returncode == 0


def memory_row(machine, sound, rounds, at_most, limit_text):
    machine.configure(SOUND=sound, RING_INTERVAL="1s")
    ours, theirs = [], []
    for _ in range(rounds):
        ring = setting.Ring(machine, f"{machine.name}.memory", machine.unused("memory"), 20)
        peer = machine.peer_connection("tick-timerfd", "1000000 20")
        ring.until("delivered")
        if sound != "none" and (state := ring.first("sound"))["state"] != "playing":
            raise setting.Failure(f"no sound: {state['detail']}")
        while len(ring.of("tick")) < PLAYING_TICKS:
            ring.until("tick")
        ours.append(setting.anonymous_kibibytes(ring.entry()["pid"]))
        theirs.append(setting.anonymous_kibibytes(int(peer.line())))
        ring.close()
        peer.close()
        machine.stop_workers()
    what = "sound off" if sound == "none" else "playing"
    return figures.plain_row(f"RssAnon of a ringing worker, {what} (KiB)", ours, max, at_most, limit_text, theirs)
