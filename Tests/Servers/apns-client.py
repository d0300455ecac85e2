#!/usr/bin/python3
"""An APNs client that writes its frames by hand, in every way that is allowed and in every way that is not.

apns-client.py token KEY KID TEAM [KIND]        prints a token of the key in the file KEY, good or wrong as KIND says
apns-client.py storm PORT CA TOPIC CERTIFICATE  sends calls until each is answered, however often the endpoint is struck
apns-client.py steady PORT CA TOPIC CERTIFICATE DEVICE SECONDS    nine calls a second, each hung up after a second;
                                                prints how many requests were answered 200
apns-client.py gateways RATE BUNDLE [PORT CA CERTIFICATE]...    sends pushes to gateways in turn, RATE a second, and what one
                                                leaves unanswered to the next one
apns-client.py SCENARIO PORT CA TOPIC DEVICE AUTHORIZATION    prints what became of it as one JSON object

Each scenario is a function below.
"""
import base64
import hashlib
import hmac
import json
import os
import resource
import select
import socket
import ssl
import struct
import subprocess
import sys
import time

import hpack
from hyperframe import frame

NAME = "api.push.apple.com"
PATIENCE = 120
PAYLOAD = b'{"aps":{"alert":"x"}}'


# Tokens.

def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(path, kid, team, kind="good"):
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    with open(path, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None)
    now = int(time.time())
    issued = {"milliseconds": now * 1000, "milliseconds-fraction": time.time() * 1000, "text": str(now),
              "fraction": time.time(), "negative": -now, "huge": 1e300, "old": now - 3700,
              "old-fraction": now - 3700.5, "ahead": now + 3700}.get(kind, now)
    algorithm = {"none": "none", "hs256": "HS256"}.get(kind, "ES256")
    header = json.dumps({"alg": algorithm, "kid": kid})
    if kind == "duplicate":
        header = '{"alg":"none","alg":"ES256","kid":"%s"}' % kid
    claims = json.dumps({"iss": team, "iat": issued})
    if kind == "exponent":
        claims = '{"iss":"%s","iat":%de-1}' % (team, now * 10)
    # Other libraries keep base64's own alphabet, or its padding; "x" brings "+" and "/" into what is encoded.
    make = {"base64": lambda data: base64.b64encode(data).rstrip(b"="), "padded": base64.b64encode,
            "padded-url": base64.urlsafe_b64encode}.get(kind, part)
    if make is not part:
        claims = claims[:-1] + ',"x":"~~~???>>>"}'
    signed = make(header.encode()) + b"." + make(claims.encode())
    if kind == "curve":
        key = ec.generate_private_key(ec.SECP256K1())
    if kind == "p384":
        key = ec.generate_private_key(ec.SECP384R1())
    der = key.sign(signed, ec.ECDSA(hashes.SHA256()))
    r, s = utils.decode_dss_signature(der)
    size = 48 if kind == "p384" else 32
    signature = r.to_bytes(size, "big") + s.to_bytes(size, "big")
    if kind == "none":
        signature = b""
    elif kind == "hs256":
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        signature = hmac.new(public, signed, hashlib.sha256).digest()
    elif kind == "der":
        signature = der
    elif kind == "zero":
        signature = bytes(64)
    elif kind == "order":
        order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
        signature = order.to_bytes(32, "big") * 2
    elif kind == "megabyte":
        signed = part(b"{" + b" " * (1 << 20) + b"}") + b"." + signed.split(b".")[1]
    elif kind == "der-and-more":
        signature = der + b"\0"
    return (signed + b"." + make(signature)).decode()


# Connections.

