"""The simulated reading shoes: the page's bytes, a dealer by the rules, faults as planned."""

import json
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from hwsim.angel_eye.wire import AngelEyeWire
from hwsim.baccarat import BaccaratShoe, Happening, points
from hwsim.bee_tek.wire import BeeTekWire
from hwsim.faults import BadFault, FaultPlan, parse_faults
from hwsim.log import Log
from hwsim.rack import BadRack, Rack, place
from hwsim.reader import ReaderUnit
from hwsim.scenario import load
from tablectl.cards import DECK, parse_card
from tablectl.settle import settle_lines

PAGES = Path(__file__).parents[2] / "docs/integrators"
NS = 1_000_000_000


def block(page: str, name: str) -> list[str]:
    text = (PAGES / f"{page}.md").read_text()
    found = re.search(rf"^```{name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1].splitlines()


def card(target: str, index: int, text: str | None, name: str = "card") -> Happening:
    return Happening(name, target=target, index=index, card=parse_card(text) if text else None)


# ── Angel Eye's bytes ──────────────────────────────────────────────────────
def test_the_reports_of_the_page():
    wire = AngelEyeWire()
    told = [
        Happening("started"),
        Happening("standby"),
        card("first", 1, "8S"),
        card("burn", 1, None),
        card("player", 1, "AD"),
        card("banker", 1, "KH"),
        card("banker", 3, "TC"),
        card("banker", 3, "TC", "again"),
        None,  # d: this shoe is never drawn from outside a game
        Happening("result", winner="banker", pairs=(True, True)),
        Happening("cover_card"),
        Happening("error", code=2),
        Happening("error_over", code=2),
        Happening("locked"),
    ]
    lines = [bytes.fromhex(line.partition("#")[0]) for line in block("angel-eye", "reports")]
    for happening, line in zip(told, lines, strict=False):
        if happening is None:
            wire.seq += 1
        else:
            assert wire.report(happening) == line


def test_the_commands_of_the_page_are_answered():
    on, printed, off, clear, progress = (
        bytes.fromhex(line.partition("#")[0]) for line in block("angel-eye", "commands")
    )
    wire = AngelEyeWire()
    assert wire.receive(on[:4]) == b""
    answer = wire.receive(on[4:] + clear)
    assert answer.startswith(b"\x06\x050L\x81\x03")
    assert answer.endswith(b"\x06")
    assert wire.receive(printed) == b"\x15\x02"
    assert wire.receive(off + progress).endswith(b"\x06")
    assert wire.ordered == ["LK02", "EC02", "LK01", "GP00"]
    assert AngelEyeWire(example=False).receive(printed).startswith(b"\x06")


# ── Bee-Tek's lines ────────────────────────────────────────────────────────
def test_the_lines_of_the_page():
    wire = BeeTekWire()
    lines = {line.partition("->")[0].rstrip() for line in block("bee-tek", "lines")}
    for happening in (
        card("player", 1, "4S"),
        card("banker", 2, "TH"),
        card("burn", 1, "KC"),
        card("player", 3, None),
        Happening("error", code=3),
    ):
        line = wire.report(happening)
        assert line.endswith(b"\r\n")
        assert line[:-2].decode() in lines
    assert BeeTekWire(ten="T").report(card("player", 1, "TH")) == b"[Game]<Card:TH>\r\n"
    assert wire.report(Happening("standby")) == b""


# ── the dealer ─────────────────────────────────────────────────────────────
def shoe(seed: int, faults: str = "", **options: int) -> BaccaratShoe:
    plan = FaultPlan(parse_faults(faults), Log(seed))
    return BaccaratShoe("shoe", random.Random(seed), plan, **options)


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_shoe_is_dealt_by_the_rules(seed):
    model = shoe(seed)
    told = list(model.play())
    names = [each.name for each in told]
    assert names[:3] == ["started", "standby", "card"]
    assert names.count("cover_card") == 1
    assert 60 < len(model.rounds) < 100
    # After the cover card: the hand that it came in, and one more.
    after = names[names.index("cover_card") :]
    assert after.count("result") == 2
    cards = [each.card for each in told if each.name == "card"]
    assert not Counter(cards) - Counter(DECK * 8)
    first = told[2].card
    assert first is not None
    burned = sum(each.target == "burn" for each in told)
    assert burned == (10 if first[0] in "TJQK" else 1 if first[0] == "A" else int(first[0]))


@pytest.mark.parametrize("seed", range(3))
def test_its_rounds_are_those_that_settle_takes(seed):
    """Our own settlement refuses a third card that must not be there, or one that is missing."""
    model = shoe(seed, shoes=3)
    list(model.play())
    lines = [
        json.dumps(
            {
                "id": hand.number,
                "game": "midi_baccarat",
                "rules": {"game": "midi_baccarat"},
                "player": hand.player,
                "banker": hand.banker,
                "seats": [{"seat": 1, "wagers": {"player": 10_000}}],
            }
        )
        for hand in model.rounds
    ]
    for hand, text in zip(model.rounds, settle_lines(lines), strict=True):
        [line] = json.loads(text)["seats"][0]["lines"]
        expected = {"player": "win", "banker": "lose", "tie": "push"}[hand.winner]
        assert line["outcome"] == expected, (seed, hand)


def test_the_same_seed_deals_the_same_shoe():
    assert list(shoe(4).play()) == list(shoe(4).play())
    assert list(shoe(4).play()) != list(shoe(5).play())


def test_what_goes_wrong_is_told_as_planned():
    model = shoe(1, "misread#3,missing_card#9,overdraw#5,wrong_result#2,repeat#4")
    told = list(model.play())
    assert [each.name for each in told if each.name.startswith("error")] == ["error", "error_over"]
    assert sum(each.lost for each in told) == sum(hand.lost for hand in model.rounds) == 1
    assert sum(hand.unread for hand in model.rounds) == 1
    lies = [hand for hand in model.rounds if hand.told != hand.winner]
    assert [hand.number for hand in lies] == [2]
    assert [each.name for each in told].count("again") == 1
    assert all(points(hand.player) < 10 for hand in model.rounds)


# ── on the line ────────────────────────────────────────────────────────────
def run(unit: ReaderUnit, seconds: int = 40_000) -> bytes:
    """Everything that it sends; a dropped connection comes back at once."""
    out = b""
    for _ in range(seconds):
        unit.advance(NS)
        out += unit.take()
        if unit.hang_up:
            unit.hang_up = False
            unit.disconnected()
            assert unit.model_due_ns() is None  # the dealer waits
            unit.connected()
        if unit.finished and unit.model_due_ns() is None:
            return out
    raise AssertionError("it did not end")


def unit(seed: int, faults: str = "") -> ReaderUnit:
    made = ReaderUnit(
        shoe(seed, faults), AngelEyeWire(), random.Random(seed), sees_connections=True
    )
    assert made.model_due_ns() is None
    made.connected()
    return made


def reports(data: bytes) -> list[bytes]:
    """Every report whose check is right, copies dropped."""
    found: list[bytes] = []
    for piece in data.split(b"\x05"):
        at = piece.find(b"\x03")
        total = 0
        for byte in piece[: at + 1]:
            total ^= byte
        if at >= 2 and piece[at + 1 : at + 3] == b"%02X" % total:
            frame = piece[: at + 3]
            if not found or found[-1] != frame:
                found.append(frame)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_noise_copies_and_drops_change_no_report(seed):
    clean = reports(run(unit(seed)))
    troubled = unit(seed, "garbage%30,loss%20,disconnect%2")
    assert reports(run(troubled)) == clean
    assert troubled.connections > 5
    numbers = [int(frame[:1]) for frame in clean]
    assert numbers == [at % 10 for at in range(len(numbers))]


def test_a_lost_card_leaves_a_gap_in_the_numbers():
    numbers = [int(frame[:1]) for frame in reports(run(unit(2, "missing_card#7")))]
    steps = Counter((b - a) % 10 for a, b in pairwise(numbers))
    assert steps[2] == 1
    assert set(steps) == {1, 2}


# ── racks and scenarios ────────────────────────────────────────────────────
def test_a_port_may_be_named():
    assert place("angel_eye=shoe:4001").tcp_port == 4001
    for wrong in ("angel_eye:0", "angel_eye:x", "angel_eye:99999"):
        with pytest.raises(BadRack, match="no TCP port"):
            place(wrong)


def test_a_fault_that_its_wire_cannot_have_is_refused():
    with pytest.raises(BadFault, match="wrong_result cannot happen"):
        Rack([place("bee_tek")], faults=parse_faults("wrong_result"))


def test_a_scenario_is_a_rack(tmp_path):
    file = tmp_path / "scenario.toml"
    file.write_text(
        'seed = 3\nspeed = "max"\nport = "tcp"\nfaults = ["garbage%5"]\n'
        '[devices.shoe]\nkind = "angel_eye"\noptions = { decks = 6, shoes = 2 }\n'
        '[devices.button]\nkind = "button"\n'
    )
    rack = load(file)
    assert (rack.seed, rack.speed) == (3, None)
    model = rack.readers["shoe"].model
    assert isinstance(model, BaccaratShoe)
    assert model.decks == 6
    assert list(rack.units) == ["button"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("seed = [", "cannot be read as a scenario"),
        ("colour = 1", "no such key 'colour'"),
        ("seed = 'x'", "seed has a value of another sort"),
        ("seed = 1", "needs a table"),
        ("devices.shoe = 1", "devices.shoe: a table with kind"),
        ("devices.shoe.kind = 'toaster'", "'toaster' is no device"),
        ("devices.shoe.kind = 'angel_eye'\ndevices.shoe.options.x = 1", "x"),
        ("speed = 'fast'\ndevices.shoe.kind = 'shoe'", "neither a number nor max"),
        ("port = 'usb'\ndevices.shoe.kind = 'shoe'", '"pty" or "tcp"'),
        ("faults = ['bang']\ndevices.shoe.kind = 'shoe'", "'bang' is no fault"),
    ],
)
def test_a_bad_scenario_is_refused_in_a_sentence(tmp_path, text, why):
    file = tmp_path / "scenario.toml"
    file.write_text(text)
    with pytest.raises((BadRack, BadFault), match=why):
        load(file)


def test_a_scenario_that_is_not_there(tmp_path):
    with pytest.raises(BadRack, match="cannot be read"):
        load(tmp_path / "none.toml")
