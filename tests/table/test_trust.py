"""Who a device says it is: refused with its basis, compared with who stood there before."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.setup import DeviceSetup
from tests.table.by_hand import BACCARAT
from tests.table.pit import DEVICES, Pit, fill, setup

SHOE: dict[str, Any] = {
    "serial": "SH-1", "model": "Shoe", "boot": "aa", "versions": {"CardRec": "4.0.018"},
    "game_mode": "TCP", "path": "1-2",
}  # fmt: skip
WASHINGTON = {
    **BACCARAT, "jurisdiction": "WA", "tie": "A", "dragon_three_face": "ten_against_zero",
}  # fmt: skip


def told(pit: Pit, **changes: Any) -> list[str]:
    """The shoe comes online as this; the events that follow."""
    before = pit.state.sequence
    pit.device("shoe", "online", dispensed=pit.state.device("shoe").dispensed,
               identity={**SHOE, **changes})  # fmt: skip
    return pit.types(before)


def alarms(pit: Pit) -> set[str]:
    return {alarm.kind for alarm in pit.state.alarms}


def known() -> Pit:
    pit = fill("preparing")
    assert told(pit) == ["device.online"]
    return pit


def test_who_is_online_is_recorded():
    pit = known()
    assert pit.last("device.online").data["identity"] == SHOE
    assert alarms(pit) == set()
    assert told(pit) == ["device.online"], "the same one again is no news"


def test_a_device_that_says_nothing_of_itself_is_online_as_before():
    pit = fill("preparing")
    before = pit.state.sequence
    pit.device("shoe", "online", dispensed=0)
    assert pit.types(before) == ["device.online"]
    assert "identity" not in pit.last("device.online").data


@pytest.mark.parametrize(
    ("changes", "types", "alarm", "words"),
    [
        ({"serial": "SH-2"}, {"device.swapped"}, "device_swapped", "Shoe SH-2, before Shoe SH-1"),
        ({"model": "Other"}, {"device.swapped"}, "device_swapped", "Other SH-1, before Shoe SH-1"),
        ({"path": "1-3"}, {"device.swapped"}, "device_swapped", "USB plug 1-3, before 1-2"),
        ({"path": ""}, {"device.swapped"}, "device_swapped", "USB plug ?, before 1-2"),
        (
            {"versions": {"CardRec": "4.0.019"}}, {"device.changed"}, "device_changed",
            "CardRec 4.0.019, before 4.0.018",
        ),
        (
            {"versions": {}}, {"device.changed"}, "device_changed",
            "CardRec gone, before 4.0.018",
        ),
        ({"game_mode": "TCB"}, {"device.changed"}, "device_changed", "game TCB, before TCP"),
        ({"boot": "bb"}, {"device.restarted"}, "device_restarted", "restarted by itself"),
        (
            {"serial": "SH-2", "boot": "bb", "versions": {}}, {"device.swapped"},
            "device_swapped", "another one answers",
        ),
    ],
)  # fmt: skip
def test_what_nothing_pins_is_noticed(changes, types, alarm, words):
    pit = known()
    news = set(told(pit, **changes)) - {"device.online", "alarm.raised"}
    assert news == types
    [raised] = [each for each in pit.state.alarms if each.kind == alarm]
    assert words in raised.what
    for type_ in types:
        assert pit.last(type_).data["clauses"] == []
        assert pit.last(type_).data["basis"] == ["house procedure"]
    pit.do("acknowledge_alarm", id=raised.id)
    assert alarms(pit) == set(), "acknowledged, it is over"
    assert set(told(pit, **changes)) == {"device.online"}, "and it is who is known now"


def test_a_device_that_is_let_in_serves_on():
    """What nothing pins is told, not stopped: the round goes on."""
    pit = fill("betting")
    told(pit)
    pit.device("shoe", "offline", what="it restarted")
    told(pit, boot="bb")
    assert pit.state.device("shoe").health == "online"
    pit.lock().deal().decide().settle()


# ── restarts that are no news ──
def test_a_restart_while_the_table_is_closed_raises_no_alarm():
    pit = fill("closed")
    told(pit)
    assert "device.restarted" in told(pit, boot="bb")
    assert alarms(pit) == set()


def test_a_restart_together_with_the_box_is_the_power_s():
    pit = known()
    pit.restart()
    assert set(told(pit, boot="bb")) == {"device.online"}
    assert "device_restarted" not in alarms(pit)


def test_another_device_after_a_restart_of_the_box_is_noticed_all_the_same():
    pit = known()
    pit.restart()
    assert "device.swapped" in told(pit, serial="SH-2", boot="bb")
    assert "device_swapped" in alarms(pit)


def test_a_restart_in_a_technician_s_hands_raises_no_alarm():
    pit = known()
    pit.device("shoe", "fault", what="motor")
    pit.do("mark_out_of_order", "dealer", device="shoe")
    told(pit, boot="bb")
    assert "device_restarted" not in alarms(pit)
    pit.do("return_to_service", "technician", device="shoe")
    told(pit, boot="cc")
    assert "device_restarted" in alarms(pit)


# ── refused ──
def refuse(pit: Pit, reason: str, what: str = "it is not the one", **identity: Any) -> list[str]:
    before = pit.state.sequence
    pit.device("shoe", "offline", what=what, refused=reason, identity={**SHOE, **identity})
    return pit.types(before)


def test_a_refused_device_is_recorded_and_may_not_serve():
    pit = known()
    refuse(pit, "version", "it has CardRec 3.0, and at least 4.0.018 is required",
           versions={"CardRec": "3.0"})  # fmt: skip
    event = pit.last("device.refused")
    assert event.data["reason"] == "version"
    assert event.data["identity"]["versions"] == {"CardRec": "3.0"}
    assert pit.state.device("shoe").health == "offline"
    [alarm] = pit.state.alarms
    assert (alarm.kind, alarm.severity) == ("device_refused", "critical")
    assert "at least 4.0.018" in alarm.what
    pit.do("load_shoe", "dealer")
    assert "is offline" in pit.refused("open_bets").why


def test_the_right_one_ends_it():
    pit = known()
    refuse(pit, "serial", serial="SH-9")
    news = told(pit)
    assert set(news) == {"device.online", "alarm.cleared"}
    assert alarms(pit) == set(), "who was refused is not remembered as who stood there"


@pytest.mark.parametrize("reason", ["serial", "model", "path", "kind"])
def test_another_device_that_is_refused_is_a_swap(reason):
    pit = known()
    refuse(pit, reason, serial="SH-9")
    swapped = pit.last("device.swapped").data
    assert swapped["before"] == SHOE
    assert swapped["now"]["serial"] == "SH-9"
    assert alarms(pit) == {"device_refused"}, "one alarm for one thing"


@pytest.mark.parametrize("reason", ["version", "game_mode", "proof", "simulator", "protocol"])
def test_a_device_that_is_not_as_it_must_be_is_no_swap(reason):
    pit = known()
    assert "device.swapped" not in refuse(pit, reason)


def test_the_last_reason_is_the_one_to_act_on():
    pit = known()
    refuse(pit, "version", "too old")
    refuse(pit, "game_mode", "another game")
    [alarm] = pit.state.alarms
    assert alarm.what == "shoe: another game"


@pytest.mark.parametrize(
    ("rules", "reason", "clauses", "basis"),
    [
        (WASHINGTON, "version", ["WA-TCB R4"], None),
        (WASHINGTON, "game_mode", [], ["house procedure"]),
        (WASHINGTON, "serial", [], ["house procedure"]),
        (BACCARAT, "version", [], ["house procedure"]),
        (None, "version", [], ["house procedure"]),
    ],
)
def test_r4_washington_names_the_versions(rules, reason, clauses, basis):
    """WA-TCB R4: three least versions; what else is pinned is the house's own care."""
    pit = Pit(setup=setup(parse_rules(rules))) if rules else Pit()
    pit.start()
    pit.devices_tell()
    refuse(pit, reason)
    data = pit.last("device.refused").data
    assert data["clauses"] == clauses
    assert data.get("basis") == basis
    assert pit.last("alarm.raised").data["clauses"] == clauses


