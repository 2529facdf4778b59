"""Variables and tensors in collections of the graph, as the functions of `tf.contrib` keep them."""

from typing import Any, Iterable, List

import tensorflow.compat.v1 as tf


def collection_names(collections: Any, key: str) -> List[str]:
    """The names in `collections`: a list of names, a name, or a dict of lists by the kind of the variable."""
    names = collections.get(key) if isinstance(collections, dict) else collections
    return [names] if isinstance(names, str) else list(names or [])


def collect(items: Iterable[Any], names: Iterable[str]) -> None:
    """Put items in collections where they are not yet."""
    for name in names:
        there = tf.get_collection_ref(name)
        there.extend(item for item in items if not any(item is each for each in there))


def collect_model_variables(layer: Any, collections: Any) -> None:
    """Put the variables of a layer among the model variables, and in the collections of its caller."""
    collect(layer.variables, [tf.GraphKeys.MODEL_VARIABLES])
    for variable in layer.variables:
        collect([variable], collection_names(collections, variable.op.name.rpartition('/')[2]))


def collected_outputs(outputs: Any, collections: Any) -> Any:
    """The outputs, which are now in the collections of the caller, too."""
    collect([outputs], collection_names(collections, 'outputs'))
    return outputs
