"""A push to another machine of a fleet, by three brokers on this host with TLS, beside the same push to this machine:
with workers that systemd starts, and with a push socket that costs nothing."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import uuid

import apns
import figures
import machine as setting

BROKERS = 3
AT_ONCE = 50
# Pushes while a broker is away: so many before, during and after, each so long after the last.
PUSHES_EACH, PUSH_GAP_SECONDS = 100, 0.01
# So long an agent is looked at that has nothing to do.
IDLE_SECONDS = 60


class Host:
    """A state and runtime directory of its own, which belongs to a fleet."""

    def __init__(self, fleet, name, push_socket):
        self.folder = fleet.place.folder / name
        self.runtime = self.folder / "run"
        self.runtime.mkdir(parents=True)
        self.environment = os.environ | {
            "BELFRY_STATE_DIRECTORY": str(self.folder / "state"), "BELFRY_RUNTIME_DIRECTORY": str(self.runtime),
            "BELFRY_SOCKET": push_socket}

    def belfry(self, stage, *words):
        return subprocess.run([stage / "bin/belfry", *words], env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=60).stdout


@contextlib.contextmanager
def serving(stage, work, environment, runtime):
    """belfry-fleet at its socket."""
    path = runtime / f"{work}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(64)
        number = listener.fileno()
        command = ["/bin/sh", "-c", f'exec "$0" {work} 3<&{number}', stage / "bin/belfry-fleet"]
        process = subprocess.Popen(command, env=environment | {"LISTEN_FDS": "1"}, pass_fds=[number],
                                   stdin=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=setting.PATIENCE_SECONDS)
            path.unlink()


class Broker:
    """A server of NATS, in its folder."""

    def __init__(self, program, folder, port):
        self.program, self.folder, self.port = program, folder, port
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.program, "-c", "nats.conf"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        setting.wait_until(lambda: apns.is_open(self.port), "a broker")

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=setting.PATIENCE_SECONDS)


class Fleet:
    """Brokers, a gateway, whose endpoint is that of `place`, and machines."""

    def __init__(self, place, stack):
        self.place, self.stage = place, place.machine.stage
        self.keys = place.folder / "keys"
        ports = [apns.free_port() for _ in range(2 * BROKERS)]
        brokers = [f"--broker=127.0.0.1:{ports[i]}:{ports[i + BROKERS]}" for i in range(BROKERS)]
        self.fleet("setup", *brokers)
        program = place.machine.peers / "nats/usr/sbin/nats-server"
        self.brokers = [Broker(program, next((self.keys / "fleet/setup").glob(f"broker-*{port}*")), port)
                        for port in ports[:BROKERS]]
        for broker in self.brokers:
            stack.callback(broker.kill)
            broker.start()
        setting.wait_until(lambda: "registry of devices" in self.fleet("setup"), "a registry of devices")
        place.runtime = place.folder / "run"
        place.runtime.mkdir()
        gateway = place.environment
        self.join("gate", gateway, "--gateway")
        stack.enter_context(serving(self.stage, "relay", gateway, place.runtime))

    def fleet(self, *words):
        environment = os.environ | {"BELFRY_STATE_DIRECTORY": str(self.keys)}
        return subprocess.run([self.stage / "bin/belfry", "fleet", *words], env=environment, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=60).stdout

    def join(self, name, environment, *more):
        words = self.fleet("enroll", name, *more).split()
        path = next(word for word in words if word.endswith(".credential"))
        subprocess.run([self.stage / "bin/belfry", "fleet", "join", path], env=environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=60)

    def machine(self, name, push_socket, stack, count=1):
        """The devices of a machine that hands its pushes to `push_socket`, and how long each took to be added."""
        host = Host(self, name, push_socket)
        self.join(name, host.environment)
        self.agent = stack.enter_context(serving(self.stage, "agent", host.environment, host.runtime))
        devices, taken = [], []
        for _ in range(count):
            began = time.monotonic()
            words = ["device", "add", "--bundle-id", apns.BUNDLE_ID, "--share", "--json"]
            devices.append(json.loads(host.belfry(self.stage, *words)))
            taken.append((time.monotonic() - began) * 1000)
        return devices, taken


class Log:
    """The log of pushes, which there is from the first push on, from its end, also where a new file is begun."""

    def __init__(self, place, port):
        apns.Provider(port).push(place, place.offline, str(uuid.uuid4()))
        self.path = place.state / "apns/log.jsonl"
        self.file = self.path.open()
        self.file.seek(0, os.SEEK_END)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def is_full(self):
        with contextlib.suppress(FileNotFoundError):
            return os.fstat(self.file.fileno()).st_ino != self.path.stat().st_ino
        # The new one is just made.
        return False

    def notes(self):
        """What the endpoint has noted since: whole lines alone."""
        # Asked before it is read, so that what came before the new file is.
        is_full = self.is_full()
        while True:
            place = self.file.tell()
            line = self.file.readline()
            if line.endswith("\n"):
                yield json.loads(line)
            elif is_full:
                self.file.close()
                self.file, is_full = self.path.open(), False
            else:
                self.file.seek(place)
                return


def milliseconds_to(place, provider, log, device, step="received"):
    """From the last byte of a request to `step`, as the endpoint notes it."""
    apns_id = str(uuid.uuid4())
    sent = provider.push(place, device, apns_id)

    def noted():
        for note in log.notes():
            if note.get("id") == apns_id and note["step"] == step:
                return note["at"]
        return None

    return (setting.wait_until(noted, f"a push that is {step}", 30) - sent) * 1000


def latest(place, provider, log, device, leave, come_back):
    """The longest time to `received`, in ms, of pushes that go on while a broker leaves and comes back."""
    sent, received = {}, {}

    def look():
        for note in log.notes():
            if note["step"] == "received" and note.get("id") in sent:
                received.setdefault(note["id"], note["at"])

    for number in range(3 * PUSHES_EACH):
        if number == PUSHES_EACH:
            leave()
        if number == 2 * PUSHES_EACH:
            come_back()
        apns_id = str(uuid.uuid4())
        sent[apns_id] = time.time()
        provider.push(place, device, apns_id)
        time.sleep(PUSH_GAP_SECONDS)
    setting.wait_until(lambda: look() or len(received) == len(sent), "pushes while a broker was away", 30)
    return max(received[apns_id] - at for apns_id, at in sent.items()) * 1000


def measure_brokers(place, fleet, provider, log, device):
    rows = []
    for what, leave, come_back in (("killed", Broker.kill, Broker.start),
                                   ("stopped", lambda broker: broker.process.send_signal(signal.SIGSTOP),
                                    lambda broker: broker.process.send_signal(signal.SIGCONT))):
        samples = []
        for broker in fleet.brokers:
            samples.append(latest(place, provider, log, device, lambda: leave(broker), lambda: come_back(broker)))
            # All lines are to be back before the next one leaves.
            time.sleep(5)
        rows.append(figures.plain_row(f"a broker is {what}, each in turn: the latest push to another machine (ms)",
                                      samples, max, 1000, "1 s"))
    return rows


def measure_unknown(place, provider, rounds, count, known):
    comparison = figures.Comparison("answer to a token that nobody has, peer a known one", "ms")
    for _ in range(rounds):
        samples = [[], []]
        for _ in range(count):
            for taken, device in zip(samples, ({"alertToken": uuid.uuid4().hex * 2}, known)):
                sent = provider.push(place, device, str(uuid.uuid4()))
                taken.append((time.time() - sent) * 1000)
                time.sleep(apns.GAP_SECONDS)
        comparison.add_round(*samples)
    return comparison.row(figures.difference, figures.median, 10, "10 ms more")


def measure_absent(place, provider, log, device, count):
    milliseconds_to(place, provider, log, device, "offline")
    samples = [milliseconds_to(place, provider, log, device, "offline") for _ in range(count)]
    return figures.plain_row("a machine that is absent, once that is known: told offline (ms)", samples,
                             figures.median, 5, "5 ms")


def measure_idle(agent):
    """An agent that nobody pushes to."""

    def wake_ups():
        status = pathlib.Path(f"/proc/{agent.pid}/status").read_text()
        return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])

    before, began = wake_ups(), time.monotonic()
    time.sleep(IDLE_SECONDS)
    rate = (wake_ups() - before) / (time.monotonic() - began)
    memory = setting.anonymous_kibibytes(agent.pid) / 1024
    return [figures.plain_row("an agent that has nothing to do: memory of its own (MiB)", [memory], figures.median, 8,
                              "8 MiB"),
            figures.plain_row("an agent that has nothing to do: wake-ups a second", [rate], figures.median, 0.5,
                              "1 in 2 s")]


def measure_one(place, what, log, provider, rounds, count, here, there, at_most):
    comparison = figures.Comparison(f"last byte to received on another machine, {what}, peer on this one", "ms")
    for device in (here, there):
        milliseconds_to(place, provider, log, device)
    for _ in range(rounds):
        samples = [[], []]
        for _ in range(count):
            for taken, device in zip(samples, (there, here)):
                taken.append(milliseconds_to(place, provider, log, device))
                time.sleep(apns.GAP_SECONDS)
        comparison.add_round(*samples)
    return [comparison.row(figures.difference, figures.median, at_most, f"{at_most} ms more"),
            comparison.row(figures.difference, figures.p99, 10, "10 ms more")]


def per_second(place, port, log, devices, count):
    """Pushes to many devices at once: how many a second, from the first to the last `received`."""
    urls = place.folder / "urls"
    urls.write_text("".join(f"https://127.0.0.1:{port}/3/device/{device['alertToken']}\n" for device in devices))
    headers = [f"authorization: {place.bearer}", f"apns-topic: {apns.BUNDLE_ID}"]
    command = ["h2load", "--threads=1", "--clients=1", f"--max-concurrent-streams={AT_ONCE}", f"--requests={count}",
               f"--data={place.payload}", f"--input-file={urls}", *(f"--header={header}" for header in headers)]
    for _ in log.notes():
        pass
    began = time.time()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
    times = []

    def all_received():
        times.extend(note["at"] for note in log.notes() if note["step"] == "received")
        return len(times) >= count

    setting.wait_until(all_received, f"{count} pushes to a machine", 60)
    return count / (max(times) - began)


def measure(machine, rounds, count):
    machine.configure(SOUND="none")
    place = apns.Place(machine)
    try:
        with contextlib.ExitStack() as stack:
            fleet = Fleet(place, stack)
            sink = place.folder / "sink.sock"
            stack.enter_context(running_sink(machine, sink))
            (real,), _ = fleet.machine("kiosk", machine.push_socket, stack)
            idle = fleet.agent
            cheap, added = fleet.machine("sink", str(sink), stack, AT_ONCE)
            with contextlib.ExitStack() as leaving:
                (absent,), _ = fleet.machine("absent", str(sink), leaving)
            rows = [figures.plain_row("device add on a machine of a fleet, to its tokens (ms)", added, figures.median, 50,
                                      "50 ms")]
            with apns.endpoint(place) as (port, _), Log(place, port) as log:
                provider = apns.Provider(port)
                rows += measure_one(place, "a worker of systemd's", log, provider, rounds, count, place.online, real, 2)
                rates = [per_second(place, port, log, cheap, 100 * count) for _ in range(rounds)]
                rows.append(figures.plain_row(
                    f"pushes to another machine, {AT_ONCE} at once, a worker that costs nothing, time of each (µs)",
                    [1e6 / rate for rate in rates], figures.median, 1e6 / 3000, "333 µs: 3,000/s"))
            place.push_socket = str(sink)
            with apns.endpoint(place) as (port, _), Log(place, port) as log:
                provider = apns.Provider(port)
                rows += measure_one(place, "a worker that costs nothing", log, provider, rounds, count, place.online,
                                    cheap[0], 1)[:1]
                rows.append(measure_unknown(place, provider, rounds, count, cheap[0]))
                rows.append(measure_absent(place, provider, log, absent, count))
                rows += measure_brokers(place, fleet, provider, log, cheap[0])
            return rows + measure_idle(idle)
    finally:
        shutil.rmtree(place.folder)


@contextlib.contextmanager
def running_sink(machine, path):
    process = subprocess.Popen([machine.peers / "push-sink", path], stdin=subprocess.DEVNULL)
    try:
        setting.wait_until(path.exists, "a push socket")
        yield
    finally:
        process.terminate()
        process.wait(timeout=setting.PATIENCE_SECONDS)


def unpack_nats(peers, tree):
    """Lays Debian's nats-server, unpacked and not installed, into the folder of peers."""
    program = pathlib.Path(os.environ.get("BELFRY_TEST_NATS", tree / ".build/nats/usr/sbin/nats-server"))
    target = peers / "nats/usr/sbin/nats-server"
    if not target.exists() and program.exists():
        target.parent.mkdir(parents=True)
        shutil.copy(program, target)
