"""Tests of the composed functions, on an eager K and on the K graph."""
