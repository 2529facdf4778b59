"""K functions as files of ONNX."""
