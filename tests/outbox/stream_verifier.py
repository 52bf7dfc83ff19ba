"""A reader who checks the stream alone: no code of tablectl, only docs/integrators/mqtt.md."""

import hashlib
import json


def canon(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Reader:
    """Feed it every message of event/# and replay/#; it keeps what is proved, and names gaps."""

    def __init__(self):
        self.head = "0" * 64  # hash of the last event that is proved
        self.last = 0
        self.ahead = {}  # sequence -> payload, behind a gap
        self.order = []  # sequences in the order in which they were new

    def take(self, payload):
        event = json.loads(payload)
        number = event["sequence"]
        if number <= self.last or number in self.ahead:
            return  # a repeat
        self.order.append(number)
        self.ahead[number] = payload
        while self.last + 1 in self.ahead:
            self.prove(self.ahead.pop(self.last + 1))

    def prove(self, payload):
        event = json.loads(payload)
        assert canon(event).encode() == payload, "not canonical"
        own = event.pop("hash")
        assert event["prevhash"] == self.head, f"event {event['sequence']} hangs in the air"
        text = bytes.fromhex(self.head) + canon(event).encode()
        assert hashlib.sha256(text).hexdigest() == own, f"event {event['sequence']} was changed"
        assert event["id"].endswith(f"/{event['sequence']}")
        self.head, self.last = own, event["sequence"]

    def gap(self):
        """First and last sequence that are missing, None where nothing is."""
        return (self.last + 1, min(self.ahead) - 1) if self.ahead else None
