"""A busy pit around one daemon: `python -m tests.bench.load PORT ACTOR SESSION`, until it is ended.

Bounded: a fixed number of requests a second and of readers, far above what a table sees. Accepted
actions are durable records, MQTT messages and events for every reader; log_on and log_off move no
round. Prints one line when everybody is at work, and a count of what was answered at its end.
"""

import json
import signal
import sys
import threading
import time
from collections import Counter
from typing import Any, Final

from tests.bench.box import Http

READERS: Final = 4  # of GET /api/events
# A second each. A refusal is counted by the journal, and recorded when its window ends.
RATES: Final = {"accepted": 40, "refused": 40, "state": 20}


class Pit:
    """Everybody who wants something of the daemon at the same time."""

    def __init__(self, port: int, actor: str, session: str) -> None:
        self.port, self.actor, self.session = port, actor, session
        self.answers: Counter[str] = Counter()
        self.over = threading.Event()

    def run(self) -> None:
        work = [threading.Thread(target=self.read, daemon=True) for _ in range(READERS)]
        work += [threading.Thread(target=self.ask, args=(what,), daemon=True) for what in RATES]
        for each in work:
            each.start()
        time.sleep(0.5)
        print("at work", flush=True)
        self.over.wait()
        print(json.dumps(self.answers), flush=True)

    def ask(self, what: str) -> None:
        """A client that asks at its rate, and catches up with nothing that it missed."""
        http = Http(self.port)
        http.sessions["any"] = self.session
        turn = 0
        while not self.over.wait(1 / RATES[what]):
            turn += 1
            status = self.one(http, what, turn)[0]
            self.answers[f"{what} {status}"] += 1

    def one(self, http: Http, what: str, turn: int) -> tuple[int, Any]:
        if what == "state":
            return http.ask("GET", "/api/state")
        action = "open_table" if what == "refused" else ("log_on", "log_off")[turn % 2]
        return http.act(self.actor, "any", action)

    def read(self) -> None:
        """A dashboard that follows every event from now on."""
        now = Http(self.port)
        after = now.state()["sequence"]
        stream = now.open(f"/api/events?after={after}")
        while not self.over.is_set() and (line := stream.readline()):
            self.answers["events"] += line.startswith(b"data: ")


def main(port: str, actor: str, session: str) -> None:
    pit = Pit(int(port), actor, session)
    signal.signal(signal.SIGTERM, lambda *_: pit.over.set())
    pit.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
