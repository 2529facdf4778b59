"""Values in configurations, some of which stand for others: tuples, shapes, arrays, dtypes."""

from typing import Any

import numpy as np

# Keras writes {'class_name': ..., this key: the value}.
_VALUE_OF = {
    '__tuple__': 'items',
    'TensorShape': 'items',
    '__numpy__': 'value',
    'DType': 'config',
    'ListWrapper': 'items',
}
_DTYPE_POLICIES = ('DTypePolicy', 'Policy', 'PolicyV1', 'FloatDTypePolicy')


def plain(value: Any) -> Any:
    """The value without the wrappers that Keras puts around what JSON does not have."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get('class_name')
    if isinstance(kind, str) and _VALUE_OF.get(kind) in value:
        return plain(value[_VALUE_OF[kind]])
    if kind in _DTYPE_POLICIES and isinstance(value.get('config'), dict):
        return computed(str(value['config'].get('name')))
    if value.get('type') == 'ndarray' and 'value' in value:
        return np.asarray(value['value'])
    if kind == '__tensor__' and isinstance(value.get('config'), dict):
        return np.asarray(value['config'].get('value'))
    return {key: plain(item) for key, item in value.items()}


def computed(dtype: str) -> str:
    """The dtype in which a policy computes. Mixed policies compute in float32 here, which is more exact."""
    return 'float32' if dtype.startswith('mixed_') or dtype == 'infer' else dtype


def is_entry(value: Any) -> bool:
    """Whether this is a layer of a configuration: a class and its configuration."""
    return isinstance(value, dict) and isinstance(value.get('class_name'), str) and 'config' in value
