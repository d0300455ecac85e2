"""The APNs endpoint under h2load, beside a peer in C with the same libraries and queue, nghttpd and nginx, which answer
200 and keep nothing; the memory of an idle connection; and from a request's last byte to its worker's `received`."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import uuid

import figures
import machine as setting

BUNDLE_ID = "com.example.bench"
PAYLOAD_BYTES = 144
PAYLOAD = b'{"aps":{"alert":{"title":"Bench","body":"' + b"x" * (PAYLOAD_BYTES - 45) + b'"}}}'
IDLE_CONNECTIONS = 1000
GAP_SECONDS = 0.02
NGINX_CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
    access_log off; keepalive_requests 1000000000; http2_max_concurrent_streams 1000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {certificate}; ssl_certificate_key {key};
        location / {{ return 200; }}
    }}
}}
"""


class Place:
    """A folder on a disk, where an fdatasync costs what it does, with what endpoint and clients need."""

    def __init__(self, machine):
        self.machine = machine
        self.push_socket, self.runtime = machine.push_socket, machine.runtime / "belfry"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="belfry-bench-", dir="/var/tmp"))
        self.state = self.folder / "state"
        self.payload = self.folder / "payload.json"
        self.payload.write_bytes(PAYLOAD)
        self.belfry("apns", "setup")
        minted = self.object("apns", "credentials", "new", "--bundle-id", BUNDLE_ID, "--json")
        self.offline, self.online = (self.object("device", "add", "--bundle-id", BUNDLE_ID, "--json") for _ in range(2))
        self.belfry("device", "offline", self.offline["id"])
        self.certificate, self.key = (self.state / "credentials" / name for name in ("server.pem", "server.key"))
        client = machine.tree / "Tests/Servers/apns-client.py"
        self.bearer = "bearer " + subprocess.run(
            ["python3", client, "token", minted["key"], minted["keyId"], minted["team"]], check=True,
            stdout=subprocess.PIPE, text=True, timeout=60).stdout.strip()

    @property
    def environment(self):
        return os.environ | {"BELFRY_STATE_DIRECTORY": str(self.state), "BELFRY_SOCKET": self.push_socket,
                             "BELFRY_RUNTIME_DIRECTORY": str(self.runtime)}

    def belfry(self, *words):
        return subprocess.run([self.machine.stage / "bin/belfry", *words], env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=60).stdout

    def object(self, *words):
        return json.loads(self.belfry(*words))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def running(command, port, **options):
    """A server that listens on `port`, until the block ends; its process."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)
    try:
        setting.wait_until(lambda: is_open(port) or process.poll() is not None, f"a server on port {port}")
        if process.poll() is not None:
            raise setting.Failure(f"{command[0]} ended with {process.returncode}")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=setting.PATIENCE_SECONDS)


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def endpoint(place):
    """belfry-apns: its port and process."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener:
        port, number = listener.getsockname()[1], listener.fileno()
        program = place.machine.stage / "bin/belfry-apns"
        command = ["/bin/sh", "-c", f'exec "$0" --listeners 1 3<&{number}', program]
        with running(command, port, env=place.environment, pass_fds=[number]) as process:
            yield port, process


@contextlib.contextmanager
def c_peer(place):
    port = free_port()
    with tempfile.TemporaryDirectory(dir=place.folder) as folder:
        command = [place.machine.peers / "apns-peer", str(port), place.certificate, place.key, folder]
        with running(command, port) as process:
            yield port, process


@contextlib.contextmanager
def nghttpd(place):
    port = free_port()
    # Without --echo-upload, which makes and removes a file in /tmp for each request: where that is a disk, a disk would
    # be measured. It answers with the file of the request's path.
    page = place.folder / "nghttpd/3/device" / place.offline["alertToken"]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.touch()
    command = ["nghttpd", f"--htdocs={place.folder / 'nghttpd'}", "--address=127.0.0.1",
               "--max-concurrent-streams=1000", str(port), place.key, place.certificate]
    with running(command, port) as process:
        yield port, process


