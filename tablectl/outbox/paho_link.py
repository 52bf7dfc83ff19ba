"""A connection to a broker through paho: the only module that imports it.

paho reads and writes when the outbox's thread lets it, in bulk, and has no thread of its own. A
connection that ends is thrown away with its client, so that paho never sends anything again by
itself: what goes out again, and in which order, is decided in one place, the engine.
"""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from tablectl.outbox.broker import BadBroker, Broker
from tablectl.outbox.commands import PAYLOAD_MAXIMUM
from tablectl.outbox.link import LinkLost
from tablectl.outbox.reports import Trouble
from tablectl.outbox.sockets import BulkSocket
from tablectl.outbox.topics import QOS, Message

KEEPALIVE_S: Final = 10  # a silent broker is noticed within twice this
CONNECT_S: Final = 3.0  # TCP and TLS; the owner may be stopping


@dataclass(frozen=True, slots=True)
class Accepted:
    """The broker took us in."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The connection is over: the last news of it."""

    why: str


@dataclass(frozen=True, slots=True)
class Acked:
    """The broker has message `token`."""

    token: int


@dataclass(frozen=True, slots=True)
class Came:
    """A message for us."""

    topic: str
    payload: bytes
    retained: bool


News = Accepted | Ended | Acked | Came | Trouble


class _Client(mqtt.Client):
    """paho's client on a BulkSocket, for a sender who keeps account of its messages itself.

    paho would make seven objects for each message and its acknowledgement, half of them for MQTT 5,
    and the table would wait for that: all threads of a process share one interpreter.
    """

    bulk: BulkSocket | None = None

    def __init__(self, acked: Callable[[int], None], client_id: str) -> None:
        super().__init__(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=True,
            protocol=mqtt.MQTTv311,
            reconnect_on_failure=False,
        )
        self._acked = acked
        self._numbers: set[int] = set()  # in flight

    def post(self, message: Message) -> tuple[MQTTErrorCode, int]:
        """As `publish`, with QoS 1; the broker's acknowledgement goes to `acked`."""
        number = self._mid_generate()
        while number in self._numbers:
            number = self._mid_generate()
        self._numbers.add(number)
        topic = message.topic.encode()
        return self._send_publish(number, topic, message.payload, QOS, message.retain), number

    def _handle_pubackcomp(self, cmd: str) -> MQTTErrorCode:
        number = int.from_bytes(self._in_packet["packet"][:2])
        if cmd == "PUBACK" and number in self._numbers:
            self._numbers.remove(number)
            self._acked(number)
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def _create_socket(self) -> Any:
        opened: Any = super()._create_socket()
        # Without Nagle's wait: a window's last small packets would otherwise take 40 ms.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bulk = BulkSocket(opened)
        return self.bulk


class PahoLink:
    """One connection, used by one thread. Nothing but `open` and an orderly `close` waits."""

    def __init__(self, broker: Broker, client_id: str, will: Message | None) -> None:
        self._broker = broker
        self._news: list[News] = []
        self._why: str | None = None
        client = self._client = _Client(lambda number: self._news.append(Acked(number)), client_id)
        client.connect_timeout = CONNECT_S
        if will is not None:
            client.will_set(will.topic, will.payload, QOS, will.retain)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.on_socket_register_write = lambda *_: None  # paho then leaves writing to `flush`

    def open(self) -> None:
        """Connect, which may take a while; raises LinkLost."""
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

    @property
    def socket(self) -> BulkSocket:
        """To wait for it. Only after `open`."""
        assert self._client.bulk is not None
        return self._client.bulk

    def read(self) -> list[News]:
        """What came since, without waiting; `Ended` is the last news of a connection."""
        client = self._client
        try:
            code = client.loop_read()
            while code == MQTTErrorCode.MQTT_ERR_SUCCESS and client.socket() and self.socket.unread:
                code = client.loop_read()
            if code == MQTTErrorCode.MQTT_ERR_SUCCESS:
                code = client.loop_misc()
        except Exception as error:  # noqa: BLE001  a broker that sends nonsense, whatever it is
            self._why = self._is_gone(f"what it sent made no sense ({type(error).__name__})")
            code = MQTTErrorCode.MQTT_ERR_PROTOCOL
        news, self._news = self._news, []
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS or client.socket() is None:
            news.append(Ended(self._why or self._is_gone("the connection ended")))
        return news

    def flush(self) -> None:
        """Write what was published, as far as the network takes it; raises LinkLost."""
        self._heeded(self._client.loop_write())
        try:
            self.socket.flush()
        except OSError as error:
            raise LinkLost(self._is_gone(error.strerror or str(error))) from None

    def publish(self, message: Message) -> int:
        """Take a message for `flush`; its number. Raises LinkLost."""
        code, number = self._client.post(message)
        self._heeded(code)
        return number

    def subscribe(self, filters: Sequence[str]) -> None:
        """Ask for topics; raises LinkLost."""
        self._heeded(self._client.subscribe([(one, QOS) for one in filters])[0])

    def unsubscribe(self, filters: Sequence[str]) -> None:
        """Ask for topics no more; raises LinkLost."""
        self._heeded(self._client.unsubscribe(list(filters))[0])

    def close(self, *, orderly: bool) -> None:
        """End it. Orderly: the broker is told, and the will stays unread."""
        opened = self._client.bulk
        if opened is None:
            return
        if orderly and self._client.socket() is not None:
            self._client.on_socket_close = lambda *_: opened.finish()
            self._client.disconnect()
            self._client.loop_write()
        opened.close()

    def _heeded(self, code: MQTTErrorCode) -> None:
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLost(self._why or self._is_gone("the connection broke"))

    def _is_gone(self, why: str) -> str:
        return f"the broker at {self._broker.name} is gone: {why}"

    # ── what paho tells, while it reads ────────────────────────────────────
    def _on_connect(self, _client: Any, _data: Any, _flags: Any, code: Any, _more: Any) -> None:
        if code.is_failure:
            self._why = f"the broker at {self._broker.name} refuses us: {str(code).lower()}"
        else:
            self._news.append(Accepted())

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, code: Any, _more: Any) -> None:
        if self._why is None and code.is_failure:
            self._why = self._is_gone(str(code).lower())

    def _on_subscribe(self, _client: Any, _data: Any, _mid: int, codes: Any, _more: Any) -> None:
        if any(code.is_failure for code in codes):
            what = "the broker does not let us read our own topics: commands cannot come in"
            self._news.append(Trouble(what))

    def _on_message(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        payload = bytes(message.payload[: PAYLOAD_MAXIMUM + 1])
        self._news.append(Came(topic, payload, message.retain))
