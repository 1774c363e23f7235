"""Chapter 6: First plugin end to end."""
