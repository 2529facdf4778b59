"""Idioms of 2016 to 2019 in K alone: losses, metrics, layers, optimizers and loops as people wrote them.

An idiom is a function `idiom_...(K, np)` that returns named values. It runs on the original and on every engine.
"""

import importlib

MODULES = (
    'attention',
    'embeddings',
    'gradients',
    'images',
    'losses',
    'losses_pairs',
    'losses_sequences',
    'metrics',
    'normalisation',
    'optimizers',
    'recurrent',
    'training',
    'units',
)


def all_idioms():
    """Every idiom by its name, in the order of the names."""
    found = {}
    for module in MODULES:
        for name, member in vars(importlib.import_module('idioms.' + module)).items():
            if name.startswith('idiom_'):
                if name in found:
                    raise ValueError('two idioms have the name ' + name)
                found[name] = member
    return dict(sorted(found.items()))
