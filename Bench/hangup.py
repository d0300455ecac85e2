"""From a hangup, in the group file or pushed, to silence."""

import random
import sys
import time

import figures
import machine as setting

MANY = 20
RING_SECONDS = 25
ADMITTED_WITHIN_MILLISECONDS = 2000
LAST_ENDED_WITHIN_MILLISECONDS = 150


def silent_and_ended(ring, since):
    """When the worker was silent, and when it said so, in seconds since boot.

    `ended` comes after the group file was settled, and says how long it rang until it was silent.
    """
    ended = ring.until("ended")
    if ended["reason"] != "hangup":
        raise setting.Failure(f"call {ring.call} ended by {ended['reason']}, not by its hangup")
    return since / 1e6 + ended["rang"], ended["boot"]


def instant_of_silence(ringing):
    """What a peer that rings says after its ticks."""
    return next(int(line) for line in ringing.lines() if line.isdigit())


def milliseconds(began, ended):
    return (ended - began) * 1000


def rest(calls):
    """Until others that were woken are idle and workers have left; it ends anywhere between two ticks."""
    time.sleep(random.uniform(0.1, 0.2) + calls * 0.02)


class Waiting:
    """So many calls of one group that ring, and as many peers of each kind that wait for the same in a folder of their
    own: some that only wait, and some that do a ring's work.
    """

    def __init__(self, machine, group, count):
        self.machine = machine
        self.calls = [f"{group}.{number}" for number in range(count)]
        self.rings = {call: setting.Ring(machine, group, call, RING_SECONDS) for call in self.calls}
        for ring in self.rings.values():
            ring.until("delivered")
        self.since = {call: ring.entry()["since"] for call, ring in self.rings.items()}
        self.file = machine.group_file(group)
        self.peer_file = machine.peer_group_file(group, "notify-waiter")
        self.peers = {
            call: machine.peer_connection("notify-waiter", f"{self.peer_file} {call}") for call in self.calls
        }
        for peer in self.peers.values():
            if peer.line() != b"waiting":
                raise setting.Failure("a peer does not wait")
        self.ringing_file = machine.peer_group_file(group, "ringing")
        self.ringing = {
            call: machine.ringing_peer(1, RING_SECONDS, self.ringing_file, call)[0] for call in self.calls
        }

    def hang_up(self, calls, argument):
        """Milliseconds until Belfry was silent, until it said so, and until the peers of either kind knew."""
        rest(len(calls))
        began = self.machine.hang_up(self.file, argument)
        ends = [silent_and_ended(self.rings[call], self.since[call]) for call in calls]
        silent, ended = ([milliseconds(began, instant) for instant in instants] for instants in zip(*ends))
        rest(len(calls))
        began = self.machine.hang_up(self.peer_file, argument)
        known = [milliseconds(began, int(self.peers[call].line()) / 1e6) for call in calls]
        rest(len(calls))
        began = self.machine.hang_up(self.ringing_file, argument)
        stopped = [milliseconds(began, instant_of_silence(self.ringing[call]) / 1e6) for call in calls]
        return silent, ended, known, stopped

    def close(self):
        for connection in (*self.rings.values(), *self.peers.values(), *self.ringing.values()):
            connection.close()


class Figures:
    """What is compared of one kind of hangup."""

    def __init__(self, what):
        self.silent = figures.Comparison(f"hangup to silent, {what}", "ms")
        self.silent_of_work = figures.Comparison(f"hangup to silent, {what}, same work in C", "ms")
        self.ended = figures.Comparison(f"hangup to ended, {what}", "ms")

    def add_round(self, measured):
        silent, ended, known, stopped = ([value for part in parts for value in part] for parts in zip(*measured))
        self.silent.add_round(silent, known)
        self.silent_of_work.add_round(silent, stopped)
        self.ended.add_round(ended, known)

    def rows(self):
        return [
            self.silent.row(figures.ratio, figures.median, 2, "2 ×"),
            self.silent.row(figures.ratio, figures.p99, 2, "2 ×"),
            self.silent_of_work.row(figures.ratio, figures.median, 1.5, "1.5 ×"),
            self.ended.row(figures.ratio, figures.median, None, ""),
        ]


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s", MAX_CALLS=str(MANY))
    single, one_of_many = Figures("1 ring"), Figures(f"one of {MANY} rings")
    all_of_many = Figures(f"{MANY} rings at once")
    together = []
    for _ in range(rounds):
        single.add_round([hang_up_one(machine) for _ in range(count)])

        waiting = Waiting(machine, machine.unused("one-of-many"), MANY)
        # One after the other, and over before the rings are.
        chosen = random.sample(waiting.calls, min(count, MANY // 4))
        one_of_many.add_round([waiting.hang_up([call], call) for call in chosen])
        waiting.close()
        machine.stop_workers()

        waiting = Waiting(machine, machine.unused("many"), MANY)
        all_of_many.add_round([waiting.hang_up(waiting.calls, "--all")])
        waiting.close()
        machine.stop_workers()

        together.append(ring_and_hang_up_together(machine))
        machine.stop_workers()
    admitted, last_ended, troubled = zip(*together)
    return [row for each in (single, one_of_many, all_of_many) for row in each.rows()] + [
        figures.plain_row(
            f"{MANY} calls of one group, all ring (ms)", admitted, max, ADMITTED_WITHIN_MILLISECONDS, "2 s"),
        figures.plain_row(
            "their hangup in one push, last ended (ms)", last_ended, max, LAST_ENDED_WITHIN_MILLISECONDS, "150 ms"),
        figures.plain_row("of them lost, or group-locked", troubled, max, 0, "none"),
    ]


def ring_and_hang_up_together(machine):
    """Milliseconds until all of many calls rang, and from one push until the last of them ended; how many were lost or
    found the file's lock held.
    """
    group = machine.unused("together")
    rings = [setting.Ring(machine, group, f"{group}.{number}", RING_SECONDS) for number in range(MANY)]
    lost = {ring for ring in rings if not reached(ring, "delivered")}
    rest(MANY)
    push = setting.Connection(machine.push_socket, setting.hangup(group))
    for ring in rings:
        if ring not in lost and not (reached(ring, "ended") and reached(ring, "missed")):
            lost.add(ring)
    troubled = {ring for ring in rings if any(event.get("code") == "group-locked" for event in ring.events)}
    for connection in (push, *rings):
        connection.close()
    ringing, ended = ([event["boot"] for ring in rings for event in ring.of(name)] for name in ("ringing", "ended"))
    return milliseconds(rings[0].started, max(ringing)), milliseconds(push.started, max(ended)), len(lost | troubled)


def reached(ring, name):
    try:
        return ring.until(name).get("reason", "hangup") == "hangup"
    except setting.Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return False


def hang_up_one(machine):
    waiting = Waiting(machine, machine.unused("one"), 1)
    measured = waiting.hang_up(waiting.calls, waiting.calls[0])
    waiting.close()
    return measured
