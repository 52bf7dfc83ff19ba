"""The shoe's side of Angel Eye II-EX, written from docs/integrators/angel-eye.md alone."""
