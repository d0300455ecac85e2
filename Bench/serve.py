"""`belfry serve`: how long until its COMMAND runs, and from connecting to `delivered` through it."""

import contextlib
import os
import signal
import subprocess

import activation
import figures
import machine as setting


def microseconds_until_ready(machine, command):
    peer = machine.peers / "serve-peer"
    output = subprocess.run([peer, "--ready", *command, peer, "--now"], check=True, stdout=subprocess.PIPE, timeout=60)
    return float(output.stdout)


def measure_ready(machine, rounds, count):
    comparison = figures.Comparison("belfry serve, start to COMMAND's", "ms")
    socket = machine.scratch / "serve-peer.sock"
    commands = ([machine.stage / "bin/belfry", "serve", "--"], [machine.peers / "serve-peer", socket])
    for _ in range(rounds):
        samples = [[], []]
        for _ in range(count):
            for command, taken in zip(commands, samples):
                taken.append(microseconds_until_ready(machine, command) / 1000)
        comparison.add_round(*samples)
    return comparison


@contextlib.contextmanager
def served(machine, **settings):
    """The socket of a `belfry serve`, which is ready."""
    environment = os.environ | {"BELFRY_SOUND": "none"} | {f"BELFRY_{name}": text for name, text in settings.items()}
    process = subprocess.Popen(
        [machine.stage / "bin/belfry", "serve"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        yield process.stdout.readline().decode().removeprefix("BELFRY_SOCKET=").rstrip("\n")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=setting.PATIENCE_SECONDS)


def measure(machine, rounds, count):
    rows = [measure_ready(machine, rounds, count).row(figures.ratio, figures.median, 3, "3 ×")]
    messages = activation.write_messages(machine, activation.WARM_UP + rounds * count)
    programs = {"peer": machine.stage / "bin/belfry-worker"}
    with served(machine) as socket, activation.socket_activated(machine, programs) as sockets:
        for what, file in zip(("call request", "alert"), messages):
            title = f"connect to delivered, belfry serve, peer socket-activate, {what}"
            comparison = activation.measure_one(machine, title, {"belfry": socket, **sockets}, file, rounds, count)
            rows.append(comparison.row(figures.ratio, figures.median, 1, "1 ×"))
    return rows
