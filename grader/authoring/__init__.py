"""Masters to notebooks, the lint of masters, and the search for leaks. Authors use it; a learner never does."""
