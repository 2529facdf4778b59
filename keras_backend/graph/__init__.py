"""The K graph: symbolic tensors for libraries that have none (see docs/architecture.md)."""
