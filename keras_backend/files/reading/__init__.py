"""Containers: HDF5, JSON, YAML, `.keras` and SavedModel, down to configurations as plain data and arrays."""
