"""From connecting to `delivered`, under systemd and under systemd-socket-activate."""

import contextlib
import os
import subprocess

import figures
import machine as setting

GAP_MILLISECONDS = 20
# A call rings for a second, 25 of them at once; a group is used again when it is quiet, its file there already.
GROUPS = 100
WARM_UP = 10


def write_messages(machine, count):
    calls = machine.scratch / "calls.json"
    calls.write_bytes(b"".join(
        setting.call_request(f"{machine.name}.{number % GROUPS}", machine.unused("start"), 1)
        for number in range(count)))
    alerts = machine.scratch / "alerts.json"
    alerts.write_bytes(setting.alert(f"{machine.name}.alert"))
    return calls, alerts


def connect(machine, count, sockets, messages):
    """Microseconds by name; a lost connection is reported, not counted."""
    subjects = [text for name, path in sockets.items() for text in (name, path, str(messages))]
    command = [machine.peers / "connect", str(count), str(GAP_MILLISECONDS), *subjects]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600).stdout.decode()
    samples = {name: [] for name in sockets}
    for line in output.splitlines():
        name, microseconds = line.split()
        if microseconds != "lost":
            samples[name].append(float(microseconds) / 1000)
    return samples


def measure_one(machine, what, sockets, messages, rounds, count):
    comparison = figures.Comparison(what, "ms")
    connect(machine, WARM_UP, sockets, messages)
    for _ in range(rounds):
        samples = connect(machine, count, sockets, messages)
        comparison.add_round(samples["belfry"], samples["peer"])
    return comparison


def measure(machine, rounds, count):
    machine.configure(SOUND="none", RING_INTERVAL="1s")
    calls, alerts = write_messages(machine, WARM_UP + rounds * count)
    rows = []
    under_systemd = {"belfry": machine.push_socket, "peer": machine.socket_of("echo-worker")}
    for what, messages in (("call request", calls), ("alert", alerts)):
        title = f"connect to delivered, systemd, {what}"
        comparison = measure_one(machine, title, under_systemd, messages, rounds, count)
        rows.append(comparison.row(figures.difference, figures.median, 3, "3 ms more"))
    machine.stop_workers()
    programs = {"belfry": machine.stage / "bin/belfry-worker", "peer": machine.peers / "echo-worker"}
    with socket_activated(machine, programs) as sockets:
        for what, messages in (("call request", calls), ("alert", alerts)):
            title = f"the same, socket-activate, {what}"
            comparison = measure_one(machine, title, sockets, messages, rounds, count)
            rows.append(comparison.row(figures.ratio, figures.median, 2, "2 ×"))
    return rows


@contextlib.contextmanager
def socket_activated(machine, programs):
    environment = {
        "BELFRY_SOUND": "none",
        "SWIFT_BACKTRACE": "enable=no,swift-backtrace=/",
        "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
    }
    settings = [f"--setenv={name}={value}" for name, value in environment.items()]
    sockets = {name: str(machine.scratch / f"{name}.sock") for name in programs}
    processes = [
        subprocess.Popen(
            ["systemd-socket-activate", "--accept", "--inetd", f"--listen={sockets[name]}", *settings, str(program)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name, program in programs.items()
    ]
    try:
        for path in sockets.values():
            setting.wait_until(lambda: os.path.exists(path), path)
        yield sockets
    finally:
        for process in processes:
            process.kill()
            process.wait()
        for path in sockets.values():
            if os.path.exists(path):
                os.unlink(path)