class Client:
    def __init__(self, port, authority, alpn=True, name=NAME, certificate=None, room=None):
        raw = socket.socket()
        if room:
            # Before it connects: a window that shrinks afterwards stops what is sent the other way, too.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        raw.connect(("127.0.0.1", port))
        raw.settimeout(PATIENCE)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        context = ssl.create_default_context(cafile=authority)
        if alpn:
            context.set_alpn_protocols(["h2"])
        if certificate:
            context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(raw, server_hostname=name)
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.received = b""
        self.answers = {}
        self.resets = {}
        self.goaway = None
        self.settings = {}
        self.closed = False
        self.data_frames = {}

    def begin(self, settings=None):
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frames(frame.SettingsFrame(0, settings=settings or {}))

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self.closed = True

    def frames(self, *frames):
        self.send(b"".join(f.serialize() for f in frames))

    def headers(self, case, path=None, extra=(), method="POST", authority=True):
        fields = [(":method", method), (":scheme", "https"), (":path", path or "/3/device/" + case.device)]
        fields.append((":authority", NAME) if authority else ("host", NAME))
        fields += [("authorization", case.authorization), ("apns-topic", case.topic)]
        return self.encoder.encode(fields + list(extra))

    def request(self, case, stream, body=PAYLOAD, **options):
        self.frames(self.head(case, stream, **options), self.body(stream, body))

    def head(self, case, stream, ended=False, **options):
        flags = ["END_HEADERS"] + (["END_STREAM"] if ended else [])
        return frame.HeadersFrame(stream, self.headers(case, **options), flags=flags)

    def heads(self, case, count, name, value, times=1):
        """The heads of so many requests with a long header: from the second on they are made once."""
        extra = [hpack.NeverIndexedHeaderTuple(name, value)] * times
        blocks = [self.headers(case, extra=extra), self.headers(case, extra=extra)]
        for stream in range(1, 2 * count, 2):
            yield frame.HeadersFrame(stream, blocks[stream > 1], flags=["END_HEADERS"])

    def thousand(self, case, identifier):
        """As many requests as may be at once, with a long apns-id."""
        for head in self.heads(case, 1000, "apns-id", "~" * identifier):
            yield head.serialize() + self.body(head.stream_id).serialize()

    @staticmethod
    def body(stream, data=PAYLOAD, ended=True):
        return frame.DataFrame(stream, data, flags=["END_STREAM"] if ended else [])

    def read(self, seconds=PATIENCE):
        """Takes what comes within a time; False when nothing more will."""
        if self.closed:
            return False
        self.socket.settimeout(seconds)
        try:
            data = self.socket.recv(65536)
        except (socket.timeout, TimeoutError):
            return False
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return False
        self.received += data
        while len(self.received) >= 9:
            head, length = frame.Frame.parse_frame_header(memoryview(self.received[:9]))
            if len(self.received) < 9 + length:
                break
            head.parse_body(memoryview(self.received[9:9 + length]))
            self.received = self.received[9 + length:]
            self.take(head)
        return True

    def take(self, got):
        if isinstance(got, frame.HeadersFrame):
            self.answers[got.stream_id] = {"headers": dict(self.decoder.decode(got.data)), "body": ""}
            self.answers[got.stream_id]["ended"] = "END_STREAM" in got.flags
        elif isinstance(got, frame.DataFrame):
            self.answers[got.stream_id]["body"] += got.data.decode()
            self.answers[got.stream_id]["ended"] = "END_STREAM" in got.flags
            self.data_frames[got.stream_id] = self.data_frames.get(got.stream_id, 0) + 1
        elif isinstance(got, frame.RstStreamFrame):
            self.resets[got.stream_id] = got.error_code
        elif isinstance(got, frame.GoAwayFrame):
            self.goaway = {"last": got.last_stream_id, "code": got.error_code, "data": got.additional_data.decode()}
        elif isinstance(got, frame.SettingsFrame) and "ACK" not in got.flags:
            self.settings.update(got.settings)
            self.frames(frame.SettingsFrame(0, flags=["ACK"]))
        elif isinstance(got, frame.PingFrame) and "ACK" not in got.flags:
            self.frames(frame.PingFrame(0, got.opaque_data, flags=["ACK"]))

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end and self.read():
            pass
        return condition()

    def answer(self, stream):
        self.wait(lambda: stream in self.resets or self.answers.get(stream, {}).get("ended"))
        found = self.answers.get(stream)
        if not found:
            return {"reset": self.resets.get(stream), "goaway": self.goaway, "closed": self.closed}
        return {"status": int(found["headers"][":status"]), "body": found["body"], "headers": found["headers"],
                "dataFrames": self.data_frames.get(stream, 0), "reset": self.resets.get(stream)}

    def end(self):
        """Reads until the server closes, and tells how it did."""
        while self.read():
            pass
        return {"closed": self.closed, "goaway": self.goaway, "resets": len(self.resets), "answers": len(self.answers)}


class Case:
    def __init__(self, port, authority, topic, device, authorization):
        self.port, self.authority, self.topic = int(port), authority, topic
        self.device, self.authorization = device, authorization

    def client(self, settings=None, **options):
        client = Client(self.port, self.authority, **options)
        client.begin(settings)
        return client


def good(case):
    """Another client's request, which nothing may harm."""
    client = case.client()
    client.request(case, 1)
    return client.answer(1).get("status")


# What is allowed.

def ordinary(case):
    client = case.client()
    client.request(case, 1)
    answer = client.answer(1)
    answer["settings"] = {str(int(key)): value for key, value in client.settings.items()}
    return answer


def refused(case):
    client = case.client()
    client.request(case, 1, path="/3/device/ab")
    return client.answer(1)


def no_alpn(case):
    client = case.client(alpn=False)
    client.request(case, 1, authority=False)
    return client.answer(1)


def empty_last_data(case):
    client = case.client()
    client.frames(client.head(case, 1), client.body(1, ended=False), client.body(1, b""))
    return client.answer(1)


