"""Chapter 9: outputs whose extents only the data knows."""
