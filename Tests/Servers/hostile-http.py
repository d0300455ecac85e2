#!/usr/bin/env python3
"""HTTP and HTTPS on loopback that serve pictures in every wrong way; see PATHS below.

Writes its ports, its test CA and its log as one JSON line. Each connection ("connect") and request ("request") is a
JSON line of the log. Certificates are made by the openssl command, and resolver-stand-in.c is compiled for whoever
wants to load it. Ends with its standard input, and leaves nothing.
"""
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, "pictures")
HOSTS = 50


# Pictures: 64 x 32, white, the upper left quarter red.

def png(width=64, height=32, claimed=None, colour_type=2):
    """A PNG; `claimed` is the size its header states, where that is another."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    depth = {2: 3, 6: 4}[colour_type]
    red = b"\xff\x00\x00\xff"[:depth]
    white = b"\xff" * depth
    packer = zlib.compressobj(1)
    upper = b"\0" + red * (width // 2) + white * (width - width // 2)
    lower = b"\0" + white * width
    data = b"".join(packer.compress(upper if y < height // 2 else lower) for y in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", *(claimed or (width, height)), 8, colour_type, 0, 0, 0)
    text = chunk(b"tEXt", b"Comment\0a stranger's words")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + text + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def gif(frames=1):
    """A GIF whose further frames are all black."""
    palette = b"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"
    result = b"GIF89a" + struct.pack("<HHBBB", 64, 32, 0x91, 0, 0) + palette
    if frames > 1:
        result += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for frame in range(frames):
        pixels = [(1 if x < 32 and y < 16 else 0) if frame == 0 else 2 for y in range(32) for x in range(64)]
        # Uncompressed LZW: a clear code before the table could grow past three bits.
        codes = []
        for index, pixel in enumerate(pixels):
            if index % 2 == 0:
                codes.append(4)
            codes.append(pixel)
        codes.append(5)
        bits = "".join(format(code, "03b")[::-1] for code in codes)
        data = bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
        blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
        result += b"\x21\xf9\x04\x04\x0a\0\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, 64, 32, 0) + b"\x02"
        result += blocks + b"\0"
    return result + b"\x3b"


def stored(name):
    with open(os.path.join(PICTURES, name), "rb") as file:
        return file.read()


def rotated_jpeg(orientation):
    """The JPEG with an EXIF block that says how it is to be turned, and where it was taken."""
    entries = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    entries += struct.pack(">HHI4s", 0x010E, 2, 4, b"GPS\0")
    exif = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 2) + entries + struct.pack(">I", 0)
    jpeg = stored("corner.jpg")
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def animated_webp():
    """Two frames, the second of rubbish, which nobody may decode."""
    still = stored("corner.webp")[12:]
    size = (63).to_bytes(3, "little") + (31).to_bytes(3, "little")

    def chunk(kind, data):
        return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def frame(data):
        return chunk(b"ANMF", b"\0" * 6 + size + (100).to_bytes(3, "little") + b"\0" + data)

    rubbish = chunk(b"VP8 ", b"\0\0\0\x9d\x01\x2a\xff\x3f\xff\x3f" + b"\xaa" * 50)
    body = b"WEBP" + chunk(b"VP8X", b"\x02\0\0\0" + size) + chunk(b"ANIM", b"\0" * 6) + frame(still) + frame(rubbish)
    return b"RIFF" + struct.pack("<I", len(body)) + body


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
HTML = b"<!DOCTYPE html><html><title>Not here</title><body>Not here</body></html>"
FORMATS = {
    "png": lambda: png(),
    "jpeg": lambda: stored("corner.jpg"),
    "gif": lambda: gif(),
    "webp": lambda: stored("corner.webp"),
    "animated.gif": lambda: gif(frames=3),
    "animated.webp": animated_webp,
    "rotated.jpeg": lambda: rotated_jpeg(6),
    "polyglot": lambda: png() + b"PK\x03\x04" + b"<script>alert(1)</script>" * 20,
    "svg": lambda: SVG,
    "html": lambda: HTML,
    "empty": lambda: b"",
    "wide": lambda: png(1600, 400),
    "thin": lambda: png(4000, 1),
    "largest": lambda: png(8192, 4096, colour_type=6),
    "60000": lambda: png(claimed=(60000, 60000)),
    "8193": lambda: png(claimed=(8193, 1)),
    "33M": lambda: png(claimed=(8192, 4097)),
    "lying": lambda: png(claimed=(8000, 4000)),
    "zero": lambda: png(claimed=(0, 0)),
    "20M": lambda: png()[:-12] + b"\0" * (20 << 20),
}
made = {}


def picture(name):
    if name not in made:
        made[name] = FORMATS[name]()
    return made[name]


# PATHS: what stands before a picture's name says what is done to it.

def respond(peer, path, headers):
    """Answers one request on the socket `peer`."""
    path, _, query = path.partition("?")
    kind, _, rest = path.strip("/").partition("/")

    def send(data):
        peer.sendall(data)

    def head(status, *lines):
        send("\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *lines, "", ""]).encode())

    def whole(body, *lines, status="200 OK"):
        head(status, f"Content-Length: {len(body)}", *lines)
        send(body)

    if kind == "as":  # /as/TYPE/SUBTYPE/NAME: claims to be of that type
        type_, subtype, name = rest.split("/")
        whole(picture(name), f"Content-Type: {type_}/{subtype}")
    elif kind == "status":  # /status/CODE: with a page of HTML
        whole(HTML, "Content-Type: text/html", status=f"{rest} Whatever")
    elif kind == "redirect":  # /redirect/COUNT/PATH: so many times, then PATH
        count, _, target = rest.partition("/")
        following = f"/redirect/{int(count) - 1}/{target}" if int(count) > 1 else f"/{target}"
        head("302 Found", f"Location: {following}", "Content-Length: 1000000")
    elif kind == "redirect-to":  # /redirect-to?URL
        head("301 Moved", f"Location: {urllib.parse.unquote(query)}", "Content-Length: 0")
    elif kind == "loop":
        head("302 Found", "Location: loop", "Content-Length: 0")
    elif kind == "password":  # refused without one
        if "authorization" in headers:
            whole(b"in")
        else:
            whole(b"out", 'WWW-Authenticate: Basic realm="tower"', status="401 Unauthorized")
    elif kind == "lines":  # each way to end a line, empty ones among them, and letters of several code points
        whole("a\r\n\r\nb\n\nc\rd\u0085e\u2028\u00e9\U0001f1e9\U0001f1eaf".encode() + b"\xff\xc3")
    elif kind == "flood":  # 64 MB, as fast as they are taken: a number again and again in each 64 KiB, from 0
        head("200 OK", f"Content-Length: {64 << 20}")
        for number in range(1024):
            send(struct.pack(">I", number) * (16 << 10))
    elif kind == "never":
        peer.recv(1)
    elif kind == "late":  # /late/SECONDS/NAME
        seconds, _, name = rest.partition("/")
        time.sleep(float(seconds))
        whole(picture(name))
    elif kind == "drip":  # /drip/NAME: a byte a second
        data = picture(rest)
        head("200 OK", f"Content-Length: {len(data)}")
        for index in range(len(data)):
            send(data[index:index + 1])
            time.sleep(1)
    elif kind == "drip-head":
        for byte in b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000:
            send(bytes([byte]))
            time.sleep(1)
    elif kind == "half":  # /half/NAME: closes half-way
        data = picture(rest)
        head("200 OK", f"Content-Length: {len(data)}")
        send(data[:len(data) // 2])
    elif kind == "truncated":  # /truncated/NAME: half of it, as if that were all
        data = picture(rest)
        whole(data[:len(data) * 2 // 3])
    elif kind == "promise":  # /promise/BYTES/NAME: says it is so long
        count, _, name = rest.partition("/")
        head("200 OK", f"Content-Length: {count}")
        send(picture(name))
    elif kind == "unsized":  # /unsized/NAME: until it closes
        head("200 OK")
        send(picture(rest))
    elif kind == "chunked":  # /chunked/NAME
        data = picture(rest)
        head("200 OK", "Transfer-Encoding: chunked")
        send(b"%x\r\n" % len(data) + data + b"\r\n0\r\nLocation: /png\r\n\r\n")
    elif kind == "endless":
        head("200 OK", "Transfer-Encoding: chunked")
        send(b"40\r\n" + picture("png")[:64] + b"\r\n")
        while True:
            send(b"10000\r\n" + b"\0" * 65536 + b"\r\n")
    elif kind == "endless-head":
        send(b"HTTP/1.1 200 OK\r\n")
        while True:
            send(b"X-Y: " + b"z" * 1000 + b"\r\n")
    elif kind == "endless-header":
        send(b"HTTP/1.1 200 OK\r\nX-Y: ")
        while True:
            send(b"z" * 10000)
    elif kind == "endless-interim":
        while True:
            send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 50)
    elif kind == "gzip":  # /gzip/NAME: compressed, though nobody asked
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        data = packer.compress(picture(rest)) + packer.flush()
        whole(data, "Content-Encoding: gzip")
    elif kind == "gzip-bomb":
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        whole(packer.compress(b"\0" * (64 << 20)) + packer.flush(), "Content-Encoding: gzip")
    elif kind == "cached":  # /cached/TAG/NAME?CACHE-CONTROL
        tag, _, name = rest.partition("/")
        lines = [f'ETag: "{tag}"', f"Cache-Control: {urllib.parse.unquote(query)}"]
        if headers.get("if-none-match") == f'"{tag}"':
            head("304 Not Modified", *lines)
        else:
            whole(picture(name), *lines)
    elif kind == "cookie":
        head("302 Found", "Set-Cookie: a=b", "Location: /png", "Content-Length: 0")
    elif kind == "not-http":
        send(b"SSH-2.0-OpenSSH_9.2\r\n" * 10)
    elif kind == "nothing":
        pass
    elif kind in FORMATS:
        whole(picture(kind))
    else:
        whole(HTML, status="404 Not Found")


class Log:
    def __init__(self, path):
        self.file = open(path, "a", buffering=1)
        self.lock = threading.Lock()

    def write(self, **entry):
        with self.lock:
            self.file.write(json.dumps(entry) + "\n")


def serve(listener, name, log, context=None):
    def one(peer):
        try:
            with peer:
                peer.settimeout(60)
                if context:
                    peer = context.wrap_socket(peer, server_side=True)
                data = b""
                while b"\r\n\r\n" not in data:
                    piece = peer.recv(65536)
                    if not piece:
                        return
                    data += piece
                lines = data.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
                log.write(kind="request", listener=name, line=lines[0], headers=headers)
                respond(peer, lines[0].split(" ")[1], headers)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
        except (OSError, ssl.SSLError, ValueError, KeyError, IndexError):
            pass

    while True:
        peer, _ = listener.accept()
        log.write(kind="connect", listener=name)
        threading.Thread(target=one, args=(peer,), daemon=True).start()


def certificates(folder):
    """A CA, and what it signs: for localhost, for another host, and one that has expired; one of a stranger's CA."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    with open(os.path.join(folder, "ca.conf"), "w") as file:
        file.write(
            "[ca]\ndefault_ca = test\n[test]\ndatabase = index\nserial = serial\nnew_certs_dir = .\n"
            "default_md = sha256\npolicy = any\nunique_subject = no\n[any]\ncommonName = supplied\n"
            "[localhost]\nsubjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1\n"
            "[elsewhere]\nsubjectAltName = DNS:elsewhere.example\n"
        )
    for name in ("ca", "stranger"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", f"/CN=Belfry test {name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    open(os.path.join(folder, "index"), "w").close()
    with open(os.path.join(folder, "serial"), "w") as file:
        file.write("01\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test",
            "-keyout", "server.key", "-out", "server.csr")
    day = 86400
    for name, ca, names, start, end in (
            ("good", "ca", "localhost", -day, day),
            ("elsewhere", "ca", "elsewhere", -day, day),
            ("expired", "ca", "localhost", -2 * day, -day),
            ("untrusted", "stranger", "localhost", -day, day)):
        def stamp(offset):
            return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + offset))
        openssl("ca", "-batch", "-config", "ca.conf", "-cert", f"{ca}.pem", "-keyfile", f"{ca}.key", "-in", "server.csr",
                "-startdate", stamp(start), "-enddate", stamp(end), "-extensions", names, "-notext",
                "-out", f"{name}.pem")


def main():
    with tempfile.TemporaryDirectory(prefix="belfry-hostile-") as folder:
        start(folder)
        sys.stdin.buffer.read()
    os._exit(0)


def start(folder):
    """Serves on threads from now on."""
    log = Log(os.path.join(folder, "log"))
    certificates(folder)
    ports = {"ca": os.path.join(folder, "ca.pem"), "log": os.path.join(folder, "log"),
             "standIn": os.path.join(folder, "stand-in.so")}
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", ports["standIn"],
                    os.path.join(HERE, "resolver-stand-in.c")], check=True, stdin=subprocess.DEVNULL)
    for name in ("http", "private", "good", "elsewhere", "expired", "untrusted"):
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        ports[name] = listener.getsockname()[1]
        context = None
        if name not in ("http", "private"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(os.path.join(folder, f"{name}.pem"), os.path.join(folder, "server.key"))
        threading.Thread(target=serve, args=(listener, name, log, context), daemon=True).start()
    # The plain one is as many hosts.
    for host in range(2, HOSTS + 1):
        listener = socket.create_server((f"127.0.0.{host}", ports["http"]), backlog=512)
        threading.Thread(target=serve, args=(listener, "http", log), daemon=True).start()
    print(json.dumps(ports), flush=True)


main()
