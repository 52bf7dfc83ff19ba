"""A real Mosquitto on a free loopback port, started and ended by the tests; and people who read.

Never its websockets listener: Debian's version binds that to every interface.
"""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

PATIENCE_S = 60.0
BINARY = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def until(true: Callable[[], Any], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait for something; a failure says what did not happen."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain: {what}"
        time.sleep(0.01)


class Mosquitto:
    """The broker. `kill` is kill -9; nothing that it held survives."""

    def __init__(self, folder: Path, *lines: str, own_security: bool = False) -> None:
        assert BINARY, "these tests need the Debian package mosquitto: apt-get install mosquitto"
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        config = [f"listener {self.port} 127.0.0.1", "persistence false", "log_type error", *lines]
        if not own_security:
            config.append("allow_anonymous true")
        if not any(line.startswith("max_queued_messages") for line in lines):
            config.append("max_queued_messages 0")
        if os.geteuid() == 0:
            config.append("user root")  # it must read the files of this test
        self._config.write_text("\n".join(config) + "\n")
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.kill)  # a test that failed on its way must not leave a broker behind
        self.start()

    def start(self) -> None:
        assert BINARY
        with self._config.with_suffix(".log").open("ab") as log:
            self._process = subprocess.Popen([BINARY, "-c", str(self._config)], stderr=log)
        until(self._answers, "Mosquitto listens")

    def _answers(self) -> bool:
        assert self._process is not None
        said = self._config.with_suffix(".log").read_text()
        assert self._process.poll() is None, f"Mosquitto did not start: {said}"
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            self._process.wait(30)
            self._process = None
            atexit.unregister(self.kill)


@dataclass(frozen=True)
class Heard:
    """A message as a reader got it."""

    topic: str
    payload: bytes
    retained: bool


class Watcher:
    """Somebody with a plain MQTT client who reads everything, in order."""

    def __init__(self, port: int, topic: str = "#", **more: Any) -> None:
        self._lock = threading.Lock()
        self._heard: list[Heard] = []
        self._ready = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
        if "username" in more:
            self.client.username_pw_set(more["username"], more["password"])
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe(topic, 1)
        self.client.on_subscribe = lambda *_: self._ready.set()
        self.client.on_disconnect = lambda *_: self._ready.clear()
        self.client.on_message = self._on_message
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.ready()

    def ready(self) -> None:
        """Wait until it hears what is said from now on."""
        assert self._ready.wait(PATIENCE_S), "the watcher is subscribed"

    def _on_message(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        with self._lock:
            self._heard.append(Heard(message.topic, bytes(message.payload), message.retain))

    def heard(self, part: str = "") -> list[Heard]:
        """Everything so far whose topic has `part` in it."""
        with self._lock:
            return [heard for heard in self._heard if part in heard.topic]

    def latest(self, part: str) -> bytes | None:
        """What is last known of a topic."""
        found = self.heard(part)
        return found[-1].payload if found else None

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.client.publish(topic, payload, 1, retain).wait_for_publish(PATIENCE_S)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def kept(port: int, **more: Any) -> dict[str, bytes]:
    """What the broker keeps for a newcomer: topic and payload."""
    watcher = Watcher(port, **more)
    time.sleep(0.3)
    found = {heard.topic: heard.payload for heard in watcher.heard() if heard.retained}
    watcher.close()
    return found
