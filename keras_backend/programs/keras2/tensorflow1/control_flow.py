"""Choices and loops as operations of the graph, as TensorFlow 1 made them. TensorFlow is imported when one is made."""

import functools
from importlib import import_module
from typing import Any, Callable, Dict


def by_switches(make: Callable[[], Any]) -> Any:
    """The result of `make` with the control flow of TensorFlow 1: operations of the graph itself."""
    util: Any = import_module('tensorflow.python.ops.control_flow_util')
    tf: Any = import_module('tensorflow.compat.v1')
    before, util.ENABLE_CONTROL_FLOW_V2 = util.ENABLE_CONTROL_FLOW_V2, False
    try:
        with tf.get_default_graph().gradient_override_map(_gradients_of_arrays()):
            return make()
    finally:
        util.ENABLE_CONTROL_FLOW_V2 = before


ARRAYS = ('TensorArrayReadV3', 'TensorArrayWriteV3', 'TensorArrayGatherV3', 'TensorArrayScatterV3')


@functools.lru_cache(maxsize=None)
def _gradients_of_arrays() -> Dict[str, str]:
    """Names of gradients for the arrays of such loops. These, too, need the control flow of TensorFlow 1."""
    ops: Any = import_module('tensorflow.python.framework.ops')
    tf: Any = import_module('tensorflow.compat.v1')
    registry = getattr(ops, 'gradient_registry', None) or ops._gradient_registry

    def register(name: str) -> None:
        gradient = registry.lookup(name)
        tf.RegisterGradient(f'{name}BySwitches')(lambda op, *incoming: by_switches(lambda: gradient(op, *incoming)))

    for name in ARRAYS:
        register(name)
    return {name: f'{name}BySwitches' for name in ARRAYS}