def padding(case):
    client = case.client()
    client.frames(frame.HeadersFrame(1, client.headers(case), flags=["END_HEADERS", "PADDED"], pad_length=200),
                  frame.DataFrame(1, PAYLOAD, flags=["END_STREAM", "PADDED"], pad_length=255))
    return client.answer(1)


def continuation(case):
    client = case.client()
    block = client.headers(case)
    client.frames(frame.HeadersFrame(1, block[:10]),
                  frame.ContinuationFrame(1, block[10:], flags=["END_HEADERS"]), client.body(1))
    return client.answer(1)


def trailers(case):
    client = case.client()
    client.frames(client.head(case, 1), client.body(1, ended=False))
    block = client.encoder.encode([("apns-topic", "other"), ("x-checksum", "1")])
    client.frames(frame.HeadersFrame(1, block, flags=["END_HEADERS", "END_STREAM"]))
    return client.answer(1)


def one_byte_at_a_time(case):
    client = Client(case.port, case.authority)
    data = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame.SettingsFrame(0).serialize()
    data += client.head(case, 1).serialize() + client.body(1).serialize()
    for byte in data:
        client.send(bytes([byte]))
    return client.answer(1)


def priority(case):
    client = case.client()
    client.frames(frame.PriorityFrame(1, depends_on=0, stream_weight=200), frame.PriorityFrame(3, depends_on=1))
    client.frames(frame.HeadersFrame(3, client.headers(case, extra=[("priority", "u=1")]),
                                     flags=["END_HEADERS", "PRIORITY"], depends_on=1, stream_weight=3))
    client.frames(client.body(3))
    return client.answer(3)


def ping(case):
    client = case.client()
    client.frames(frame.PingFrame(0, b"12345678"))
    client.request(case, 1)
    return client.answer(1)


def window_zero(case):
    """The answer's headers come, its body when there is room."""
    client = case.client({frame.SettingsFrame.INITIAL_WINDOW_SIZE: 0})
    client.request(case, 1, path="/3/device/ab")
    client.wait(lambda: 1 in client.answers)
    before = client.answers[1]["body"]
    client.frames(frame.WindowUpdateFrame(1, window_increment=65535))
    answer = client.answer(1)
    answer["before"] = before
    return answer


def window_zero_for_ever(case):
    """A thousand answers that cannot go, and another client that is served all the same."""
    client = case.client({frame.SettingsFrame.INITIAL_WINDOW_SIZE: 0})
    for stream in range(1, 2000, 2):
        client.request(case, stream, path="/3/device/ab")
    client.wait(lambda: len(client.answers) == 1000)
    return {"answers": len(client.answers), "other": good(case)}


def unread_answers(case):
    """A stranger without room for answers, who asks for more of them than are held; and before, of another connection,
    for what is refused REFUSED times."""
    good_authorization, case.authorization = case.authorization, "bearer x"
    refused = case.client()
    for head in refused.heads(case, int(os.environ.get("REFUSED", "0")), "x", "a" * 3900, times=3):
        refused.frames(head)
        refused.wait(lambda: head.stream_id in refused.resets)
    client = case.client({frame.SettingsFrame.INITIAL_WINDOW_SIZE: 0})
    for request in client.thousand(case, int(os.environ.get("IDENTIFIER", "36"))):
        client.send(request)
    said = client.end()
    case.authorization = good_authorization
    said["other"] = good(case)
    return said


def client_goaway(case):
    client = case.client()
    client.request(case, 1)
    client.frames(frame.GoAwayFrame(0, last_stream_id=0))
    answer = client.answer(1)
    answer.update(client.end())
    return answer


def reconnect(case):
    """After a GOAWAY: what was sent is answered, the connection ends, and another one serves."""
    client = case.client()
    client.request(case, 1)
    answer = client.answer(1)
    print("ready", flush=True)
    answer.update(client.end())
    answer["other"] = good(case)
    return answer


def first_streams_waiting(case):
    client = case.client()
    client.wait(lambda: 3 in client.settings)
    first = client.settings.get(3)
    client.request(case, 1)
    answer = client.answer(1)
    client.wait(lambda: client.settings.get(3) != first)
    for stream in range(3, 103, 2):
        client.request(case, stream)
    client.wait(lambda: len(client.answers) == 51)
    return {"first": first, "then": client.settings.get(3), "answers": len(client.answers),
            "resets": len(client.resets), "status": answer.get("status")}


def first_streams_at_once(case):
    """A client that does not wait has what it sent too early refused, to be sent again, and nothing worse."""
    client = case.client()
    client.frames(*[client.head(case, stream) for stream in range(1, 41, 2)])
    client.wait(lambda: len(client.resets) == 19)
    client.frames(client.body(1))
    refused_codes = sorted(set(client.resets.values()))
    first = client.answer(1)
    # Not before: the limit is acknowledged, and whoever passes it then has broken the protocol.
    client.request(case, 101)
    return {"first": first.get("status"), "codes": refused_codes, "status": client.answer(101).get("status")}


