"""Variables of K, and placeholders of sparse matrices."""
