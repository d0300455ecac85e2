"""From a hangup that is typed to the last sound, as a recording of the sound server's sink has it.

Under a held lock and on a full disk the peer is Belfry undisturbed.
"""

import array
import contextlib
import fcntl
import math
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import wave

import figures
import machine as setting

WITH_SOUND = pathlib.Path(__file__).resolve().parent.parent / "Tests/with-sound"
RATE_HERTZ = 48_000
BYTES_PER_SECOND = 2 * RATE_HERTZ
# As in Tests/loudness.
SILENCE = 16
# Longer than any pause that a sound server makes.
SILENT_SECONDS = 0.3
# One sound from tick to tick, so that no pause of its own passes for silence.
TONE_SECONDS = 9.5
INTERVAL = "10s"
RING_SECONDS = 25
EXIT_UNRECORDED = 69


class Recording:
    """What the sink plays, and when it did."""

    def __init__(self, path):
        self.path = path
        # How far the recording is ahead of the clock, by the latest sample that came soonest.
        self.lead = -math.inf

    def size(self):
        """How much there is, in whole samples; looking often tells the time of each more exactly."""
        size = self.path.stat().st_size & ~1
        self.lead = max(self.lead, size / BYTES_PER_SECOND - setting.boot_seconds())
        return size

    def loud(self, start):
        """The positions from `start` on at which something sounds."""
        with open(self.path, "rb") as file:
            file.seek(start)
            data = file.read()
        samples = array.array("h", data[:len(data) & ~1])
        return [start + 2 * index for index, sample in enumerate(samples) if abs(sample) > SILENCE]

    def wait_until(self, is_so, what):
        end = time.monotonic() + setting.PATIENCE_SECONDS
        while not is_so():
            if time.monotonic() > end:
                raise setting.Failure(f"{what} was not recorded within {setting.PATIENCE_SECONDS} s")
            time.sleep(0.002)

    def wait_for_sound(self, start):
        self.wait_until(lambda: self.size() > start and self.loud(start), "a sound")

    def end_of_sound(self, start):
        """When the sound that is on at `start` ended, in seconds since boot."""
        last = start
        silent_bytes = int(SILENT_SECONDS * BYTES_PER_SECOND)

        def is_silent():
            nonlocal last
            size = self.size()
            if size < last + silent_bytes:
                return False
            later = self.loud(last)
            last = later[-1] + 2 if later else last
            return size >= last + silent_bytes

        self.wait_until(is_silent, "silence")
        return last / BYTES_PER_SECOND - self.lead


@contextlib.contextmanager
def sound_server():
    """A sound server whose sink is recorded."""
    command = [WITH_SOUND, "sh", "-c", 'echo "$BELFRY_TEST_RECORDING"; exec cat']
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        path = server.stdout.readline().strip()
        if not path:
            raise setting.Failure("no sound server")
        yield Recording(pathlib.Path(path))
        server.stdin.close()


def write_tone(path):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE_HERTZ, 0, "NONE", ""))
        tone = (int(8000 * math.sin(index * math.tau * 440 / RATE_HERTZ)) for index in range(RATE_HERTZ))
        file.writeframes((array.array("h", tone) * 10)[:int(TONE_SECONDS * RATE_HERTZ)].tobytes())


class Place:
    """A group whose rings are hung up, in the state directory that the workers have now."""

    def __init__(self, machine, recording, state):
        self.machine, self.recording, self.state = machine, recording, state
        self.group = machine.unused("silence")
        # A call that is over makes the group file.
        self.hang_up((0,))

    def hang_up(self, statuses):
        """Milliseconds from the start of `belfry hangup`, which ends with one of `statuses`, to the last sound."""
        start = self.recording.size()
        ring = setting.Ring(self.machine, self.group, self.machine.unused("call"), RING_SECONDS)
        ring.until("delivered")
        self.recording.wait_for_sound(start)
        time.sleep(random.uniform(0.1, 0.2))
        start, began = self.recording.size(), setting.boot_seconds()
        command = [self.machine.stage / "bin/belfry", "hangup", ring.call, "--group", self.group]
        environment = {"BELFRY_SOCKET": self.machine.push_socket, "BELFRY_STATE_DIRECTORY": str(self.state)}
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=20)
        if done.returncode not in statuses:
            raise setting.Failure(f"belfry hangup ended with {done.returncode}: {done.stderr.strip()}")
        ended = self.recording.end_of_sound(start)
        ring.until("ended")
        ring.close()
        return (ended - began) * 1000

    def hang_up_under_lock(self, count):
        """The same, `count` times, while a stopped process holds the group file's lock."""
        lock = self.state / f"groups/{self.group}/Library/Preferences/{self.group}.plist.lock"
        with subprocess.Popen(["flock", "--no-fork", lock, "sh", "-c", "kill -STOP $$"]) as holder:
            try:
                setting.wait_until(lambda: is_locked(lock), "a held lock")
                return [self.hang_up((0,)) for _ in range(count)]
            finally:
                holder.send_signal(signal.SIGKILL)

    def hang_up_on_full_disk(self, count):
        """The same, `count` times, while the state directory's disk is full."""
        filler = self.state / "filler"
        try:
            with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(bytes(4096))
            return [self.hang_up((EXIT_UNRECORDED,)) for _ in range(count)]
        finally:
            filler.unlink()


def is_locked(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def measure(machine, rounds, count):
    what = "typed hangup to last sound"
    undisturbed = []
    held = figures.Comparison(f"{what}, lock held / not", "ms")
    full = figures.Comparison(f"{what}, disk full / not", "ms")
    disk = os.environ["BELFRY_TEST_SMALL_DISK"]
    # Where users keep sounds, which the worker may read.
    with sound_server() as recording, tempfile.TemporaryDirectory(dir=machine.scratch) as sounds, \
            tempfile.TemporaryDirectory(dir=disk) as state:
        tone = pathlib.Path(sounds) / "tone.wav"
        write_tone(tone)
        machine.configure(SOUND=tone, RING_INTERVAL=INTERVAL, STATE_DIRECTORY=state)
        try:
            for _ in range(rounds):
                place = Place(machine, recording, pathlib.Path(state))
                undisturbed.append([place.hang_up((0,)) for _ in range(count)])
                held.add_round(place.hang_up_under_lock(count), undisturbed[-1])
                full.add_round(place.hang_up_on_full_disk(count), undisturbed[-1])
        finally:
            machine.stop_workers()
            machine.systemctl("unset-environment", "BELFRY_STATE_DIRECTORY")
    return [
        figures.Row(f"{what} (ms), median", figures.median, None, "", undisturbed),
        *(row.row(figures.ratio, statistic, 2, "2 ×")
          for row in (held, full) for statistic in (figures.median, figures.p99)),
    ]
