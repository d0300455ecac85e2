"""A thousand calls that ring at once, and a thousand peers that tick at once."""

import json
import time

import figures
import machine as setting

RING_SECONDS = 25
# All shall ring together for so long at least.
TOGETHER_SECONDS = 8
ANSWERED_WITHIN_SECONDS = 10


class Crowd:
    """Belfry's calls, one app group each."""

    def __init__(self, machine, count):
        self.rings = [
            setting.Ring(machine, f"{machine.name}.crowd.{index}", machine.unused("crowd"), RING_SECONDS)
            for index in range(count)
        ]
        for ring in self.rings:
            try:
                ring.until("ended")
            except (setting.Failure, ConnectionError):
                pass
            ring.close()
        self.started = self.rings[0].started
        self.ringing = [ring for ring in self.rings if ring.of("ringing") and ring.of("delivered")]
        self.answered = [ring.of("delivered")[0]["boot"] - self.started for ring in self.ringing]

    def together(self):
        """From the last one's first ring to the first one's end."""
        begin = max(ring.of("ringing")[0]["boot"] for ring in self.ringing)
        end = min((ring.of("ended") or ring.events)[-1]["boot"] for ring in self.ringing)
        return begin, end

    def late_microseconds(self):
        begin, end = self.together()
        ticks = (event for ring in self.ringing for event in ring.of("tick"))
        return [event["late"] * 1e6 for event in ticks if begin < event["boot"] < end]

    def refused(self):
        return [ring for ring in self.rings if ring.of("rejected") or ring.of("silent")]


def measure_peers(machine, count):
    """How late the peers' ticks were, and when the last of them had started."""
    ticks = RING_SECONDS
    peers = [machine.peer_connection("tick-timerfd", f"1000000 {ticks}") for _ in range(count)]
    came = []
    time.sleep(ticks)
    for peer in peers:
        peer.line()
        came.append([tuple(map(int, line.split())) for line in peer.lines()])
        peer.close()
    begin, end = max(ticks[0][0] for ticks in came), min(ticks[-1][0] for ticks in came)
    late = [late for ticks in came for at, late in ticks if begin < at < end]
    # The first tick comes a second after the start.
    return late, begin / 1e6 - 1 - peers[0].started


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s")
    lateness = figures.Comparison(f"tick lateness, {count} rings", "µs")
    answered, peers_started, missing, refused, together = [], [], [], [], []
    for _ in range(rounds):
        crowd = Crowd(machine, count)
        machine.stop_workers()
        answered += [max(crowd.answered, default=0)]
        missing += [count - len(crowd.ringing) - len(crowd.refused())]
        refused += [len(crowd.refused())]
        begin, end = crowd.together()
        together += [end - begin]
        peers_late, last_started = measure_peers(machine, count)
        peers_started.append(last_started)
        lateness.add_round(crowd.late_microseconds(), peers_late)
        machine.stop_workers()
    return [
        lateness.row(figures.ratio, figures.median, 1.5, "1.5 ×"),
        lateness.row(figures.ratio, figures.p99, 1.5, "1.5 ×"),
        figures.plain_row(f"{count} calls at once: lost", missing, max, 0, "none"),
        figures.plain_row(f"{count} calls at once: refused", refused, max, 0, "none"),
        figures.plain_row(
            f"{count} calls at once: last answered (s)", answered, max, ANSWERED_WITHIN_SECONDS, "10 s", peers_started),
        figures.plain_row(
            f"{count} calls at once: not ringing together (s)", [max(0, TOGETHER_SECONDS - span) for span in together],
            max, 0, f"0 of {TOGETHER_SECONDS} s"),
    ]
