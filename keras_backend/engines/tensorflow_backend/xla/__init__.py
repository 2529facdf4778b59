"""Functions that XLA compiles: when, which part, and what XLA must not see."""
