"""Masters to notebooks, the lint of masters, and the search for leaks. For authors only."""
