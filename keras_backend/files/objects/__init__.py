"""The objects in configurations, as a grammar: losses, metrics, optimizers, schedules, initializers, regularizers ...

A table says which classes there are, and which plain value each of their arguments takes. A Keras is called with
checked plain values alone: no name and no configuration of a file reaches what it deserializes with.
"""
