"""Pages in headless Chromium, opened from disk and without a network, by its DevTools protocol.

Messages are JSON, each ended by a zero byte, in two pipes: file descriptors 3 and 4 of the browser.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import Any

EXECUTABLES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--remote-debugging-pipe", "--hide-scrollbars"),
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),  # WebGL without a GPU
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
PATIENCE = 90.0  # seconds
LOWEST_FREE = 10  # descriptors 3 and 4 are the browser's


def executable() -> str | None:
    """Path of Chromium or Chrome, if there is one."""
    return next(filter(None, map(shutil.which, EXECUTABLES)), None)


class Page:
    """A page in a running browser.

    Attributes
    ----------
    problems : list of str
        Errors and warnings on the console, and requests, so far.
    """

    def __init__(self, commands: int, answers: int):
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._n_sent = 0
        self._session: str | None = None
        self._loaded = False
        self.problems: list[str] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self._send(f"{domain}.enable")

    def open(self, path: Path) -> None:
        """Go to a file; returns when it has loaded."""
        self._loaded = False
        self._send("Page.navigate", url=path.as_uri())
        end = time.monotonic() + PATIENCE
        while not self._loaded:
            self._note(self._receive(end))

    def run(self, program: str) -> Any:
        """Value of a JavaScript expression, awaited if it is a promise."""
        asked = {"expression": program, "awaitPromise": True, "returnByValue": True}
        answer = self._send("Runtime.evaluate", **asked)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def size(self, width: int, height: int) -> None:
        """Set the size of the window in pixels."""
        asked = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._send("Emulation.setDeviceMetricsOverride", **asked)

    def picture(self) -> bytes:
        """PNG of what the window shows."""
        return b64decode(self._send("Page.captureScreenshot", format="png")["data"])

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; note the problems told meanwhile."""
        self._n_sent += 1
        message: dict[str, Any] = {"id": self._n_sent, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(end)
            if answer.get("id") == self._n_sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._unread:
            if not select([self._answers], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("The browser does not answer.")
            part = os.read(self._answers, 2**20)
            if not part:
                raise RuntimeError("The browser has ended.")
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)

    def _note(self, message: dict[str, Any]) -> None:
        event, told = message.get("method"), message.get("params", {})
        self._loaded |= event == "Page.loadEventFired"
        if event == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(told["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.problems.append(json.dumps(told["args"]))
        elif event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.problems.append(told["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            url = told["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.problems.append(f"asks for {url}")


@contextmanager
def browser() -> Iterator[Page]:
    """Start a browser with one page, and end it with the block."""
    path = executable()
    if path is None:
        raise RuntimeError(f"There is no browser: none of {', '.join(EXECUTABLES)} is installed.")
    pipes = [*os.pipe(), *os.pipe()]
    high = [fcntl.fcntl(end, fcntl.F_DUPFD, LOWEST_FREE) for end in pipes]
    for end in pipes:
        os.close(end)
    read, commands, answers, written = high

    def take_pipes() -> None:
        os.setpgid(0, 0)
        os.dup2(read, 3)
        os.dup2(written, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(3, 4),
            preexec_fn=take_pipes,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(written)
        try:
            yield Page(commands, answers)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(commands)
            os.close(answers)