def blank_at_end(case):
    client = case.client()
    case.authorization, case.topic = case.authorization + " ", case.topic + "\t \t"
    client.request(case, 1, extra=[("apns-push-type", "alert "), ("apns-priority", "10 "), ("x-other", "a ")])
    return client.answer(1)


# What is not.

def blank_at_beginning(case):
    client = case.client()
    client.request(case, 1, extra=[("x-other", " a")])
    first = client.answer(1)
    client.request(case, 3)
    return first | {"then": client.answer(3).get("status")}


def rapid_reset(case):
    client = case.client()
    for start in range(1, 6000, 200):
        client.frames(*[part for stream in range(start, start + 200, 2) for part in
                        (client.head(case, stream), frame.RstStreamFrame(stream, error_code=8))])
    result = client.end()
    result["other"] = good(case)
    return result


def malformed(case):
    client = case.client()
    block = hpack.Encoder().encode([(":method", "POST"), (":scheme", "https"), (":path", "/"), (":authority", "a")])
    block += b"\x00\x01X\x01y"
    for start in range(1, 20000, 200):
        if client.closed:
            break
        client.frames(*[frame.HeadersFrame(stream, block, flags=["END_HEADERS", "END_STREAM"])
                        for stream in range(start, start + 200, 2)])
        while select.select([client.socket], [], [], 0)[0] and client.read(1):
            pass
    result = client.end()
    result["other"] = good(case)
    return result


def continuation_flood(case):
    client = case.client()
    client.frames(frame.HeadersFrame(1, client.headers(case)))
    for _ in range(2000):
        client.frames(frame.ContinuationFrame(1, b""))
    result = client.end()
    result["other"] = good(case)
    return result


def settings_flood(case):
    client = case.client()
    flood = frame.SettingsFrame(0, settings={4: 65535}).serialize() * 1000
    for _ in range(20):
        client.send(flood)
    result = client.end()
    result["other"] = good(case)
    return result


def settings_large(case):
    client = case.client()
    entries = b"".join(struct.pack(">HL", 0x7F00, n) for n in range(100))
    client.send(struct.pack(">L", len(entries))[1:] + b"\x04\x00" + bytes(4) + entries)
    result = client.end()
    result["other"] = good(case)
    return result


def ping_flood(case):
    """Pings whose answers are never read."""
    client = case.client()
    client.socket.setblocking(True)
    client.socket.settimeout(2)
    flood = frame.PingFrame(0, b"12345678").serialize() * 1000
    try:
        for _ in range(2000):
            client.socket.sendall(flood)
    except OSError:
        pass
    return {"other": good(case)}


def never_reads(case):
    client = case.client()
    client.socket.settimeout(2)
    try:
        for start in range(1, 400001, 2000):
            client.socket.sendall(b"".join(
                client.head(case, stream, path="/3/device/ab").serialize() + client.body(stream).serialize()
                for stream in range(start, start + 2000, 2)))
    except OSError:
        pass
    return {"other": good(case)}


def many_headers(case):
    client = case.client()
    client.frames(client.head(case, 1, extra=[("x-%d" % n, "a" * 1000) for n in range(9)]), client.body(1))
    first = client.answer(1)
    client.request(case, 3)
    client.frames(client.head(case, 5, extra=[("x", str(n)) for n in range(60)]), client.body(5))
    return {"first": first.get("reset"), "then": client.answer(3).get("status"), "third": client.answer(5).get("reset")}


def headers_120k(case):
    client = case.client()
    block = client.headers(case, extra=[("x-%d" % n, "a" * 12000) for n in range(10)])
    client.frames(frame.HeadersFrame(1, block[:16000]))
    rest = block[16000:]
    while rest:
        client.frames(frame.ContinuationFrame(1, rest[:16000], flags=["END_HEADERS"] if len(rest) <= 16000 else []))
        rest = rest[16000:]
    client.frames(client.body(1))
    answer = client.answer(1)
    return {"status": answer.get("status"), "isRefused": "status" not in answer, "other": good(case)}


def hpack_bomb(case):
    """One header of 4000 bytes, named sixteen thousand times by a byte each."""
    client = case.client()
    block = client.headers(case, extra=[("x", "a" * 3900)])
    client.frames(frame.HeadersFrame(1, block + b"\xbe" * (16000 - len(block)), flags=["END_HEADERS"]), client.body(1))
    return client.end() | {"other": good(case)}


def never_finished(case):
    client = case.client()
    client.frames(*[client.head(case, stream) for stream in range(1, 2000, 2)])
    other = good(case)
    client.wait(lambda: len(client.resets) == 1000 or client.closed)
    return {"resets": len(client.resets), "codes": sorted(set(client.resets.values())), "other": other}


def slow_body(case):
    client = case.client()
    client.frames(client.head(case, 1))
    start = time.monotonic()
    while 1 not in client.resets and not client.closed and time.monotonic() - start < PATIENCE:
        client.frames(client.body(1, b" ", ended=False))
        client.read(0.05)
    return {"code": client.resets.get(1), "other": good(case)}


