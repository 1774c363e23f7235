"""Chapter 1: log cards, operator cards, pictures."""
