import os, subprocess
import pytest


@pytest.fixture
def bell():
    with subprocess.Popen(["belfry", "serve"], stdout=subprocess.PIPE, text=True) as serve:
        yield {**os.environ, **dict(serve.stdout.readline().strip().split("=", 1) for _ in range(3))}
        serve.terminate()
