"""The parts of a K graph: tensors, operations, sizes, regions and sessions; and the traversal of a graph."""
