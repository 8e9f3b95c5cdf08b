"""What the tests know of the gateways that they talk to. Windie's Go tests start them: see TestPythonClient."""

from __future__ import annotations

import itertools
import json
import os
import urllib.request

LOCAL = os.environ["WINDIE_TEST_LOCAL"]
HOSTED = os.environ["WINDIE_TEST_HOSTED"]
CARD = os.environ["WINDIE_TEST_CARD"]
APPROVAL_KEY = os.environ["WINDIE_TEST_APPROVAL_KEY"]
RUNS_KEY = os.environ["WINDIE_TEST_RUNS_KEY"]
OPERATOR = "a token that only operators have"
END = "All three notes are kept."

_CONTROL = os.environ["WINDIE_TEST_LOCAL_CONTROL"]
_users = itertools.count(1)


def someone() -> str:
    """Returns a user that no other test has."""
    return f"user-{os.getpid()}-{next(_users)}"


def fail(*faults: dict) -> None:
    urllib.request.urlopen(_CONTROL + "/faults", data=json.dumps(faults).encode()).read()


def cut() -> None:
    urllib.request.urlopen(_CONTROL + "/cut", data=b"").read()


def seen() -> list:
    return json.load(urllib.request.urlopen(_CONTROL + "/seen"))
