"""From a hangup in the group file to silence."""

import random
import time

import figures
import machine as setting

MANY = 100
RING_SECONDS = 25


def silent_and_ended(ring, since):
    """When the worker was silent, and when it said so, in seconds since boot.

    `ended` comes after the group file was settled, and says how long it rang until it was silent.
    """
    ended = ring.until("ended")
    if ended["reason"] != "hangup":
        raise setting.Failure(f"call {ring.call} ended by {ended['reason']}, not by its hangup")
    return since / 1e6 + ended["rang"], ended["boot"]


def milliseconds(began, ended):
    return (ended - began) * 1000


def rest(calls):
    """Until others that were woken are idle and workers have left; it ends anywhere between two ticks."""
    time.sleep(random.uniform(0.1, 0.2) + calls * 0.02)


class Waiting:
    """So many calls of one group that ring, and as many peers that wait for the same in a folder of their own."""

    def __init__(self, machine, group, count):
        self.machine = machine
        self.calls = [f"{group}.{number}" for number in range(count)]
        self.rings = {call: setting.Ring(machine, group, call, RING_SECONDS) for call in self.calls}
        for ring in self.rings.values():
            ring.until("delivered")
        self.since = {call: ring.entry()["since"] for call, ring in self.rings.items()}
        self.file = machine.group_file(group)
        self.peer_file = machine.peer_group_file(group)
        self.peers = {
            call: machine.peer_connection("notify-waiter", f"{self.peer_file} {call}") for call in self.calls
        }
        for peer in self.peers.values():
            if peer.line() != b"waiting":
                raise setting.Failure("a peer does not wait")

    def hang_up(self, calls, argument):
        """Milliseconds until Belfry was silent, until it said so, and until the peers knew."""
        rest(len(calls))
        began = self.machine.hang_up(self.file, argument)
        ends = [silent_and_ended(self.rings[call], self.since[call]) for call in calls]
        silent, ended = ([milliseconds(began, instant) for instant in instants] for instants in zip(*ends))
        rest(len(calls))
        began = self.machine.hang_up(self.peer_file, argument)
        known = [milliseconds(began, int(self.peers[call].line()) / 1e6) for call in calls]
        return silent, ended, known

    def close(self):
        for connection in (*self.rings.values(), *self.peers.values()):
            connection.close()


class Figures:
    """What is compared of one kind of hangup."""

    def __init__(self, what):
        self.silent = figures.Comparison(f"hangup to silent, {what}", "ms")
        self.ended = figures.Comparison(f"hangup to ended, {what}", "ms")

    def add_round(self, measured):
        silent, ended, known = ([value for part in parts for value in part] for parts in zip(*measured))
        self.silent.add_round(silent, known)
        self.ended.add_round(ended, known)

    def rows(self):
        return [
            self.silent.row(figures.ratio, figures.median, 2, "2 ×"),
            self.silent.row(figures.ratio, figures.p99, 2, "2 ×"),
            self.ended.row(figures.ratio, figures.median, None, ""),
        ]


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s")
    single, one_of_many = Figures("1 ring"), Figures(f"one of {MANY} rings")
    all_of_many = Figures(f"{MANY} rings at once")
    for _ in range(rounds):
        single.add_round([hang_up_one(machine) for _ in range(count)])

        waiting = Waiting(machine, machine.unused("one-of-many"), MANY)
        chosen = random.sample(waiting.calls, min(count, MANY // 2))
        one_of_many.add_round([waiting.hang_up([call], call) for call in chosen])
        waiting.close()
        machine.stop_workers()

        waiting = Waiting(machine, machine.unused("many"), MANY)
        all_of_many.add_round([waiting.hang_up(waiting.calls, "--all")])
        waiting.close()
        machine.stop_workers()
    return [row for each in (single, one_of_many, all_of_many) for row in each.rows()]


def hang_up_one(machine):
    waiting = Waiting(machine, machine.unused("one"), 1)
    measured = waiting.hang_up(waiting.calls, waiting.calls[0])
    waiting.close()
    return measured
