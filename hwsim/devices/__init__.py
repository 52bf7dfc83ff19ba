"""How the devices behave, apart from any wire: moved by `advance(dt_ns)`, no clock, no I/O.

One model serves any protocol: a wire side takes its reports, asks its condition and gives it
commands.
"""

from hwsim.devices.badge_reader import BadgeReader
from hwsim.devices.button import Button
from hwsim.devices.card_shoe import CardShoe
from hwsim.devices.device import Condition, Device, Identity, Report
from hwsim.devices.indicator import Indicator
from hwsim.devices.progressive import Progressive
from hwsim.devices.shoe import Shoe
from hwsim.devices.shuffler import Shuffler

__all__ = [
    "BadgeReader",
    "Button",
    "CardShoe",
    "Condition",
    "Device",
    "Identity",
    "Indicator",
    "Progressive",
    "Report",
    "Shoe",
    "Shuffler",
]
