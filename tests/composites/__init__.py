"""Tests of the composites, on an eager K and on the K graph."""
