"""The board's side of Numato's commands: lines ended by CR, echoed, answered, then a prompt."""

from typing import Final

from hwsim.io_board.board import PINS, Board

END: Final = "\n\r"
MOST: Final = 80  # signs of a line
NAMES: Final = "0123456789ABCDEF"


class NumatoWire:
    """Lines in, answers out."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._line = ""
        self._notify = False
        self._told = 0  # the inputs at the last notice

    def forget(self) -> None:
        self._line, self._notify = "", False

    def changed(self) -> bytes:
        """The notice of a change, where it is wanted: now, before, directions."""
        before, self._told = self._told, self._inputs()
        if not self._notify or before == self._told:
            return b""
        return f"{END}# {self._told:04X} {before:04X} 00FF{END}>".encode()

    def receive(self, data: bytes) -> list[bytes]:
        answers = []
        for sign in data.decode("latin-1"):
            if sign == "\r":
                answers.append(f"{self._line}{END}{self._answer(self._line.strip())}>".encode())
                self._line = ""
            elif sign != "\n":
                self._line = (self._line + sign)[-MOST:]
        return answers

    def _inputs(self) -> int:
        return sum(level << pin for pin, level in enumerate(self.board.inputs))

    def _answer(self, line: str) -> str:
        """What stands between the echo and the prompt."""
        match line.split():
            case []:
                return ""
            case ["ver"]:
                return self.board.identity.versions[0][1] + END
            case ["id", "get"]:
                return self.board.identity.serial + END
            case ["gpio", "notify", ("on" | "off") as word]:
                self._notify = word == "on"
                self._told = self._inputs()
                return f"gpio notify {'enabled' if self._notify else 'disabled'}{END}"
            case ["gpio", "readall"]:
                high = sum(level << pin for pin, level in enumerate(self.board.outputs))
                return f"{self._inputs() | high:0{PINS // 4}X}{END}"
            case ["gpio", "read", pin] if pin in NAMES:
                return f"{int(self.board.inputs[NAMES.index(pin)])}{END}"
            case ["gpio", ("set" | "clear") as word, pin] if pin in NAMES:
                self.board.set(NAMES.index(pin), word == "set")
                return ""
        return f"Error: Unknown command{END}"
