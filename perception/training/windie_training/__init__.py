"""Training of the gateway's text reader on rendered text."""
