"""A shuffler with two compartments that recognises its cards, at a whole table: each deck's own."""

import json
from itertools import pairwise
from pathlib import Path

from tests.system.stage import Stage

ROUNDS = 4
# The second deck has a card twice when it is put in for the first time; later a deck loses a card.
FAULTS = "duplicate_card/shuffler#2,missing_card/shuffler#4"


def test_two_decks_alternate_and_the_spoilt_one_goes(tmp_path: Path) -> None:
    options = {"shuffler": {"compartments": 2, "sees": "cards"}}
    with Stage(tmp_path, 17, FAULTS, options=options) as stage:
        stage.play(ROUNDS)
        stage.room.rest()
        log = stage.room.rack.log
        struck = {entry.get("kind") for entry in log.faults()}
        spoilt = {entry.get("deck") for entry in log.of("card lost")}
    events = [json.loads(body) for _, body in sorted(stage.stored().items())]
    assert struck == {"duplicate_card", "missing_card"}

    shuffled = [e["data"] for e in events if e["type"] == "tablectl.deck.shuffled"]
    assert {each["compartment"] for each in shuffled} == {1, 2}
    latched = [e["data"] for e in events if e["type"] == "tablectl.deck.latched"]
    assert [(each["count"], each["distinct"]) for each in latched] == [(52, 51), (51, 51)]
    assert latched[1]["deck"] in spoilt
    assert "TCP 8.H(2)" in latched[0]["clauses"]
    # What counted right was dealt, what did not never was.
    dealt = {e["data"]["deck"] for e in events if e["type"] == "tablectl.round.opened"}
    assert latched[0]["deck"] not in dealt
    opened = [e["data"]["deck"] for e in events if e["type"] == "tablectl.round.opened"]
    single = any(e["data"].get("action") == "single_deck" for e in events)
    assert single or all(one != two for one, two in pairwise(opened))
    refused = [e["data"]["what"] for e in events if e["type"] == "tablectl.device.refused"]
    assert not [what for what in refused if "did not see begin" in what]
