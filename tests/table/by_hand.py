"""Tables without an automated shoe: poker and baccarat from a manual shoe or from the hand."""

from typing import Any

from tablectl.cards import DECK
from tablectl.games.rules import parse_rules
from tablectl.table.setup import DeviceSetup
from tests.table.pit import Pit, setup

POKER = {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D"}
BACCARAT = {"game": "three_card_baccarat", "three_kings": "A", "tie": "A", "dragon": True}
READER = DeviceSetup("shoe", "shoe")
SHUFFLER = DeviceSetup("shuffler", "shuffler")


def pit(*devices: DeviceSetup, **rules: Any) -> Pit:
    """A pit with these devices; poker from a manual shoe unless the rules say otherwise."""
    base = BACCARAT if rules.pop("baccarat", False) else POKER
    parsed = parse_rules({"dealing": "manual_shoe", **base, **rules})
    return Pit(setup=setup(parsed, devices=devices, limits=()))


def open_by_hand(table: Pit, deck: str = "red") -> Pit:
    """Opened, the deck inspected, washed, shuffled by hand, cut and loaded."""
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": deck, "back": deck}])
    return ready_by_hand(table, deck)


def ready_by_hand(table: Pit, deck: str = "red") -> Pit:
    table.do("inspect_cards", "dealer")
    table.do("verify_inspection")
    table.do("spread_cards", "dealer")
    table.do("player_inspected", "dealer", viewed=False)
    table.do("wash_cards", "dealer")
    return shuffle_cut_load(table)


def shuffle_cut_load(table: Pit) -> Pit:
    table.do("shuffle_done", "dealer")
    table.do("cut_cards", "dealer")
    table.do("load_shoe", "dealer")
    return table


def locked(table: Pit, *seats: int, **stakes: int) -> Pit:
    """Bets opened, each seat with its wagers, locked."""
    table.do("open_bets", "dealer")
    for seat in seats or (1, 3):
        table.wager(seat, **(stakes or {"ante": 1000}))
    return table.lock()


def enter_all(table: Pit, cards: dict[str, str] | None = None) -> Pit:
    """Enter every card that is asked for, as the prompts come; the rest of the deck in order."""
    given = cards or {}
    rest = [card for card in DECK if card not in given.values()]
    while table.state.phase == "settling":
        asked = [c.place for c in table.state.round.cards if c.up and c.card is None]
        if asked:
            card = given.get(asked[0]) or rest.pop()
            table.do("enter_card", "dealer", place=asked[0], card=card)
        else:
            table.do("confirm_payment", "dealer", seat=table.state.round.turns[0])
    return table


def unseen_round(table: Pit, cards: dict[str, str] | None = None) -> Pit:
    """One whole round at a table whose cards nobody reports; the stub counted where it is due."""
    locked(table)
    if "count_stub" in table.tick(1).prompts[0].awaits:
        table.do("count_stub", "dealer", cards=52 - len(table.state.round.plan))
    if table.state.setup.rules.game == "three_card_poker":
        for seat in (1, 3):
            table.do("play", "dealer", seat=seat)
    table.do("reveal_dealer", "dealer")
    enter_all(table, cards)
    table.do("clear_round", "dealer")
    return table
