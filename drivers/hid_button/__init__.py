"""USB buttons: the polled one of Dream Cheeky, and any that types a key like a keyboard."""
