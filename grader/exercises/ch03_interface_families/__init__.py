"""Chapter 3: the interface families, read in the headers that the machine has."""
