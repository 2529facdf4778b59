"""Variables, their updates, random numbers, the learning phase."""
