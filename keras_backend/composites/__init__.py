"""K functions said in other K functions: what an engine need not write, and may overrule (docs/architecture.md).

Every function here is copied into an engine's namespace with `K` being that namespace. A helper whose name starts with
an underscore travels with the functions of its module; what several modules need and does without K is in `_dims.py`.
"""
