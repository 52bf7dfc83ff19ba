"""What the demonstration shows: the table from outside, as its state and events tell it.

Drawn from the HTTP API alone, so that it can show nothing that is not public. Good in 80 columns.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tablectl.cards import dollars

State = Mapping[str, Any]
_SUITS = {"C": ("♣", "green"), "D": ("♦", "red"), "H": ("♥", "red"), "S": ("♠", "bright_white")}
_QUIET = ("action.done", "wager.placed", "card.dealt", "device.", "journal.", "person.", "duty.")
_STEPS = {
    "PENDING": "bold black on yellow",
    "VALIDATED": "bold white on blue",
    "PAID": "bold white on dark_green",
}
_WAGERS = {
    "ante": "ante", "play": "play", "pair_plus": "pair+", "progressive": "prog",
    "six_card_bonus": "six", "three_kings": "kings", "tie": "tie", "dragon": "dragon",
}  # fmt: skip


def picture(
    state: State, events: Iterable[Mapping[str, Any]], dealer: str, footer: str
) -> RenderableType:
    """The whole picture."""
    told = list(events)
    below = _below(state, _wins(state, told))
    return Group(_head(state), _seats(state), below, _events(told), _foot(dealer, footer))


def _head(state: State) -> RenderableType:
    number = state["round"]["number"] if state["round"] else "-"
    line = Text()
    line.append(" tablectl ", "bold white on dark_green")
    line.append(f"  round {number}  ", "bold")
    line.append(state["phase"].upper(), "bold yellow")
    line.append("   wagering ")
    line.append("LOCKED" if state["locked"] else "open", "bold red" if state["locked"] else "green")
    if state["halted"]:
        line.append("   HALTED", "bold white on red")
    for name, cents in state["meters"].items():
        line.append(f"   {name} ")
        line.append(dollars(cents), "bold cyan")
    return line


def _seats(state: State) -> RenderableType:
    table = Table(expand=True, box=None, pad_edge=False, header_style="dim")
    for name, width in (("seat", 6), ("cards", 12), ("decision", 9), ("wagers", None)):
        # The last one takes what is left: the others stand still, whatever there is to show.
        table.add_column(name, width=width, no_wrap=True, ratio=None if width else 1)
    for hand in ("dealer", "player", "banker"):
        if hand in state:
            table.add_row(hand, _cards(state[hand]["cards"]), "", "")
    seats = {seat["seat"]: seat for seat in state["seats"]}
    for number in range(1, 8) if "dealer" in state else ():
        seat = seats.get(number)
        if seat is None:
            table.add_row(Text(f"     {number}", "dim"), "", "", "")
            continue
        wagers = "  ".join(f"{_WAGERS[w]} {dollars(c)}" for w, c in seat["wagers"].items())
        decision = seat["decision"] or ""
        style = {"play": "green", "fold": "red"}.get(decision, "")
        table.add_row(f"     {number}", _cards(seat["cards"]), Text(decision, style), wagers)
    return Panel(table, border_style="dark_green", padding=(0, 1))


def _cards(cards: Iterable[Mapping[str, Any]]) -> Text:
    text = Text()
    for card in cards:
        face = card["card"]
        if face is None:
            text.append("▒▒ ", "blue")
        else:
            suit, colour = _SUITS[face[1]]
            text.append(f"{face[0]}{suit} ", f"bold {colour}")
    return text


def _wins(state: State, events: Iterable[Mapping[str, Any]]) -> Iterator[Text]:
    """What a progressive has won in this round, step by step: PENDING, VALIDATED, PAID."""
    won = [(win, win["status"]) for win in state["wins"]]
    number = state["round"]["number"] if state["round"] else None
    paid = [e["data"] for e in events if e["type"] == "tablectl.progressive.paid"]
    won += [(data, "PAID") for data in paid if data["round"] == number]
    for win, status in won:
        line = Text(f"★ seat {win['seat']} wins {dollars(win['cents'])}", "bold cyan")
        line.append(f" from meter {win['meter']} " if win["meter"] else " by odds ")
        line.append(f" {status} ", _STEPS[status])
        yield line


def _below(state: State, wins: Iterable[Text]) -> RenderableType:
    prompts = Text(no_wrap=True, overflow="ellipsis")
    for prompt in state["prompts"][:2]:
        prompts.append("▸ ", "yellow")
        prompts.append(f"{prompt['text']} ", "bold")
        prompts.append(", ".join(prompt["clauses"][:2]) + "\n", "dim")
    for win in wins:
        prompts.append_text(win).append("\n")
    for alarm in state["alarms"][:2]:
        prompts.append(f"! {alarm['what']}\n", "bold red")
    devices = Text(no_wrap=True, overflow="ellipsis")
    for name, device in state["devices"].items():
        style = "green" if device["health"] == "online" else "bold red"
        devices.append("● ", style)
        devices.append(f"{name} ")
    devices.append(" ")
    for deck in state["decks"]:
        devices.append(f" {deck['id']} {deck['custody']} ", f"white on {deck['back']}")
        devices.append(" ")
    prompts.append(devices)
    return prompts


def _events(events: Iterable[Mapping[str, Any]]) -> RenderableType:
    text = Text(no_wrap=True, overflow="ellipsis")
    told = [e for e in events if not e["type"].removeprefix("tablectl.").startswith(_QUIET)]
    for event in told[-6:]:
        text.append(f"{event['sequence']:>6} ", "dim")
        text.append(f"{event['type'].removeprefix('tablectl.'):<22} ", "cyan")
        text.append(_short(event["data"]))
        text.append(f"  {', '.join(event['data']['clauses'][:2])}\n", "dim")
    return Panel(text, title="events", title_align="left", border_style="dim", height=8)


def _short(data: Mapping[str, Any]) -> str:
    """The few words of an event that a glance takes in."""
    if "what" in data:
        return str(data["what"])[:60]
    if "winner" in data:
        player, banker = data["points"]["player"], data["points"]["banker"]
        who = "a tie at" if data["winner"] == "tie" else f"{data['winner']} wins"
        return f"{who} {max(player, banker)} to {min(player, banker)}"
    parts = [f"seat {data['seat']}"] if data.get("seat") else []
    parts += [str(data[key]) for key in ("place", "card", "wager", "outcome") if data.get(key)]
    if isinstance(data.get("returned"), int):
        parts.append(f"gets {dollars(data['returned'])}")
    elif isinstance(data.get("cents"), int):
        parts.append(dollars(data["cents"]))
    parts += [str(data[key]) for key in ("reason", "duty", "deck") if data.get(key)]
    return " ".join(parts)


def _foot(dealer: str, footer: str) -> RenderableType:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{dealer[:60]}\n", "italic")
    line.append(footer, "dim")
    return line