def slow_handshake(case):
    """Connections that say nothing, or nothing behind the handshake."""
    raw = socket.create_connection(("127.0.0.1", case.port))
    silent = Client(case.port, case.authority)
    raw.settimeout(PATIENCE)
    ended = raw.recv(1) == b""
    silent.read()
    while silent.read():
        pass
    return {"ended": ended, "silent": silent.closed, "other": good(case)}


def idle(case):
    client = case.client()
    client.request(case, 1)
    answer = client.answer(1)
    answer.update(client.end())
    return answer


def idle_with_a_request(case):
    """A request that is begun and never goes on."""
    client = case.client()
    client.frames(client.head(case, 1))
    return client.end()


def stalled(case):
    """As many requests as may be at once, whose answers are not read: whether the server ends this."""
    client = case.client(room=4096)
    try:
        for request in client.thousand(case, 6000):
            client.socket.sendall(request)
    except TimeoutError:
        return {"ended": False}
    except OSError:
        return {"ended": True, "other": good(case)}
    poll = select.poll()
    poll.register(client.socket, 0)
    return {"ended": bool(poll.poll(15000)), "other": good(case)}


def large_body(case):
    client = case.client()
    client.frames(client.head(case, 1))
    sent = 0
    chunk = b"a" * 16384
    client.socket.settimeout(PATIENCE)
    while sent < 10 << 20 and 1 not in client.answers and not client.closed:
        client.frames(client.body(1, chunk, ended=False))
        sent += len(chunk)
        while select.select([client.socket], [], [], 0)[0] and client.read(1):
            pass
    answer = client.answer(1)
    client.wait(lambda: 1 in client.resets)
    client.request(case, 3)
    return {"status": answer.get("status"), "body": answer.get("body"), "reset": client.resets.get(1),
            "then": client.answer(3).get("status"), "sent": sent}


def http1(case):
    client = Client(case.port, case.authority, alpn=False)
    client.send(b"POST /3/device/ab HTTP/1.1\r\nHost: a\r\n\r\n")
    result = client.end()
    return {"closed": result["closed"], "other": good(case)}


def alpn_http1(case):
    context = ssl.create_default_context(cafile=case.authority)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.wrap_socket(socket.create_connection(("127.0.0.1", case.port)), server_hostname=NAME)
        return {"alert": None}
    except ssl.SSLError as error:
        return {"alert": error.reason or str(error)}


