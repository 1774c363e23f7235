"""Chapter 7: attributes, types and formats."""
