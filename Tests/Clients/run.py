#!/usr/bin/python3
"""Clients of push servers that are not in Debian, as PyPI has them, and tokens as other languages make them, against
belfry-apns: each client rings a call, and is answered 410 and 403; each token is good.

run.py BIN FOLDER    for `belfry serve -- unshare --net --mount`; FOLDER has a virtual environment for each client, and
                     gets tokens.txt: what Tests/Clients/tokens.txt records, made anew
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
APP = "com.example.phone"
TOPIC = APP + ".voip"

# By its name on PyPI: its script, and what it calls 410 and 403.
CLIENTS = {
    "apns2-up": ("push-apns2.py", "Unregistered", "InvalidProviderToken"),
    "mopyapns": ("push-apns2.py", "Unregistered", "InvalidProviderToken"),
    "pyapns-client3": ("push-pyapns-client3.py", "UnregisteredException", "InvalidProviderTokenException"),
    "simple-apns": ("push-simple-apns.py", "APNSTokenError: Token is no longer valid",
                    "APNSException: Certificate or token is not valid"),
    "django-push-notifications": (
        "push-django-push-notifications.py", "APNSError: One or more errors failed with errors: Unregistered",
        "APNSError: One or more errors failed with errors: InvalidProviderToken"),
}
TOKENS = {
    "openssl": ["sh", "token-openssl.sh"], "python": ["/usr/bin/python3", "token-python.py"],
    "go": ["go", "run", "token-go.go"], "ruby": ["ruby", "token-ruby.rb"], "php": ["php", "token-php.php"],
    "java": ["java", "token-java.java"], "erlang": ["escript", "token-erlang.escript"],
    "node": ["node", "token-node.mjs"],
}


def module(name):
    """What is at `name` beside this folder; its own name has a hyphen."""
    spec = importlib.util.spec_from_file_location("servers", os.path.join(HERE, name))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Phone:
    """What `belfry` does and says."""

    def __init__(self, programs):
        self.programs = programs

    def belfry(self, *words):
        return subprocess.run([self.programs + "/belfry", *words], check=True, capture_output=True, text=True).stdout

    def one(self, *words):
        return json.loads(self.belfry(*words, "--json"))

    def await_ring(self, call):
        """Waits until the call rings loud, and hangs it up."""
        end = time.monotonic() + 20
        while {"call": call, "mode": "loud"} not in [
                {name: ring[name] for name in ("call", "mode")}
                for ring in map(json.loads, self.belfry("calls", "--json").splitlines())]:
            if time.monotonic() > end:
                return "does not ring"
        self.belfry("hangup", call)
        return "rings"


class Checks:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, name, got, expected):
        good = got == expected
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        print("%-45s %s" % (name, "ok" if good else "FAILED: %r, not %r" % (got, expected)), flush=True)


def said(command, folder=HERE):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    return done.stdout.strip() or done.stderr.strip()


def try_clients(checks, phone, folder, minted, devices):
    good, removed = devices
    for name, (script, unregistered, forbidden) in CLIENTS.items():
        def push(device, kid):
            payload = json.dumps({"callId": name, "callerName": "Ada"})
            return said([folder + "/" + name + "/bin/python", os.path.join(HERE, script), device["voipToken"], TOPIC,
                         minted["key"], kid, minted["team"], payload])

        answer = push(good, minted["keyId"])
        checks.check(name + ", a call", answer, "200")
        if answer == "200":
            checks.check(name + ", its phone", phone.await_ring(name), "rings")
        checks.check(name + ", 410", push(removed, minted["keyId"]), unregistered)
        checks.check(name + ", 403", push(good, "OTHERKEY00"), forbidden)


def try_tokens(checks, folder, minted, device):
    point = subprocess.run(["openssl", "ec", "-in", minted["key"], "-pubout", "-outform", "DER"], check=True,
                           capture_output=True).stdout[-65:]
    lines = ["# Tokens of one key as each language makes them: written by `make clients`, read by RecordedTokenTests.",
             "key " + point.hex()]
    for name, command in TOKENS.items():
        token = said([*command, minted["key"], minted["keyId"], minted["team"]])
        lines.append(name + " " + token)
        answer = said(
            ["curl", "--silent", "--show-error", "--write-out", "%{http_code}", "--header",
             "authorization: bearer " + token, "--header", "apns-topic: " + TOPIC, "--data", '{"callId":"1"}',
             "https://api.push.apple.com/3/device/" + device["voipToken"]])
        checks.check("a token by " + name, answer, "200")
    with open(folder + "/tokens.txt", "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    programs, folder = sys.argv[1:]
    phone, checks, servers = Phone(programs), Checks(), module("../Servers/apns-clients.py")
    phone.belfry("apns", "setup")
    minted = phone.one("apns", "credentials", "new", "--bundle-id", APP)
    devices = [phone.one("device", "add", "--bundle-id", APP) for _ in range(2)]
    phone.belfry("device", "remove", devices[1]["id"])
    os.environ["SSL_CERT_FILE"] = os.environ["CURL_CA_BUNDLE"] = minted["authority"]
    servers.prepare()
    with tempfile.TemporaryDirectory() as runtime:
        endpoint = servers.Endpoint(programs + "/belfry-apns", runtime)
        try_tokens(checks, folder, minted, devices[0])
        # It would make every other call one that is silent.
        checks.check("the phone", phone.await_ring("1"), "rings")
        try_clients(checks, phone, folder, minted, devices)
        endpoint.stop()
    print("clients: %d passed, %d failed" % (checks.passed, checks.failed))
    sys.exit(1 if checks.failed else 0)


main()