def plain_http(case):
    return raw_bytes(case, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")


def random_bytes(case):
    return raw_bytes(case, os.urandom(4096))


def garbage_and_gone(case):
    """What is no HTTP/2 at all, over TLS, and a reset before the server can say so."""
    for number in range(200):
        client = Client(case.port, case.authority)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.send(os.urandom(64))
        # A few of them meet the moment between what the server reads and what it writes.
        end = time.perf_counter() + number * 2e-6
        while time.perf_counter() < end:
            pass
        client.socket.close()
    # Longer than the server gives a connection that it has told to end.
    time.sleep(1)
    return {"other": good(case)}


def raw_bytes(case, data):
    raw = socket.create_connection(("127.0.0.1", case.port))
    raw.settimeout(PATIENCE)
    try:
        raw.sendall(data)
        while raw.recv(65536):
            pass
        closed = True
    except ConnectionError:
        closed = True
    except OSError:
        closed = False
    return {"closed": closed, "other": good(case)}


def many_connections(case):
    """As many silent connections as COUNT says, and one that is served while they are there."""
    held = []
    for _ in range(int(os.environ.get("COUNT", "300"))):
        held.append(socket.create_connection(("127.0.0.1", case.port)))
    return {"held": len(held), "other": good(case)}


# A push server that gives nothing up.

class Storm:
    """Reads `TOKEN ID` from standard input, a line for each call, and prints `STATUS ID` for each answer. What a
    connection leaves unanswered is sent again over the next one. Ends with its input, once all is answered."""

    def __init__(self, port, authority, topic, certificate):
        self.port, self.authority, self.topic, self.certificate = int(port), authority, topic, certificate
        self.waiting = {}
        self.streams = {}
        self.client = None

    def connect(self):
        self.streams = {}
        while True:
            try:
                self.client = Client(self.port, self.authority, certificate=self.certificate)
                break
            except OSError:
                # Struck in the middle of the handshake; the socket holds the next connection until somebody serves it.
                continue
        self.client.begin()
        self.send(self.waiting)

    def send(self, ids):
        frames = []
        for one in ids:
            stream = 2 * len(self.streams) + 1
            self.streams[stream] = one
            block = self.client.encoder.encode([
                (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + self.waiting[one]),
                (":authority", NAME), ("apns-topic", self.topic), ("apns-push-type", "voip"), ("apns-id", one)])
            payload = json.dumps({"callId": one, "callerName": "Anna"}).encode()
            frames += [frame.HeadersFrame(stream, block, flags=["END_HEADERS"]), Client.body(stream, payload)]
        self.client.frames(*frames)

    def tell(self):
        """Prints what was answered since it was asked last."""
        for stream in [stream for stream, answer in self.client.answers.items() if answer["ended"]]:
            status = self.client.answers.pop(stream)["headers"][":status"]
            one = self.streams[stream]
            if self.waiting.pop(one, None):
                print(status, one)
        sys.stdout.flush()
        refused = [self.streams[stream] for stream in self.client.resets]
        self.client.resets = {}
        if refused and not self.client.goaway:
            self.send(refused)

    def run(self):
        unread, is_open = b"", True
        while is_open or self.waiting:
            if self.client is None or self.client.closed:
                self.connect()
            ready, _, _ = select.select([self.client.socket] + ([0] if is_open else []), [], [])
            if 0 in ready:
                data = os.read(0, 65536)
                is_open = bool(data)
                *lines, unread = (unread + data).split(b"\n")
                new = [line.decode().split() for line in lines]
                self.waiting.update({one: device for device, one in new})
                # One that is sent away keeps it for its next connection.
                if not self.client.goaway:
                    self.send([one for _, one in new])
            if self.client.socket in ready:
                self.client.read()
                while not self.client.closed and self.client.socket.pending():
                    self.client.read()
                self.tell()


class Gateway:
    """One of a fleet's, and what it has not answered."""

    def __init__(self, port, authority, certificate):
        self.port, self.authority, self.certificate = int(port), authority, certificate
        self.client, self.streams, self.begun, self.next = None, {}, 0, 0

    def connect(self):
        """Whether there is a connection now."""
        if self.client and not self.client.closed and not self.client.goaway:
            return True
        if time.monotonic() < self.next:
            return False
        try:
            self.client = Client(self.port, self.authority, certificate=self.certificate)
            self.client.begin()
            self.begun = 0
        except OSError:
            self.client = None
            self.next = time.monotonic() + 0.2
        return self.client is not None

    def send(self, bundle, one, kind, device):
        call = kind == "voip"
        payload = {"callId": one, "callerName": "Anna"} if call else {"aps": {"alert": "sesame"}}
        block = self.client.encoder.encode([
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + device), (":authority", NAME),
            ("apns-topic", bundle + (".voip" if call else "")), ("apns-push-type", kind), ("apns-id", one)])
        stream = 2 * self.begun + 1
        self.begun += 1
        self.streams[stream] = one
        self.client.frames(frame.HeadersFrame(stream, block, flags=["END_HEADERS"]),
                           Client.body(stream, json.dumps(payload).encode()))

    def answered(self):
        """What was answered since it was asked last, each with its status, 0 if it never will be."""
        answers = []
        for stream in [stream for stream, answer in self.client.answers.items() if answer["ended"]]:
            answers.append((self.streams.pop(stream), int(self.client.answers.pop(stream)["headers"][":status"])))
        for stream in self.client.resets:
            answers += [(self.streams.pop(stream), 0)] if stream in self.streams else []
        self.client.resets = {}
        if self.client.closed:
            answers += [(one, 0) for one in self.streams.values()]
            self.streams, self.client = {}, None
        return answers


def gateways(rate, bundle, *words):
    """Reads `TOKEN ID KIND` from standard input, and prints `STATUS ID GATEWAY` for each that has its last answer: what a
    gateway does not answer, or refuses for now, is sent to the next one, with its apns-id. Ends with its input."""
    fleet = [Gateway(*words[start:start + 3]) for start in range(0, len(words), 3)]
    told, waiting, unread, is_open, last = {}, [], b"", True, time.monotonic()
    turn = 0
    while is_open or told:
        sockets = {gateway.client.socket: gateway for gateway in fleet if gateway.client}
        ready, _, _ = select.select(list(sockets) + ([0] if is_open else []), [], [], 0.002)
        if 0 in ready:
            data = os.read(0, 65536)
            is_open = bool(data)
            *lines, unread = (unread + data).split(b"\n")
            for device, one, kind in (line.decode().split() for line in lines):
                told[one] = (kind, device)
                waiting.append((0, one, None))
        for one in ready:
            if one in sockets:
                client = sockets[one].client
                client.read(1)
                while not client.closed and client.socket.pending():
                    client.read(1)
        for number, gateway in enumerate(fleet):
            for one, status in gateway.answered() if gateway.client else []:
                if status == 0 or status == 429 or status >= 500:
                    waiting.insert(0, (time.monotonic() + (0.2 if status else 0), one, number))
                elif told.pop(one, None):
                    print(status, one, number, flush=True)
        now = time.monotonic()
        while now - last >= 1 / float(rate):
            last = max(last + 1 / float(rate), now - 0.1)
            due = next((item for item in waiting if item[0] <= now), None)
            if not due:
                break
            turn += 1
            choice = [number for number in range(len(fleet)) if number != due[2]] or [0]
            first = choice[turn % len(choice)]
            for number in [first] + [number for number in choice if number != first] + [first]:
                if fleet[number].connect():
                    waiting.remove(due)
                    fleet[number].send(bundle, due[1], *told[due[1]])
                    break
            else:
                waiting[waiting.index(due)] = (now + 0.1, due[1], None)


