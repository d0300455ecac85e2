import json, os, socket, subprocess, unittest


def push(payload):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(os.environ["BELFRY_SOCKET"])
        connection.sendall(json.dumps(payload).encode())
        for line in connection.makefile():
            yield json.loads(line)


class CallTests(unittest.TestCase):
    def test_answered(self):
        events = push({
            "aps": {"alert": {"title": "Anna"}, "mutable-content": 1},
            "info": {"type": "call-request", "callId": "a"},
        })
        self.assertEqual(next(e for e in events if e["event"] == "ringing")["mode"], "loud")
        subprocess.run(["belfry", "answer", "a"], check=True)
        self.assertEqual(next(e for e in events if e["event"] == "ended")["reason"], "answered")


if __name__ == "__main__":
    unittest.main()