@contextlib.contextmanager
def nginx(place):
    """nginx as its package has it, which is unpacked and not installed, since it would start a service."""
    port, folder = free_port(), place.folder / "nginx"
    folder.mkdir(exist_ok=True)
    text = NGINX_CONFIGURATION.format(folder=folder, port=port, certificate=place.certificate, key=place.key)
    (folder / "nginx.conf").write_text(text)
    program = place.machine.peers / "nginx/usr/sbin/nginx"
    with running([program, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"], port) as process:
        yield port, process


def h2load(place, port, clients, streams, count):
    """Microseconds for each request of all that time, the milliseconds that each took, and how many were not 200."""
    log = place.folder / "h2load.log"
    log.unlink(missing_ok=True)
    headers = [f"authorization: {place.bearer}", f"apns-topic: {BUNDLE_ID}", "apns-expiration: 0"]
    command = ["h2load", "--threads=1", f"--clients={clients}", f"--max-concurrent-streams={streams}",
               f"--requests={count}", f"--data={place.payload}", f"--log-file={log}"]
    command += [f"--header={header}" for header in headers]
    url = f"https://127.0.0.1:{port}/3/device/{place.offline['alertToken']}"
    output = subprocess.run([*command, url], check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
    per_second = re.search(r"finished in .*?, ([\d.]+) req/s", output)
    if not per_second or float(per_second[1]) == 0:
        raise setting.Failure(f"h2load: {output}")
    lines = [line.split() for line in log.read_text().splitlines()]
    answered = sum(status == "200" for _, status, _ in lines)
    return 1e6 / float(per_second[1]), [float(taken) / 1000 for _, _, taken in lines], count - answered


def measured(place, port, clients, streams, count):
    each, latencies, lost = h2load(place, port, clients, streams, count)
    if lost:
        raise setting.Failure(f"{lost} of {count} requests were not answered 200")
    return each, latencies


def measure_load(place, rounds, count):
    """Rows of requests a second and of the time that each takes."""
    what = "time per request, 4 × 100 streams"
    rates = {name: figures.Comparison(f"{what}, peer {name}", "µs") for name in ("in C", "nghttpd", "nginx")}
    many = figures.Comparison("a request among 4 × 100", "ms")
    single = figures.Comparison("a request by itself", "ms")
    servers = {"belfry": endpoint, "in C": c_peer, "nghttpd": nghttpd}
    if (place.machine.peers / "nginx").exists():
        servers["nginx"] = nginx
    with contextlib.ExitStack() as stack:
        ports = {name: stack.enter_context(server(place))[0] for name, server in servers.items()}
        for _ in range(rounds):
            taken = {name: measured(place, port, 4, 100, count) for name, port in ports.items()}
            for name, comparison in rates.items():
                if name in taken:
                    comparison.add_round([taken["belfry"][0]], [taken[name][0]])
            many.add_round(taken["belfry"][1], taken["in C"][1])
            alone = [measured(place, ports[name], 1, 1, count // 20)[1] for name in ("belfry", "in C")]
            single.add_round(*alone)
        lost = h2load(place, ports["belfry"], 1000, 10, 10 * max(count // 10, 1000))[2]
    return [
        rates["in C"].row(figures.ratio, figures.median, 1 / 0.6, "1.67 ×"),
        rates["nghttpd"].row(figures.ratio, figures.median, None, ""),
        rates["nginx"].row(figures.ratio, figures.median, None, ""),
        many.row(figures.ratio, figures.p99, 2, "2 ×"),
        single.row(figures.ratio, figures.p99, 2, "2 ×"),
        figures.plain_row("1,000 connections × 10 streams, not answered 200", [lost], figures.median, 0, "0"),
    ]


class Provider:
    """A push server's connection: HTTP/2 by hand, a request at a time."""

    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])

    def __init__(self, port):
        raw = socket.create_connection(("127.0.0.1", port), timeout=setting.PATIENCE_SECONDS)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = self.context.wrap_socket(raw)
        self.stream, self.received = -1, b""
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b""))

    def push(self, place, device, apns_id):
        """Sends a push, and waits for its answer; when its last byte went, in seconds since 1970."""
        self.stream += 2
        fields = {":method": "POST", ":scheme": "https", ":path": f"/3/device/{device['alertToken']}",
                  ":authority": "localhost", "authorization": place.bearer, "apns-topic": BUNDLE_ID, "apns-id": apns_id}
        block = b"".join(b"\x00" + text_bytes(name) + text_bytes(value) for name, value in fields.items())
        request = frame(1, 4, self.stream, block) + frame(0, 1, self.stream, PAYLOAD)
        sent = time.time()
        self.socket.sendall(request)
        self.await_end()
        return sent

    def await_end(self):
        while True:
            while len(self.received) >= 9 and len(self.received) >= 9 + int.from_bytes(self.received[:3], "big"):
                kind, flags = self.received[3], self.received[4]
                stream = int.from_bytes(self.received[5:9], "big")
                self.received = self.received[9 + int.from_bytes(self.received[:3], "big"):]
                if stream == self.stream and kind in (0, 1) and flags & 1:
                    return
            more = self.socket.recv(65536)
            if not more:
                raise setting.Failure("the server closed the connection")
            self.received += more


def frame(kind, flags, stream, content):
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content


def text_bytes(text):
    """A text as HPACK has it, without Huffman's code: its length, in 7 bits and then as many times 7 as it takes."""
    data = text.encode()
    length = len(data)
    if length < 127:
        return bytes([length]) + data
    head, length = b"\x7f", length - 127
    while length >= 128:
        head, length = head + bytes([length & 127 | 128]), length >> 7
    return head + bytes([length]) + data


def idle_kibibytes(place, server):
    """What one of many connections costs a server that was just started, after a request each."""
    with server(place) as (port, process):
        Provider(port).push(place, place.offline, str(uuid.uuid4()))
        before = setting.anonymous_kibibytes(process.pid)
        held = [Provider(port) for _ in range(IDLE_CONNECTIONS)]
        for provider in held:
            provider.push(place, place.offline, str(uuid.uuid4()))
        used = setting.anonymous_kibibytes(process.pid) - before
        for provider in held:
            provider.socket.close()
    return used / IDLE_CONNECTIONS


def measure_memory(place, rounds):
    comparison = figures.Comparison(f"memory of an idle connection, {IDLE_CONNECTIONS:,} open, peer nghttpd", "KiB")
    for _ in range(rounds):
        comparison.add_round([idle_kibibytes(place, endpoint)], [idle_kibibytes(place, nghttpd)])
    return comparison.row(figures.ratio, figures.median, 1.3, "1.3 ×")


def milliseconds_directly(machine):
    connection = setting.Connection(machine.push_socket, PAYLOAD + b"\n")
    line = connection.line()
    taken = (setting.boot_seconds() - connection.started) * 1000
    for _ in connection.lines():
        pass
    connection.close()
    if b'"received"' not in line:
        raise setting.Failure(f"not received: {line.decode()}")
    return taken


def milliseconds_through(place, provider, log):
    apns_id = str(uuid.uuid4())
    sent = provider.push(place, place.online, apns_id)

    def received():
        for line in log:
            note = json.loads(line)
            if note.get("id") == apns_id and note["step"] == "received":
                return note["at"]
        return None

    return (setting.wait_until(received, "a push through the endpoint") - sent) * 1000


def measure_hand_over(place, rounds, count):
    """Both from the last byte to `received`: the one as the endpoint notes it, the other as a client reads it."""
    comparison = figures.Comparison("last byte to received, peer by the push socket", "ms")
    with endpoint(place) as (port, _):
        provider = Provider(port)
        provider.push(place, place.online, str(uuid.uuid4()))
        with (place.state / "apns/log.jsonl").open() as log:
            for _ in range(rounds):
                samples = [[], []]
                for _ in range(count):
                    samples[0].append(milliseconds_through(place, provider, log))
                    time.sleep(GAP_SECONDS)
                    samples[1].append(milliseconds_directly(place.machine))
                    time.sleep(GAP_SECONDS)
                comparison.add_round(*samples)
    return comparison.row(figures.difference, figures.median, 2, "2 ms more")


def measure(machine, rounds, count):
    machine.configure(SOUND="none")
    place = Place(machine)
    try:
        rows = [measure_hand_over(place, rounds, max(count // 1000, 10)), measure_memory(place, min(rounds, 3))]
        return measure_load(place, rounds, count) + rows
    finally:
        shutil.rmtree(place.folder)


def unpack_nginx(peers):
    """Lays nginx into the folder of peers, from where Debian's packages are; without it the table goes without."""
    if (peers / "nginx").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["apt-get", "--quiet", "--quiet", "download", "nginx"], cwd=folder, check=True, timeout=120)
            package = next(pathlib.Path(folder).glob("*.deb"))
            subprocess.run(["dpkg-deb", "--extract", package, peers / "nginx"], check=True, timeout=60)
        except (OSError, subprocess.SubprocessError, StopIteration) as failure:
            print(f"bench: nginx is not compared: {failure}", flush=True)
