#!/usr/bin/env python3
"""A broker that stops half-way: half-broker.py WAY CERTIFICATE KEY prints its port and serves until its input ends.

WAY: mute (says nothing), greeting (nothing after its greeting), closed (closes instead of the first PONG), waiting (no
PONG, and keeps the connection), torn (a message in two parts of one record, three seconds between them), stranger
(another protocol), plain (without TLS), early (a word before TLS), full (lets nobody in), wrong (asks for a PONG, then
says a message and no word), revoked (takes the credential back).
"""

import socket
import ssl
import sys
import threading
import time

INFO = (b'INFO {"server_id":"HALF","version":"2.9.10","proto":1,"headers":true,"max_payload":65536,"tls_required":true,'
        b'"nonce":"n"}\r\n')


# What is said in plain text by those that get no further.
PLAIN = {
    "stranger": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "plain": INFO.replace(b'"tls_required":true', b'"tls_required":false'),
    "early": INFO + b"PING\r\n",
}


class Client:
    """A client, whose records are given to the network by hand."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext):
        self.connection = connection
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def until_done(self, work):
        while True:
            try:
                done = work()
                self.connection.sendall(self.outgoing.read())
                return done
            except ssl.SSLWantReadError:
                self.connection.sendall(self.outgoing.read())
                part = self.connection.recv(65536)
                if not part:
                    raise EOFError
                self.incoming.write(part)

    def say(self, words: bytes):
        self.until_done(lambda: self.tls.write(words))

    def read_until(self, word: bytes):
        said = b""
        while word not in said:
            said += self.until_done(lambda: self.tls.read(65536))


def serve(way: str, connection: socket.socket, context: ssl.SSLContext):
    if way == "mute":
        return time.sleep(3600)
    connection.sendall(PLAIN.get(way, INFO))
    if way == "greeting" or way in PLAIN:
        return time.sleep(3600)
    client = Client(connection, context)
    client.until_done(client.tls.do_handshake)
    client.read_until(b"PING\r\n")
    if way == "closed":
        return connection.close()
    if way == "waiting":
        return time.sleep(3600)
    if way == "full":
        client.say(b"-ERR 'maximum connections exceeded'\r\n")
        return connection.close()
    client.say(b"PONG\r\n")
    if way == "revoked":
        client.say(b"-ERR 'User Authentication Revoked'\r\n")
        return connection.close()
    if way == "wrong":
        client.say(b"PING\r\n")
        client.read_until(b"PONG\r\n")
        client.say(b"MSG torn 1 4\r\nwell\r\nMSG torn 1 x\r\nPING\r\n")
        return time.sleep(3600)
    client.read_until(b"SUB ")
    client.tls.write(b"MSG torn 1 4\r\nwell\r\n")
    record = client.outgoing.read()
    connection.sendall(record[:9])
    time.sleep(3)
    connection.sendall(record[9:])
    client.read_until(b"bye")


def serve_and_forgive(*arguments):
    try:
        serve(*arguments)
    except (EOFError, OSError):
        pass


def main():
    way, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: accept(way, listener, context), daemon=True).start()
    sys.stdin.read()


def accept(way: str, listener: socket.socket, context: ssl.SSLContext):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve_and_forgive, args=(way, connection, context), daemon=True).start()


main()
