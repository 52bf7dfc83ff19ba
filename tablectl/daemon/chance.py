"""What the table asks to be drawn, from the operating system's random source and no other."""

import secrets
from typing import Final

from tablectl.table.inputs import Drawn, DrawnTrigger, Stamp
from tablectl.table.must_hit import Wanted

_SALT_BYTES: Final = 32


def draw(wanted: Wanted, at: Stamp) -> Drawn:
    """A trigger, every cent within its bounds as likely as any other, under a fresh salt."""
    cents = wanted.least + secrets.randbelow(wanted.most - wanted.least + 1)
    return Drawn(at, wanted.meter, DrawnTrigger(cents, secrets.token_hex(_SALT_BYTES)))
