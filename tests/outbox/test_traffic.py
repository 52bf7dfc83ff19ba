"""The real table, everything that leaves it, read by somebody curious: nothing before its time."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.chain import Published
from tablectl.journal.opening import open_journal
from tablectl.journal.wiring import Outlets
from tablectl.outbox.broker import Broker
from tablectl.outbox.publisher import Publisher
from tablectl.table.inputs import DeviceEvent, Restart
from tests.outbox.fakes import ROOT
from tests.outbox.mosquitto import Mosquitto, Watcher, until
from tests.outbox.stream_verifier import Reader
from tests.table.sessions import Session

CARD = re.compile(r'"[A23456789TJQK][CDHS]"')


@pytest.mark.parametrize("n", range(2))
def test_nothing_leaves_before_its_time(
    tmp_path: Path, broker: Mosquitto, watcher: Watcher, n: int
) -> None:
    pit = Session(random.Random(f"traffic {n}")).run(900).pit

    def offer(event: Published) -> None:
        publisher.offer(event)

    outlets = Outlets(publish=offer)
    recorder = open_journal(tmp_path, site="harbor", table="tcp-12", outlets=outlets)
    publisher = Publisher(
        Broker.at(f"mqtt://127.0.0.1:{broker.port}"), recorder.identity, tmp_path, durable=0
    )
    publisher.start()
    for number, given in enumerate(pit.inputs):
        if number and isinstance(given, Restart):
            continue  # one life of the recorder is enough here
        recorder.submit(given)
        publisher.show(recorder.state)
        recorder.release()
        if number % 50 == 0:  # so that states of all kinds leave, not only the last
            recorder.wait_durable(recorder.head.sequence, 10)
            until(lambda: publisher.connected and publisher.backlog == 0, "it keeps up")
    assert recorder.close()
    assert publisher.stop(10)
    last = recorder.head.sequence
    until(lambda: len(watcher.heard("/event/")) >= last, "all has come")
    look(watcher, pit.inputs)
    reader = Reader()
    for heard in watcher.heard("/event/"):
        reader.take(heard.payload)
    assert (reader.last, reader.head) == (last, recorder.head.hash)
    assert reader.order == list(range(1, last + 1))


def look(watcher: Watcher, inputs: list[Any]) -> None:
    """No salt but in the event that reveals its card; no card in a state but one told before."""
    salts = {card.salt for one in inputs if isinstance(one, DeviceEvent) for card in one.cards}
    events = [json.loads(heard.payload) for heard in watcher.heard("/event/")]
    told_at: dict[str, int] = {}
    for event in events:
        for card in CARD.findall(json.dumps(event["data"])):
            told_at.setdefault(card, event["sequence"])
    states = 0
    for heard in watcher.heard():
        text = heard.payload.decode()
        if not heard.topic.startswith(ROOT + "event/card/"):
            assert not any(salt in text for salt in salts), heard.topic
        if heard.topic == ROOT + "state":
            states += 1
            sequence = json.loads(text)["sequence"]
            assert all(told_at[card] <= sequence for card in CARD.findall(text))
    assert states > 3
    for event in events:
        if event["type"] == "tablectl.card.dealt":
            assert not CARD.search(json.dumps(event["data"]))
