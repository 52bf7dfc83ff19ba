"""The daemon's HTTP side: the API; the dealer's page comes later. No rule and no journal here."""
