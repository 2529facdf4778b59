"""What a K graph is made of: tensors, operations, sizes, regions, sessions, and how to go through them."""
