"""What a caller's picture costs a call, and belfry-avatar beside curl for the same file."""

import http.server
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import zlib

import figures
import machine as setting

RING_SECONDS = 1
SETTINGS = {"AVATAR_ALLOW": "127.0.0.1", "SOUND": "none", "RING_INTERVAL": "1s"}


def png(side, is_noise):
    """A PNG, of noise that nothing compresses or of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    source = random.Random(side)
    rows = b"".join(b"\0" + (source.randbytes(3 * side) if is_noise else b"\x20" * 3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


class Server:
    """Pictures by name over HTTP on loopback; what follows a "?" makes another address of the same picture."""

    def __init__(self, pictures):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = pictures[self.path.strip("/").partition("?")[0]]
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}"

    def close(self):
        self.server.shutdown()


class Call(setting.Connection):
    """A call request, perhaps with a picture; milliseconds from connecting to its events."""

    def __init__(self, machine, number, url=None):
        group = f"{machine.name}.pictures.{number % 50}"
        message = json.loads(setting.call_request(group, machine.unused("picture"), RING_SECONDS))
        if url:
            message["payload"]["info"]["callerAvatar"] = url
        super().__init__(machine.push_socket, json.dumps(message).encode() + b"\n")
        self.milliseconds, self.has_picture = {}, False
        for line in self.lines():
            event = json.loads(line)
            self.milliseconds.setdefault(event["event"], (event["boot"] - self.started) * 1000)
            if event["event"] == "delivered":
                self.has_picture = bool(event["content"]["attachments"])
                break
        # It rings on for its second, while the next are measured.
        self.close()
        if url and not self.has_picture:
            raise setting.Failure(f"no picture came: {line.decode()}")


def measure_calls(machine, server, rounds, count):
    ringing = figures.Comparison("connect to ringing, with a picture to fetch / without one", "ms")
    cached = figures.Comparison("connect to delivered, with a cached picture / without one", "ms")
    fetched = figures.Comparison("connect to delivered, with a fetched picture / without one", "ms")
    number = 0
    Call(machine, number, server.url("noise"))
    for _ in range(rounds):
        calls = {"new": [], "cached": [], "none": []}
        for _ in range(count):
            # In any order, so that none of them always follows the one that leaves a fetcher's work behind.
            for kind in random.sample(list(calls), len(calls)):
                number += 1
                url = {"new": f"small?{number}", "cached": "noise", "none": None}[kind]
                calls[kind].append(Call(machine, number, url and server.url(url)))
                time.sleep(0.05)
        to = {kind: {event: [call.milliseconds[event] for call in calls[kind]] for event in ("ringing", "delivered")}
              for kind in calls}
        ringing.add_round(to["new"]["ringing"], to["none"]["ringing"])
        cached.add_round(to["cached"]["delivered"], to["none"]["delivered"])
        fetched.add_round(to["new"]["delivered"], to["none"]["delivered"])
    return [
        ringing.row(figures.difference, figures.median, 1, "noise: 1 ms"),
        cached.row(figures.difference, figures.median, 10, "10 ms more"),
        fetched.row(figures.difference, figures.median, None, ""),
    ]


def milliseconds_of(run):
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def run(command, file, request=b""):
    """Runs a program with `file` as descriptor 3, both in the same way; what it printed."""
    return subprocess.run(
        command, input=request, stdout=subprocess.PIPE, env={"SWIFT_BACKTRACE": "enable=no"}, timeout=20, check=True,
        preexec_fn=lambda: os.dup2(file.fileno(), 3), pass_fds=(3,)).stdout


def fetch(program, url):
    """Runs belfry-avatar as a worker does."""
    request = json.dumps({"url": url, "allow": ["127.0.0.1"]}).encode() + b"\n"
    with tempfile.TemporaryFile() as file:
        answer = run([program], file, request)
        if json.loads(answer)["outcome"] != "picture":
            raise setting.Failure(answer.decode())


def download(curl, url):
    with tempfile.TemporaryFile() as file:
        run([curl, "--silent", "--fail", "--output", "/dev/fd/3", url], file)


def measure_programs(machine, server, rounds, count):
    curl = shutil.which("curl")
    if not curl:
        raise setting.Failure("no curl to compare with: apt-get install curl")
    program = str(machine.stage / "bin/belfry-avatar")
    rows = []
    # Of one small colour there is next to nothing to decode; the photograph's size shows what decoding takes.
    for name, what, at_most, limit in (
            ("small", "64 x 64", 2, "2 ×"), ("photo", "1024 x 1024, decoding included", None, "")):
        comparison = figures.Comparison(f"belfry-avatar / curl, PNG of {what}", "ms")
        for _ in range(rounds):
            pairs = [
                (milliseconds_of(lambda: fetch(program, server.url(name))),
                 milliseconds_of(lambda: download(curl, server.url(name))))
                for _ in range(count)]
            comparison.add_round(*map(list, zip(*pairs)))
        rows.append(comparison.row(figures.ratio, figures.median, at_most, limit))
    return rows


def measure(machine, rounds, count):
    server = Server({"small": png(64, False), "noise": png(512, True), "photo": png(1024, True)})
    machine.configure(**SETTINGS)
    try:
        return measure_calls(machine, server, rounds, count) + measure_programs(machine, server, rounds, count)
    finally:
        server.close()
