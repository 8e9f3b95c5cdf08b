"""How long `windie serve` takes to start and to answer its first question about a screen, and the memory it then has.

    make release && python3 scripts/first-answer.py

Each of the runs has a new, empty data folder. Memory is what is resident (VmRSS, Linux alone).
"""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

RUNS = 5


def post(url: str, body: bytes, kind: str) -> dict:
    request = urllib.request.Request(url, data=body, headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def resident(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def run(data: str) -> None:
    began = time.monotonic()
    environ = os.environ | {"WINDIE_DATA_DIR": data, "WINDIE_LISTEN": "127.0.0.1:0"}
    with subprocess.Popen(["bin/windie", "serve"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as gateway:
        url = next(m[1] for line in gateway.stdout if (m := re.search(r"is ready at (http://\S+)", line)))
        started, idle = time.monotonic() - began, resident(gateway.pid)
        with open("examples/click-target/screen.png", "rb") as screen:
            part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="screen.png"\r\n\r\n' + screen.read() + b"\r\n--x--\r\n"
        stored = post(url + "/api/artifacts/", part, "multipart/form-data; boundary=x")
        asked = {"image": {"artifact_id": stored["artifact_id"]}, "text": "Check out"}
        point = post(url + "/api/sdk/ocr/resolve-text", json.dumps(asked).encode(), "application/json")["match"]["center"]
        first = time.monotonic() - began - started
        print(f"ready after {started:.2f} s with {idle / 1e6:.0f} MB, uploaded and answered {point} in {first:.2f} s more, {resident(gateway.pid) / 1e6:.0f} MB then")
        gateway.terminate()


for _ in range(RUNS):
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
