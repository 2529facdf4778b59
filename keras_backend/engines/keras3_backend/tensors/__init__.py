"""The arguments and results of K functions: tensors of the functional API and computed ones, dtypes, sizes, indices."""