# The first nine bytes of a ClientHello that declares 131,000 more.
DECLARED = b"\x16\x03\x01\x00\x04\x01\x01\xff\xb8"


def crowd(case):
    """COUNT hostile connections, which are held as long as they can be: a ClientHello that is declared and never comes,
    silence, and a handshake with half a request. A client that was there before is served all the while, and others that
    come in between."""
    context = ssl.create_default_context(cafile=case.authority)
    context.set_alpn_protocols(["h2"])
    trusted = case.client()
    opening = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame.SettingsFrame(0).serialize()
    opening += trusted.head(case, 1).serialize()
    trusted = case.client()
    trusted.request(case, 1)
    before = trusted.answer(1).get("status")
    held, between, slowest, stream = [], set(), 0, 1
    for number in range(int(os.environ["COUNT"])):
        held.append(socket.create_connection(("127.0.0.1", case.port)))
        try:
            if number % 4 == 0:
                held[-1] = context.wrap_socket(held[-1], server_hostname=NAME)
            held[-1].sendall([opening, DECLARED, DECLARED, b""][number % 4])
        except OSError:
            pass
        if number % 50 == 0:
            stream += 2
            begun = time.monotonic()
            trusted.request(case, stream)
            between.add(trusted.answer(stream).get("status"))
            slowest = max(slowest, time.monotonic() - begun)
        if number % 500 == 0:
            between.add(good(case))
    return {"held": len(held), "before": before, "between": sorted(between, key=str), "slowest": int(slowest * 1000)}


def declared_hello(case):
    """What becomes of a ClientHello that declares more than it may, long before it is there."""
    client = socket.create_connection(("127.0.0.1", case.port))
    client.settimeout(PATIENCE)
    return {"milliseconds": end_of(client, DECLARED), "other": good(case)}


def end_of(client, data):
    """After how many milliseconds a connection is ended, once it has sent this."""
    client.sendall(data)
    begun = time.monotonic()
    try:
        while client.recv(4096):
            pass
    except OSError:
        pass
    return int((time.monotonic() - begun) * 1000)


def long_hello(case):
    """Whether a client is served whose ClientHello is NAMES * 256 bytes and some more, by names of protocols."""
    context = ssl.create_default_context(cafile=case.authority)
    context.set_alpn_protocols(["h2"] + ["x" * 255] * int(os.environ["NAMES"]))
    said = b""
    try:
        raw = socket.create_connection(("127.0.0.1", case.port))
        client = context.wrap_socket(raw, server_hostname=NAME)
        client.settimeout(PATIENCE)
        client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame.SettingsFrame(0).serialize())
        said = client.recv(4096)
    except OSError:
        pass
    return {"isServed": bool(said), "other": good(case)}


def second_hello(case):
    """What becomes of a client that is asked for another key share and then declares a ClientHello that is too long."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname=NAME)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    # A share of a group that no server has, instead of X25519, which has an entry in both lists.
    hello = outgoing.read()
    assert hello.count(b"\x00\x1d\x00\x20") == 1 and hello.count(b"\x00\x1d\x00\x17") == 1
    hello = hello.replace(b"\x00\x1d\x00\x20", b"\x12\x34\x00\x20").replace(
        b"\x00\x1d\x00\x17", b"\x12\x34\x00\x17")
    client = socket.create_connection(("127.0.0.1", case.port))
    client.settimeout(PATIENCE)
    client.sendall(hello)
    # The random of a HelloRetryRequest (RFC 8446 section 4.1.3).
    is_asked = hashlib.sha256(b"HelloRetryRequest").digest() in client.recv(4096)
    return {"isAsked": is_asked, "milliseconds": end_of(client, DECLARED), "other": good(case)}


def key_updates(case):
    """As many KeyUpdates as openssl sends until the connection ends."""
    command = ["openssl", "s_client", "-tls1_3", "-alpn", "h2", "-connect", "127.0.0.1:%d" % case.port]
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    client.stdout.readline()
    time.sleep(0.3)
    sent = 0
    while sent < int(os.environ["COUNT"]) and client.poll() is None:
        try:
            client.stdin.write(b"k\n")
            client.stdin.flush()
        except OSError:
            break
        sent += 1
        time.sleep(0.01)
    is_open = client.poll() is None
    client.kill()
    return {"isOpen": is_open, "other": good(case)}


def two_continuations(case):
    client = case.client()
    block = client.headers(case)
    client.frames(frame.HeadersFrame(1, block[:10]), frame.ContinuationFrame(1, block[10:20]),
                  frame.ContinuationFrame(1, block[20:], flags=["END_HEADERS"]), client.body(1))
    return client.end() | {"other": good(case)}


def in_flight(case):
    """A request that was under way when the server's first GOAWAY came, and none after it."""
    client = case.client()
    client.request(case, 1)
    client.answer(1)
    taken = client.take
    seen = []

    def take(got):
        if isinstance(got, frame.GoAwayFrame):
            if not seen:
                client.request(case, 3)
            seen.append(got.last_stream_id)
        taken(got)

    client.take = take
    print("ready", flush=True)
    end = client.end()
    return {"status": client.answer(3).get("status"), "last": seen, "goaway": end["goaway"], "closed": end["closed"]}


