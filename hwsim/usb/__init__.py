"""Simulated USB devices: what is behind the plug, and two buses to plug them into.

`backend` is a bus for pyusb in the same process; `testbed` one for unchanged pyusb and libusb in
another, by umockdev. The devices are the same on both.
"""
