"""Whether a broker lets us in: connect, prove who we are, leave. Nothing is published.

The name is one of our own: a table's client name would throw the running daemon out.
"""

import secrets
import select
import time
from typing import Final

from tablectl.outbox.broker import Broker
from tablectl.outbox.link import LinkLost
from tablectl.outbox.paho_link import Accepted, Ended, PahoLink

ACCEPT_S: Final = 5.0


def round_trip_s(broker: Broker) -> float:
    """From the request to be let in to the answer. Blocks for some seconds; raises LinkLost."""
    link = PahoLink(broker, f"tablectl-doctor-{secrets.token_hex(4)}", None)
    try:
        link.open()
        begun = time.monotonic()
        link.flush()
        _accepted(broker, link, begun + ACCEPT_S)
        return time.monotonic() - begun
    finally:
        link.close(orderly=True)


def _accepted(broker: Broker, link: PahoLink, end: float) -> None:
    poll = select.poll()
    poll.register(link.socket, select.POLLIN)
    while (left_s := end - time.monotonic()) > 0:
        poll.poll(left_s * 1000)
        for news in link.read():
            if isinstance(news, Accepted):
                return
            if isinstance(news, Ended):
                raise LinkLost(news.why)
    raise LinkLost(f"the broker at {broker.name} does not answer")