def heeding(case):
    """A client that has some requests under way at any time until its input ends, and begins none on a connection that
    was sent a GOAWAY: how many connections it had, and how many requests were answered, and how many were not. It prints a
    line for each connection that is served."""
    result = {"connections": 0, "answered": 0, "lost": 0, "statuses": []}
    statuses, is_open, said = set(), True, 0
    while is_open:
        client = case.client()
        result["connections"] += 1
        begun = 0
        while not client.closed:
            is_open = is_open and not select.select([0], [], [], 0)[0]
            if not is_open and len(client.answers) == begun:
                break
            while is_open and not client.goaway and begun < len(client.answers) + 10:
                client.request(case, 2 * begun + 1)
                begun += 1
            client.read(0.05)
            if client.answers and result["connections"] > said:
                said = result["connections"]
                print("ready", flush=True)
        ended = [answer for answer in client.answers.values() if answer["ended"]]
        statuses |= {answer["headers"][":status"] for answer in ended}
        result["answered"] += len(ended)
        result["lost"] += begun - len(ended)
    return result | {"statuses": sorted(statuses)}


def places(case):
    """COUNT clients with one credential, one after the other: which of them are sent away."""
    clients = []
    for _ in range(int(os.environ["COUNT"])):
        client = case.client()
        client.request(case, 1)
        client.answer(1)
        clients.append(client)
    time.sleep(0.2)
    for client in clients:
        while client.read(0.1):
            pass
    return {"closed": [client.closed for client in clients],
            "reasons": [(client.goaway or {}).get("data") for client in clients]}


def shown(case):
    """A client that shows CERTIFICATE and asks for the server NAME: how it is sent away."""
    client = Client(case.port, case.authority, name=os.environ["NAME"], certificate=os.environ["CERTIFICATE"])
    client.begin()
    return client.end()


def chain(case):
    """A client that shows CERTIFICATE and a chain of about KIB KiB: how its request is answered, or none is."""
    path = os.environ["CERTIFICATE"]
    with open(path) as own, open(case.authority) as authority, open(path + ".chain", "w") as made:
        one = authority.read()
        # PEM takes four bytes for three.
        made.write(own.read() + one * (int(os.environ["KIB"]) * 1024 * 4 // 3 // len(one)))
    client = case.client(certificate=path + ".chain")
    client.request(case, 1)
    return {"status": client.answer(1).get("status"), "other": good(case)}


def steady(port, authority, topic, certificate, device, seconds):
    """How many requests of nine calls a second, each hung up after a second, were answered 200."""
    client = Client(int(port), authority, certificate=certificate)
    client.begin()
    count = 9 * int(seconds)
    requests = sorted([(number / 9, "call-request", number) for number in range(count)] +
                      [(number / 9 + 1, "hangup", number) for number in range(count)])
    began, taken = time.monotonic(), 0
    for index, (due, kind, number) in enumerate(requests):
        while (left := began + due - time.monotonic()) > 0:
            client.read(left)
        block = client.encoder.encode([
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + device), (":authority", NAME),
            ("apns-topic", topic), ("apns-push-type", "voip")])
        payload = {"type": kind, "callId": f"steady-{number}", "callerName": "Anna"}
        client.frames(frame.HeadersFrame(2 * index + 1, block, flags=["END_HEADERS"]),
                      client.body(2 * index + 1, json.dumps(payload).encode()))
    client.wait(lambda: sum(answer["ended"] for answer in client.answers.values()) == len(requests))
    return sum(answer["headers"][":status"] == "200" for answer in client.answers.values())


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    words = sys.argv[1:]
    if words[0] == "token":
        print(token(*words[1:]))
    elif words[0] == "storm":
        Storm(*words[1:]).run()
    elif words[0] == "gateways":
        gateways(*words[1:])
    elif words[0] == "steady":
        print(steady(*words[1:]))
    else:
        print(json.dumps(globals()[words[0].replace("-", "_")](Case(*words[1:]))))


main()
