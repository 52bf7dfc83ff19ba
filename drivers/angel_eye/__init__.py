"""Angel Eye II-EX, a baccarat shoe that reads its cards (docs/integrators/angel-eye.md).

`codec` is bytes and frames, `words` what a report means, `orders` the commands, `driver` the rest.
"""
