"""From parsed PTX to the engine's records: a strict whitelist of opcodes and modifiers."""
