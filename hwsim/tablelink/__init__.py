"""The device's side of tablelink 1, written from docs/integrators/tablelink.md and nothing else.

`framing` and `messages` are bytes and values, `link` is the session: no sockets, no clock.
"""
