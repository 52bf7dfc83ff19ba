"""Boards of inputs and outputs as a progressive wagering system (docs/integrators/io-board.md).

`modbus` and `numato` are bytes and answers, `sensors` which pin is what, `session` the rest.
"""
