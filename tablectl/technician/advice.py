"""What to do about what a link or a driver said. Sentences that say it already need no more."""

import grp
import os
from typing import Final

# The beginning, or a part, of a sentence; what to do. The first that fits.
_WORDS: Final = (
    ("may not be opened", ""),  # said by `permission`
    ("was silent", "see to its power and its cable"),
    (
        "does not answer",
        "see to its power and its cable; is it the right port, at the right speed?",
    ),
    ("did not finish its greeting", "switch the device off and on"),
    ("the other side closed the link", "see to the device and its port server"),
    ("the link broke", "see to the cable and the adapter"),
    ("nothing can be sent", "see to the cable and the adapter"),
    ("takes no bytes", "see to the device: it does not read"),
    ("did not open in time", "see to the cable, the address and the network"),
    ("not ready in time", "switch the device off and on; is it the right driver?"),
    ("did not answer", "switch the device off and on"),
    ("it restarted", "see to its power, if that was not you"),
    ("tells no version", "is it the right device? else take the version out of minimum_versions"),
    ("not known to the driver", ""),
    ("refuses this host's proof", ""),
    ("does not speak tablelink 1", "have the device updated, or choose another driver"),
    ("its driver", "report this, with what doctor --json says"),
)


def advice(what: str, url: str) -> str:
    """What to do; empty where the sentence says it itself."""
    if "may not be opened" in what:
        return permission(url)
    for words, do in _WORDS:
        if words in what:
            return do
    return "" if ": " in what else "see docs/integrators/drivers.md, where the sentence stands"


def permission(path: str) -> str:
    """Who may open a port, and how to become one of them."""
    try:
        status = os.stat(path)
        group = grp.getgrgid(status.st_gid).gr_name
    except (OSError, KeyError):
        return "install systemd/70-tablectl.rules, which gives it to the group tablectl"
    if not status.st_mode & 0o060 or group == "root":
        return "install systemd/70-tablectl.rules, which gives it to the group tablectl"
    return f"ask as a member of the group {group}: adduser USER {group}, then log on again"
