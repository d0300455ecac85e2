"""Runs suites with a fault switched on, until the first red test."""

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

from faulty_tree import SWITCH

PASSED, KILLED, TIMED_OUT = "survived", "killed", "timed out"


def seeds(count):
    """So many seeds of the simulation, in the place of suites."""
    return ("--first", "0", "--runs", str(count))


def run(tree, suites, number, limit_seconds):
    """What became of the suites, or the seeds, with the fault `number`, or with none if that is 0, and what they said
    last."""
    place = tempfile.mkdtemp(prefix="belfry-mutant-")
    environment = {
        **os.environ, SWITCH: str(number), "BELFRY_TEST_ROOT": str(tree.folder), "NO_COLOR": "1", "TMPDIR": place,
        "SWIFT_BACKTRACE": "enable=no"}
    if isinstance(suites, tuple):
        command = [tree.simulation, *suites]
    else:
        command = [tree.bundle, "--testing-library", "swift-testing", "--skip", "IntegrationTests"]
        command += [word for one in suites for word in ("--filter", one.filter)]
    process = subprocess.Popen(
        command, cwd=tree.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return _watch(process, time.monotonic() + limit_seconds)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()
        shutil.rmtree(place, ignore_errors=True)


def _watch(process, end):
    said = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if not selector.select(left):
                break
            some = os.read(process.stdout.fileno(), 65536)
            said += some
            red = said.find("✘".encode())
            if red >= 0:
                return KILLED, said[red:red + 300].decode(errors="replace").split("\n")[0]
            # A child that a test left behind may hold the pipe open: the last line is the end as well.
            if not some or b" passed after " in said[said.rfind(b"Test run with"):] and b"Test run with" in said:
                status = process.wait()
                return (PASSED if status == 0 else KILLED), said[-300:].decode(errors="replace")
    return TIMED_OUT, said[-300:].decode(errors="replace")
