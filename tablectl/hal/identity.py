"""Is it the device that belongs here? What the configuration pins, against what the device says.

A device speaks for itself: this finds a mix-up or an old version, not a forger. A key does more.
It is asked at every greeting, so at the start and after each restart of the device.
"""

import re
from typing import Final

from tablectl.hal.kinds import DevicePlan, Ended, Identity

PINS: Final = ("serial", "model", "path", "game_mode")
_PARTS: Final = re.compile(r"\d{1,18}|[A-Za-z]+")


def version_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Order versions as people read them: 4.0.018 = 4.0.18 < 4.1 < 4.10, and 2.1b < 2.1."""
    parts = [
        (2, int(part), "") if part.isdigit() else (0, 0, part.lower())
        for part in _PARTS.findall(text)
    ]
    while parts and parts[-1] == (2, 0, ""):  # 4.0 is 4
        parts.pop()
    return (*parts, (1, 0, ""))


def refusal(plan: DevicePlan, identity: Identity) -> Ended | None:
    """Why this device must not serve here, in a sentence that says what to do; None if it may."""
    if identity.kind != plan.kind:
        return _refused(
            "kind",
            f"it should be a {plan.kind}, but a {identity.kind} answers at its port: "
            "check the cables and [devices] in the configuration",
        )
    return _another(plan, identity) or _other_versions(plan, identity)


def _another(plan: DevicePlan, identity: Identity) -> Ended | None:
    for name, wanted in plan.identity.items():
        has = getattr(identity, name, "") if name in PINS else ""
        if has == wanted:
            continue
        what, mend = _WORDS.get(name, _WORDS["serial"])
        return _refused(
            name if name in PINS else "serial",
            f"it should {what.format(name=name, wanted=wanted)}, but {has[:80] or 'none'} answers: "
            f"{mend}, or have a technician change what is pinned",
        )
    return None


_WORDS: Final = {
    "serial": ("have {name} {wanted}", "connect the right device"),
    "path": ("be in the USB plug {wanted}", "put it back there"),
    "game_mode": ("be set to the game {wanted}", "set it"),
}


def _other_versions(plan: DevicePlan, identity: Identity) -> Ended | None:
    for name, exact in plan.versions.items():
        has = identity.versions.get(name)
        if has is None or version_key(has) != version_key(exact):
            told = f"has {name} {has[:40]}" if has else f"tells no version of {name}"
            return _refused(
                "version",
                f"it {told}, and {exact} is pinned: have it updated, or have a technician "
                "change what is pinned",
            )
    for name, least in plan.minimum_versions.items():
        has = identity.versions.get(name)
        if has is None:
            return _refused(
                "version", f"it tells no version of {name}, and at least {least} is required"
            )
        if version_key(has) < version_key(least):
            return _refused(
                "version",
                f"it has {name} {has[:40]}, and at least {least} is required: have it updated",
            )
    return None


def _refused(reason: str, what: str) -> Ended:
    return Ended(what, refused=reason)
