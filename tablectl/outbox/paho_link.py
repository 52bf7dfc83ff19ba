"""A connection to a broker through paho: the only module that imports it.

A connection that ends is thrown away with its client, so that paho never sends anything again by
itself: what goes out again, and in which order, is decided in one place, the engine.
"""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from tablectl.outbox.broker import BadBroker, Broker
from tablectl.outbox.commands import PAYLOAD_MAXIMUM
from tablectl.outbox.link import LinkLost
from tablectl.outbox.reports import Trouble
from tablectl.outbox.topics import QOS, Message

KEEPALIVE_S: Final = 10  # a silent broker is noticed within twice this
CONNECT_S: Final = 3.0  # TCP and TLS; the owner may be stopping
INBOX: Final = 256  # messages that may wait to be looked at
INBOX_PATIENCE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """The broker took us in."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The connection is over."""

    why: str


@dataclass(frozen=True, slots=True)
class Acked:
    """The broker has message `token`."""

    token: int


@dataclass(frozen=True, slots=True)
class Came:
    """A message for us; call `looked_at` when it has been dealt with."""

    topic: str
    payload: bytes
    retained: bool


News = Accepted | Ended | Acked | Came | Trouble
Post = Callable[["PahoLink", News], None]


class _Client(mqtt.Client):
    """paho's client, whose network thread cannot die unseen."""

    ended: Callable[[str], None] = lambda _why: None

    def loop_forever(
        self, timeout: float = 1.0, retry_first_connection: bool = False
    ) -> MQTTErrorCode:
        """What paho's thread runs: however it ends, somebody hears of it."""
        why = "the connection ended"
        try:
            return super().loop_forever(timeout, retry_first_connection)
        except Exception as error:  # noqa: BLE001  a broker that sends nonsense, whatever it is
            why = f"what it sent made no sense ({type(error).__name__})"
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        finally:
            self.ended(why)


def _send_at_once(_client: Any, _data: Any, opened: Any) -> None:
    """Without Nagle's wait: a window's last small packets would otherwise take 40 ms."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class PahoLink:
    """One connection. Callbacks run on paho's thread and only post news."""

    def __init__(self, broker: Broker, client_id: str, will: Message, post: Post) -> None:
        self._broker = broker
        self._post = post
        self._room = threading.Semaphore(INBOX)
        self._closed = threading.Event()
        self._why: str | None = None
        client = self._client = _Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=True,
            protocol=mqtt.MQTTv311,
            reconnect_on_failure=False,
        )
        client.ended = self._ended
        client.connect_timeout = CONNECT_S
        client.max_inflight_messages_set(0)  # the engine bounds what is in flight
        client.will_set(will.topic, will.payload, QOS, will.retain)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_socket_open = _send_at_once
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message

    def open(self) -> None:
        """Connect, which may take a while, and let paho's thread run; raises LinkLost."""
        broker, client = self._broker, self._client
        try:
            if broker.username is not None:
                client.username_pw_set(broker.username, broker.password())
            context = broker.context()
            if context is not None:
                client.tls_set_context(context)
            client.connect(broker.host, broker.port, KEEPALIVE_S)
        except BadBroker as error:
            raise LinkLost(str(error)) from None
        except ssl.SSLError as error:
            why = getattr(error, "verify_message", None) or error.reason or "TLS failed"
            raise LinkLost(f"the broker at {broker.name} is not trusted: {why}") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise LinkLost(f"the broker at {broker.name} cannot be reached: {why}") from None
        client.loop_start()

    def publish(self, message: Message) -> int:
        """Queue a message for paho's thread; its number. Raises LinkLost."""
        info = self._client.publish(message.topic, message.payload, QOS, message.retain)
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLost(f"the connection to {self._broker.name} broke")
        return info.mid

    def subscribe(self, filters: Sequence[str]) -> None:
        """Ask for topics; raises LinkLost."""
        code, _mid = self._client.subscribe([(one, QOS) for one in filters])
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLost(f"the connection to {self._broker.name} broke")

    def unsubscribe(self, filters: Sequence[str]) -> None:
        """Ask for topics no more; raises LinkLost."""
        code, _mid = self._client.unsubscribe(list(filters))
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLost(f"the connection to {self._broker.name} broke")

    def looked_at(self) -> None:
        """A message has been dealt with: there is room for another."""
        self._room.release()

    def close(self, *, orderly: bool) -> None:
        """End it. Orderly: the broker is told, and the will stays unread."""
        self._closed.set()
        if orderly:
            self._client.disconnect()
            self._wait_for_end()
        found = self._client.socket()
        if isinstance(found, socket.socket):
            with contextlib.suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)  # wakes paho's thread, whatever it waits for
        # paho forgets its thread when that ends, perhaps between two lines of loop_stop.
        with contextlib.suppress(AttributeError):
            self._client.loop_stop()

    def _wait_for_end(self) -> None:
        deadline = time.monotonic() + 1.0
        while self._client.socket() is not None and time.monotonic() < deadline:
            time.sleep(0.005)

    # ── on paho's thread ───────────────────────────────────────────────────
    def _on_connect(self, _client: Any, _data: Any, _flags: Any, code: Any, _more: Any) -> None:
        if code.is_failure:
            self._why = f"the broker at {self._broker.name} refuses us: {str(code).lower()}"
        else:
            self._post(self, Accepted())

    def _on_publish(self, _client: Any, _data: Any, mid: int, _code: Any, _more: Any) -> None:
        # Each one wakes the outbox: waiting for several meets Nagle's wait at the broker (40 ms).
        self._post(self, Acked(mid))

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, code: Any, _more: Any) -> None:
        if self._why is None and code.is_failure:
            self._why = f"the broker at {self._broker.name} is gone: {str(code).lower()}"

    def _ended(self, why: str) -> None:
        what = self._why or f"the broker at {self._broker.name} is gone: {why}"
        self._post(self, Ended(what))

    def _on_subscribe(self, _client: Any, _data: Any, _mid: int, codes: Any, _more: Any) -> None:
        if any(code.is_failure for code in codes):
            what = "the broker does not let us read our own topics: commands cannot come in"
            self._post(self, Trouble(what))

    def _on_message(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        """Hold paho's thread, and so the broker, while too much waits; then drop, and say so."""
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        deadline = time.monotonic() + INBOX_PATIENCE_S
        while not self._room.acquire(timeout=0.05):
            if self._closed.is_set():
                return
            if time.monotonic() > deadline:
                what = "messages were dropped: too many came at once"
                self._post(self, Trouble(what))
                return
        payload = bytes(message.payload[: PAYLOAD_MAXIMUM + 1])
        self._post(self, Came(topic, payload, message.retain))
