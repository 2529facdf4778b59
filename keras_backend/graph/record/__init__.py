"""How a call of K becomes a node: the graph, its primitives as functions, loops, choices, updates."""
