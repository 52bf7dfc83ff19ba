"""The shoe's side of Bee-Tek, written from docs/integrators/bee-tek.md alone."""
