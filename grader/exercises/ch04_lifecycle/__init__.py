"""Chapter 4: a plugin's life, from its creator to its context."""
