"""Boards with sensors, lamps and a lock: the board, its two wire sides, and the unit on a line."""
