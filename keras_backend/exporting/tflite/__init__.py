"""The format TFLite."""
