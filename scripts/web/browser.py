"""Chromium without a window, on SwiftShader, a GPU in software: Debian's package chromium, or CHROMIUM, a path."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

NAME = pathlib.Path(sys.argv[0]).name

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe", "--window-size=1200,900",
    "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--hide-scrollbars",
    # The page's pictures come from the same driver.
    "--use-angle=vulkan", "--use-vulkan=swiftshader",
]


class Browser:
    """Chromium, spoken to through a pipe: JSON messages that end with a zero byte, on its file descriptors 3 and 4."""

    def __init__(self, profile, seconds, flags=FLAGS):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            sys.exit(f"{NAME}: no Chromium: install Debian's package chromium, or name one in CHROMIUM")
        (reads, self.writes), (self.reads, writes) = os.pipe(), os.pipe()
        command = 'reads=$1; writes=$2; shift 2; exec "$@" 3<&"$reads" 4>&"$writes"'
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", str(reads), str(writes), program, *flags, f"--user-data-dir={profile}"],
            pass_fds=(reads, writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reads)
        os.close(writes)
        # A page that hangs ends the test.
        self.clock = threading.Timer(seconds, self.process.kill)
        self.clock.start()
        self.last, self.pending, self.session, self.noise = 0, b"", None, []

    def close(self):
        self.clock.cancel()
        self.process.terminate()
        self.process.wait()

    def message(self):
        while b"\0" not in self.pending:
            more = os.read(self.reads, 1 << 16)
            if not more:
                sys.exit(f"{NAME}: the browser ended, or took too long")
            self.pending += more
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"{NAME}: {method}: {answer['error']['message']}")
                return answer["result"]
            self.listen(answer)

    def listen(self, event):
        """Keeps what the page complains about."""
        if event.get("method") == "Runtime.exceptionThrown":
            details = event["params"]["exceptionDetails"]
            self.noise.append(details.get("exception", {}).get("description") or details["text"])
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
            self.noise.append(event["params"]["entry"]["text"])

    def open(self, address, before=""):
        """Opens a page in a tab of its own, which runs a script before the page's."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=address)
        event = {}
        while event.get("method") != "Page.loadEventFired":
            event = self.message()
            self.listen(event)

    def run(self, expression):
        """The value of an expression on the page, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            sys.exit(f"{NAME}: {expression}: {details.get('exception', {}).get('description') or details['text']}")
        return answer["result"].get("value")

    def picture(self, path, width, height, scheme, whole=True):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
