"""USB lights as indicators: Delcom, Patlite, Luxafor and blink(1)."""
