"""From PTX text to the engine's instruction records."""
