"""A Bee-Tek shoe on its wire: a line a card, and deaf."""

from hwsim.baccarat import Happening


class BeeTekWire:
    """It knows cards and modes; rounds, results and numbers it does not."""

    copies = 1

    def __init__(self, ten: str = "10") -> None:
        """`ten`: how it writes a ten, `10` or `T`."""
        self.ten = ten

    def report(self, it: Happening) -> bytes:
        """A line, or nothing where it has no word for what happened."""
        if it.name == "error":
            return b"[GameAlarm]<Alarm:E3 Card Not Read>\r\n"
        if it.name != "card":
            return b""
        mode = "Manual Burn Cards" if it.target in ("first", "burn") else "Game"
        if it.card is None:
            return b"[Game]<Game>\r\n"
        rank = it.card[0].replace("T", self.ten)
        return f"[{mode}]<Card:{rank}{it.card[1]}>\r\n".encode()

    def receive(self, data: bytes) -> bytes:  # noqa: ARG002
        """It takes no commands."""
        return b""