def test_a_refused_device_may_be_put_out_of_order():
    pit = known()
    refuse(pit, "version")
    pit.do("mark_out_of_order", "dealer", device="shoe")
    assert alarms(pit) == {"out_of_order"}


@pytest.mark.parametrize(
    "strange",
    [
        "SH-1",
        7,
        [],
        {"serial": 7, "versions": 3},
        {"versions": {"A": 1, "B": None}},
        {"versions": {f"V{n}": "x" * 500 for n in range(99)}, "serial": "S" * 500},
        {},
    ],
)
def test_whatever_an_identity_is_it_breaks_nothing_and_is_bounded(strange):
    pit = fill("preparing")
    pit.device("shoe", "online", dispensed=0, identity=strange)
    pit.device("shoe", "offline", what="x", refused="version", identity=strange)
    assert pit.state.halt is None
    now = pit.state.device("shoe").known
    assert now is None or (len(now.serial) <= 80 and len(now.versions) <= 16)


# ── badges ──
def with_reader() -> Pit:
    pit = Pit(setup=setup(devices=(*DEVICES, DeviceSetup("reader", "badge_reader"))))
    pit.start()
    pit.devices_tell()
    return pit


@pytest.mark.parametrize(
    ("args", "type_", "alarm"),
    [
        ({"outcome": "known", "actor": "ana"}, "device.badge", set()),
        ({"outcome": "unknown"}, "device.badge", set()),
        ({"outcome": "locked_out"}, "device.badge", {"badges_refused"}),
        ({}, "device.refused", set()),
        ({"outcome": "known"}, "device.refused", set()),
        ({"outcome": "known", "actor": 7}, "device.refused", set()),
    ],
)
def test_what_was_made_of_a_badge_is_recorded(args, type_, alarm):
    pit = with_reader()
    pit.device("reader", "badge", **args)
    assert type_ in pit.types()
    assert alarms(pit) == alarm


def test_no_round_waits_for_a_badge_reader():
    pit = with_reader()
    pit.device("reader", "offline", what="cable")
    pit.opened("red").betting()
    assert pit.state.phase == "betting"
