"""A browser without a screen for tests of pages: Debian's Chromium, spoken to over its own pipe; no other library.

Where it is missing a test is skipped with the reason, or fails, where SIM3D_NEEDS says that it has to be there.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-pipe",
    "--force-color-profile=srgb",
)  # WebGL by software: a machine without a screen has no other
PATIENCE_S = 60.0
NUMBERS = {"Escape": 27}


def needed(what: str, there: bool) -> None:
    """Skip without it; where the gate says that all has to be there, fail."""
    if there:
        return
    if os.environ.get("SIM3D_NEEDS", "") == "all":
        pytest.fail(f"{what} is not installed, and SIM3D_NEEDS=all says that it has to be")
    pytest.skip(f"{what} is not installed")


class Browser:
    """One Chromium with one page; everything it logs and asks the network for is kept."""

    def __init__(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> None:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        needed("chromium", program is not None)
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()  # we write ours, they write theirs

        def pipes() -> None:
            a, b = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [str(program), *FLAGS, f"--user-data-dir={self.home.name}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(ours[0])
        os.close(theirs[1])
        self.write, self.read = ours[1], theirs[0]
        self.buffer, self.count = b"", 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height, dark=dark)

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """A window of this size, of somebody who likes it dark or light, and nothing to move by itself."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        likes = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=likes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        os.close(self.write)
        os.close(self.read)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.home.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer; what happens meanwhile is kept."""
        self.count += 1
        number = self.count
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        for told in self._messages(time.monotonic() + PATIENCE_S):
            if told.get("id") == number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                result: dict[str, Any] = told["result"]
                return result
        raise TimeoutError(f"{method}: no answer in {PATIENCE_S:g} s")

    def _messages(self, until: float) -> Iterator[dict[str, Any]]:
        while time.monotonic() < until:
            while b"\0" in self.buffer:
                text, self.buffer = self.buffer.split(b"\0", 1)
                told = json.loads(text)
                self._heard(told)
                yield told
            if select.select([self.read], [], [], 0.2)[0]:
                data = os.read(self.read, 1 << 20)
                if not data:
                    raise RuntimeError("chromium went away")
                self.buffer += data

    def _heard(self, told: dict[str, Any]) -> None:
        method, params = told.get("method"), told.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            said = " ".join(str(a.get("value", a.get("description", ""))) for a in params["args"])
            if "GPU stall due to ReadPixels" not in said:  # of a screenshot by software
                self.errors.append(said)
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            if "GPU stall due to ReadPixels" not in params["entry"]["text"]:
                self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    # --- what a test does ---------------------------------------------------------------------------------------------

    def open(self, path: Path) -> float:
        """Open a file and wait until the page says that it is ready; how long that took, in seconds."""
        begun = time.monotonic()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while time.monotonic() - begun < PATIENCE_S:
            ready = self.ask("document.documentElement ? document.documentElement.dataset.ready || '' : ''")
            if ready:
                assert ready == "true", self.errors
                return time.monotonic() - begun
            time.sleep(0.02)
        raise TimeoutError(f"the page was not ready in {PATIENCE_S:g} s: {self.errors}")

    def busy_s(self) -> float:
        """Processor seconds that all of its processes have used so far: a busy machine makes these no more."""
        told = subprocess.run(["ps", "-eo", "pid,ppid,cputimes"], capture_output=True, text=True, check=True).stdout
        rows = [[int(word) for word in line.split()] for line in told.splitlines()[1:]]
        mine, used = {self.process.pid}, 0
        for pid, parent, seconds in sorted(rows):
            if pid in mine or parent in mine:
                mine.add(pid)
                used += seconds
        return float(used)

    def ask(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise RuntimeError(json.dumps(told["exceptionDetails"])[:600])
        return told["result"].get("value")

    def drawn(self) -> None:
        """Wait until all that was asked for is on the screen."""
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def click(self, x: float, y: float) -> None:
        """Press and let go at a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, buttons=1)
        self.drawn()

    def key(self, key: str, code: str = "") -> None:
        """Press and let go of a key."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            more: dict[str, Any] = dict(text) if kind == "keyDown" else {}
            if key in NUMBERS:  # without its number the browser itself does not know it
                more["windowsVirtualKeyCode"] = NUMBERS[key]
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **more)
        self.drawn()

    def picture(self) -> bytes:
        """The window as a PNG."""
        self.drawn()
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
