"""Graphs of TensorFlow, computed by functions of K: frozen graphs, and the functions of a SavedModel."""
