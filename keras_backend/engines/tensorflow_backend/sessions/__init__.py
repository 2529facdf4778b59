"""Which session runs a graph, and the values of its variables."""
