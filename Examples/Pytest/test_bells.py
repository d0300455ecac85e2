import json, socket, subprocess
import pytest


def push(bell, payload):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(bell["BELFRY_SOCKET"])
        connection.sendall(json.dumps(payload).encode())
        for line in connection.makefile():
            yield json.loads(line)


@pytest.mark.parametrize("act, reason", [("answer", "answered"), ("decline", "declined")] * 4)
def test_a_call_ends(bell, act, reason):
    events = push(bell, {
        "aps": {"alert": {"title": "Anna"}, "mutable-content": 1},
        "info": {"type": "call-request", "callId": "a"},
    })
    assert next(e for e in events if e["event"] == "ringing")["mode"] == "loud"
    subprocess.run(["belfry", act, "a"], env=bell, check=True)
    assert next(e for e in events if e["event"] == "ended")["reason"] == reason
