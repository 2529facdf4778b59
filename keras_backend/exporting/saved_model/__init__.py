"""K functions as SavedModels of TensorFlow."""
