"""tablectl: the dealer-assist and table-device controller for casino card tables."""

__version__ = "0.1.0"
