"""Bee-Tek, a shoe that tells its cards as lines of text (docs/integrators/bee-tek.md).

`codec` is bytes and lines, `driver` the rest. The shoe takes no commands.
"""
