#!/usr/bin/python3
"""Clients of push servers as they are, each with Apple's own names, against belfry-apns on port 443 of a network of
their own. To be run by `unshare --user --map-root-user --net --mount`.

apns-clients.py BELFRY-APNS STATE TOPIC TOKEN REMOVED LATE KEY KID TEAM CERTIFICATE
prints what each got as one JSON object: by what it did, the status and the reason of the answer
"""
import asyncio
import fcntl
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid

NAMES = ["api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com"]
PAYLOAD = {"aps": {"alert": "x"}}


def prepare():
    """Loopback up, and Apple's names on it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # SIOCSIFFLAGS: IFF_UP and IFF_RUNNING.
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x41))
    hosts = tempfile.NamedTemporaryFile("w", delete=False)
    hosts.write("127.0.0.1 localhost " + " ".join(NAMES) + "\n")
    hosts.close()
    subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
    os.chmod(hosts.name, 0o644)


class Endpoint:
    """belfry-apns with both of its listeners, and what testers ask of it."""

    def __init__(self, program, folder):
        self.program = program
        self.listener = socket.create_server(("127.0.0.1", 443), backlog=512)
        self.control = socket.socket(socket.AF_UNIX)
        os.environ["BELFRY_APNS_SOCKET"] = folder + "/apns.sock"
        self.control.bind(folder + "/apns.sock")
        self.control.listen()
        self.start()

    def start(self):
        numbers = [self.listener.fileno(), self.control.fileno()]
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$0" --listeners 2 3<&%d 4<&%d' % tuple(numbers), self.program], pass_fds=numbers)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()

    def ask(self, *words):
        return subprocess.run([self.program, "apns", *words], check=True, capture_output=True, text=True).stdout

    def fail(self, status, reason, *more):
        self.ask("fail", "--status", str(status), "--reason", reason, *more)

    def await_request(self, apns_id):
        # 66: the log does not have it yet.
        while subprocess.run([self.program, "apns", "log", apns_id], capture_output=True).returncode == 66:
            pass


REASONS = {429: "TooManyRequests", 500: "InternalServerError", 503: "ServiceUnavailable"}


def answers(case, endpoint, push):
    """What `push` is answered in every class: it sends to `token` and takes what else is to differ by name."""
    found = {
        "good": push(case.token), "none": push("ab"), "removed": push(case.removed),
        "large": push(case.token, payload={"aps": {"alert": "x" * 5000}}),
        "forbidden": push(case.token, forbidden=True),
    }
    for status, reason in REASONS.items():
        endpoint.fail(status, reason)
        found[reason] = push(case.token)
    return found


def answer(status, body):
    """A status, and behind it the reason if there is a body."""
    return "%s %s" % (status, json.loads(body)["reason"]) if body else str(status)


# Each client.

def with_aioapns(case, endpoint):
    from aioapns import APNs, NotificationRequest

    def request(token=case.token, payload=PAYLOAD):
        return NotificationRequest(device_token=token, message=payload)

    key = case.key
    if int(importlib.metadata.version("aioapns").split(".")[0]) > 2:
        # From then on it wants what is in the file.
        with open(case.key) as file:
            key = file.read()

    async def talk():
        def make(kid):
            return APNs(key=key, key_id=kid, team_id=case.team, topic=case.topic, use_sandbox=False)

        client, stranger = make(case.kid), make("OTHERKEY00")

        async def push(token, payload=PAYLOAD, forbidden=False):
            result = await (stranger if forbidden else client).send_notification(request(token, payload))
            return result.status if result.is_successful else "%s %s" % (result.status, result.description)

        found = {}
        for name, arguments in [("good", [case.token]), ("none", ["ab"]), ("removed", [case.removed]),
                                ("large", [case.token, {"aps": {"alert": "x" * 5000}}]),
                                ("forbidden", [case.token, PAYLOAD, True])]:
            found[name] = await push(*arguments)
        for status, reason in REASONS.items():
            endpoint.fail(status, reason)
            found[reason] = await push(case.token)
        many = await asyncio.gather(*[client.send_notification(request()) for _ in range(100)])
        found["many"] = " ".join(sorted({result.status for result in many}))
        old = list(client.pool.connections)
        endpoint.ask("goaway")
        while set(old) & set(client.pool.connections):
            await asyncio.sleep(0.01)
        found["goaway"] = await push(case.token)
        endpoint.restart()
        found["restart"] = await push(case.token)
        return found

    return asyncio.run(asyncio.wait_for(talk(), 120))


def with_httpx(case, endpoint):
    import httpx
    url = "https://api.push.apple.com/3/device/"
    headers = {"apns-topic": case.topic, "apns-push-type": "alert"}
    certificates = {False: case.certificate, True: case.foreign}
    clients = {}

    def push(token, payload=PAYLOAD, forbidden=False, method="POST", url=url):
        client = clients.setdefault(forbidden, httpx.Client(http2=True, timeout=60, cert=certificates[forbidden]))
        got = client.request(method, url + token, json=payload, headers=headers)
        assert got.http_version == "HTTP/2"
        return answer(got.status_code, got.text)

    def anew():
        # It tells its caller of a GOAWAY, and would go on with that connection: its user makes another client.
        try:
            return push(case.token)
        except httpx.TransportError:
            clients.clear()
            return push(case.token)

    found = answers(case, endpoint, push)
    found["path"] = push(case.token, url="https://api.push.apple.com/4/device/")
    found["method"] = push(case.token, method="GET")
    found["development"] = push(case.token, url="https://api.sandbox.push.apple.com/3/device/")
    endpoint.ask("goaway")
    found["goaway"] = anew()
    endpoint.restart()
    found["restart"] = anew()
    return found


def with_kalyke(case, endpoint):
    """It makes a connection for each message, and knows of errors by their names."""
    from kalyke import ApnsClient, ApnsConfig, ApnsPushType, Payload
    from kalyke.exceptions import ApnsProviderException

    def push(token, payload="x", kid=case.kid):
        client = ApnsClient(use_sandbox=False, team_id=case.team, auth_key_id=kid, auth_key_filepath=case.key)
        config = ApnsConfig(topic=case.topic, push_type=ApnsPushType.ALERT)
        try:
            asyncio.run(client.send_message(device_token=token, payload=Payload(alert=payload), apns_config=config))
            return "200"
        except ApnsProviderException as error:
            return type(error).__name__

    found = {"good": push(case.token), "none": push("ab"), "removed": push(case.removed),
             "large": push(case.token, "x" * 5000), "forbidden": push(case.token, kid="OTHERKEY00")}
    for status, reason in REASONS.items():
        endpoint.fail(status, reason)
        found[reason] = push(case.token)
    endpoint.restart()
    found["restart"] = push(case.token)
    return found


class Program:
    """A client that is run for each request, or for a few at once."""

    def __init__(self, case, endpoint):
        self.case, self.endpoint = case, endpoint

    def found(self):
        found = answers(self.case, self.endpoint, self.push)
        found["path"] = self.push(self.case.token, path="/4/device/")
        found["method"] = self.push(self.case.token, method="GET")
        found["goaway"] = self.sent_away()
        self.endpoint.restart()
        found["restart"] = self.push(self.case.token)
        return found

    def sent_away(self):
        """What is said of requests of which the late one is answered after a GOAWAY."""
        def send_away():
            self.endpoint.await_request(first)
            self.endpoint.ask("goaway")
            asked.append(time.monotonic())

        # On a busy machine the endpoint may be asked so late that the answer comes first, or the late request may come
        # so late that its answer would be later than the five seconds of a connection that was told to go.
        for _ in range(10):
            first, asked, began = str(uuid.uuid4()), [], time.monotonic()
            self.endpoint.fail(503, "ServiceUnavailable", "--delay", "3", "--token", self.case.late)
            said = self.run(self.requests(first), PAYLOAD, send_away)
            if asked[0] - began < 3 and time.monotonic() - asked[0] < 5:
                break
        return self.told(said)

    def run(self, command, payload, meanwhile=lambda: None):
        with tempfile.NamedTemporaryFile("w") as body:
            json.dump(payload, body)
            body.flush()
            words = [word.replace("BODY", body.name) for word in command]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            meanwhile()
            return process.communicate(timeout=120)[0]


class Curl(Program):
    def __init__(self, case, endpoint, credential):
        super().__init__(case, endpoint)
        self.credential = credential

    def options(self, forbidden):
        if self.credential == "PEM":
            return ["--cert", self.case.foreign if forbidden else self.case.certificate]
        return ["--header", "authorization: bearer " + (self.case.wrong_bearer if forbidden else self.case.bearer)]

    def push(self, token, payload=PAYLOAD, forbidden=False, method="POST", path="/3/device/"):
        said = self.run(
            ["curl", "--silent", "--request", method, "--header", "apns-topic: " + self.case.topic, "--data-binary",
             "@BODY", "--write-out", "\n%{http_code}", *self.options(forbidden),
             "https://api.push.apple.com" + path + token], payload)
        body, status = said.rsplit("\n", 1)
        return answer(status, body)

    def requests(self, first):
        """Three requests one after another."""
        one = ["--silent", "--header", "apns-topic: " + self.case.topic, "--data-binary", "@BODY", "--output",
               "/dev/null", "--write-out", "%{http_code} %{num_connects}\n", *self.options(False)]
        url = "https://api.push.apple.com/3/device/"
        words = ["curl", *one, "--header", "apns-id: " + first, url + self.case.token]
        for token in (self.case.late, self.case.token):
            words += ["--next", *one, url + token]
        return words

    def told(self, said):
        """What became of each, and how many connections they took."""
        lines = [line.split() for line in said.splitlines()]
        return "%s over %d" % (" ".join(line[0] for line in lines), sum(int(line[1]) for line in lines))


class Nghttp(Program):
    def command(self, forbidden=False, *more):
        certificate = self.case.foreign if forbidden else self.case.certificate
        return ["nghttp", "--verbose", "--no-verify-peer", "--cert", certificate, "--key", certificate, "--data",
                "BODY", "--header", "apns-topic: " + self.case.topic, *more]

    def push(self, token, payload=PAYLOAD, forbidden=False, method="POST", path="/3/device/"):
        said = self.run(
            [*self.command(forbidden, "--header", ":method: " + method), "https://api.push.apple.com" + path + token],
            payload)
        reasons = re.findall(r'\{"reason":.*?\}', said)
        return answer(" ".join(re.findall(r":status: (\d+)", said)), reasons[0] if reasons else "")

    def requests(self, first):
        """Two requests at once."""
        url = "https://api.push.apple.com/3/device/"
        return [*self.command(False, "--header", ":method: POST", "--header", "apns-id: " + first),
                url + self.case.token, url + self.case.late]

    def told(self, said):
        """What each was answered, and the reason that the server stated."""
        stated = sorted(set(re.findall(r'opaque_data\(\d+\)=\[(.*?)\]', said)) - {""})
        return "%s %s" % (" ".join(sorted(re.findall(r":status: (\d+)", said))), " ".join(stated))


class Case:
    def __init__(self, folder, topic, token, removed, late, key, kid, team, certificate):
        self.topic, self.token, self.removed, self.late = topic, token, removed, late
        self.key, self.kid, self.team, self.certificate = key, kid, team, certificate
        self.foreign = folder + "/foreign.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
             "/UID=" + topic, "-keyout", self.foreign, "-out", folder + "/foreign.cert"],
            check=True, capture_output=True)
        with open(self.foreign, "a") as both, open(folder + "/foreign.cert") as added:
            both.write(added.read())
        self.bearer, self.wrong_bearer = (self.signed(kid) for kid in (kid, "OTHERKEY00"))

    def signed(self, kid):
        client = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apns-client.py")
        made = subprocess.run([sys.executable, client, "token", self.key, kid, self.team], check=True,
                              capture_output=True, text=True)
        return made.stdout.strip()


def main():
    program, state, *words = sys.argv[1:]
    os.environ["BELFRY_STATE_DIRECTORY"] = state
    os.environ["SSL_CERT_FILE"] = os.environ["CURL_CA_BUNDLE"] = state + "/credentials/ca.pem"
    prepare()
    folder = tempfile.mkdtemp()
    endpoint = Endpoint(program, folder)
    case = Case(folder, *words)
    clients = {
        "aioapns": with_aioapns, "httpx": with_httpx,
        "nghttp": lambda case, endpoint: Nghttp(case, endpoint).found(),
        "curl PEM": lambda case, endpoint: Curl(case, endpoint, "PEM").found(),
        "curl JWT": lambda case, endpoint: Curl(case, endpoint, "JWT").found(),
    }
    # Debian does not have it; it is there where whoever runs this has installed it.
    if importlib.util.find_spec("kalyke"):
        clients["kalyke"] = with_kalyke
    found = {}
    for name, client in clients.items():
        try:
            found[name] = client(case, endpoint)
        except Exception as error:
            found[name] = {"error": "%s: %s" % (type(error).__name__, error)}
    endpoint.stop()
    shutil.rmtree(folder)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
