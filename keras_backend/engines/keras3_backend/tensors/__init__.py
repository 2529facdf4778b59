"""What K functions take and return: tensors of the functional API and computed ones, dtypes, sizes, indices."""
