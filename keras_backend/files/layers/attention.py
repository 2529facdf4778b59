"""Attention, AdditiveAttention and MultiHeadAttention of tf.keras.

Source: the documentation of tf.keras, and the papers that it names: D. Bahdanau, K. Cho, Y. Bengio, Neural Machine
Translation by Jointly Learning to Align and Translate, 2015; A. Vaswani and others, Attention Is All You Need, 2017.
"""

from typing import Any, List, Optional, Tuple

import numpy as np

from .use import Use, softmax


def _steps(use: Use, x: Any) -> int:
    length = use.K.int_shape(x)[1]
    if length is None:
        raise use.error('is causal and gets a sequence of unknown length, which is not done here')
    return int(length)


def _causal(use: Use, query: Any, value: Any) -> Any:
    """Zeros where a place of the value is behind that of the query."""
    K = use.K
    steps = [K.constant(np.arange(_steps(use, x)), dtype='int32') for x in (query, value)]
    # Compared when the model predicts: a file is looked at without a table of all pairs of its steps.
    seen = K.greater_equal(K.expand_dims(steps[0], 1), K.expand_dims(steps[1], 0))
    return K.expand_dims(K.cast(seen, K.floatx()), 0)


def _both(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a * b


def _attended(use: Use, scores: Any, value: Any, allowed: Any) -> Tuple[Any, Any]:
    """The mean of the values, weighed by scores, and the weights."""
    if allowed is not None:
        scores = scores - 1e9 * (1.0 - allowed)
    weights = softmax(use.K, scores)
    return use.K.batch_dot(weights, value, [2, 1]), weights


def _masks(use: Use) -> List[Any]:
    argument = use.arguments.get('mask')
    masks = list(argument) if isinstance(argument, (list, tuple)) else use.masks
    return (list(masks) + [None, None])[:2]


def attention(use: Use) -> Any:
    """Attention and AdditiveAttention: inputs are the query, the value, and the key if it is not the value."""
    K = use.K
    query, value = use.inputs[:2]
    key = use.inputs[2] if len(use.inputs) > 2 else value
    scale = use.weights.get('scale')
    if use.layer.kind == 'AdditiveAttention' or use.option('score_mode', 'dot') == 'concat':
        pairs = K.expand_dims(query, 2) + K.expand_dims(key, 1)
        if use.layer.kind == 'Attention':
            summed = K.sum(K.tanh(pairs if scale is None else pairs * scale), axis=-1)
            scores = summed * use.weights['concat_score_weight']
        else:
            scores = K.sum(K.tanh(pairs) if scale is None else K.tanh(pairs) * scale, axis=-1)
    else:
        scores = K.batch_dot(query, key, [2, 2])
        scores = scores if scale is None else scores * scale
    of_query, of_value = _masks(use)
    allowed = None if of_value is None else K.expand_dims(K.cast(of_value, K.floatx()), 1)
    if use.option('causal', False) or use.arguments.get('use_causal_mask'):
        allowed = _both(allowed, _causal(use, query, key))
    output, weights = _attended(use, scores, value, allowed)
    if of_query is not None:
        output = output * K.expand_dims(K.cast(of_query, K.floatx()))
    return [output, weights] if use.arguments.get('return_attention_scores') else output


def mask_of_query(use: Use, outputs: Any) -> Any:
    """The mask of the query."""
    own = use.mask
    return [own] + [None] * (len(outputs) - 1) if isinstance(outputs, list) else own


def _projected(use: Use, x: Any, name: str) -> Any:
    """A sequence of vectors for each head: (samples, heads, steps, size)."""
    K, kernel = use.K, use.weights[f'{name}/kernel']
    inputs, heads, size = K.int_shape(kernel)
    projected = K.dot(x, K.reshape(kernel, (inputs, heads * size)))
    projected = K.reshape(projected, (-1, _size(K, x, 1), heads, size))
    bias = use.weights.get(f'{name}/bias')
    return K.permute_dimensions(projected if bias is None else projected + bias, (0, 2, 1, 3))


def multi_head_attention(use: Use) -> Any:
    """MultiHeadAttention over the axis of time steps."""
    K = use.K
    query = use.x
    value = use.arguments.get('value', use.inputs[1] if len(use.inputs) > 1 else None)
    if value is None or K.ndim(query) != 3:
        raise use.error('gets other inputs than a query and a value of three axes')
    key = use.arguments.get('key')
    key = (use.inputs[2] if len(use.inputs) > 2 else value) if key is None else key
    q, k, v = [_projected(use, x, name) for x, name in ((query, 'query'), (key, 'key'), (value, 'value'))]
    heads, size = K.int_shape(q)[1], K.int_shape(q)[3]
    scores = _product(K, q, K.permute_dimensions(k, (0, 1, 3, 2))) / float(np.sqrt(size))
    allowed = _allowed(use, query, value)
    if allowed is not None:
        scores = scores - 1e9 * (1.0 - allowed)
    weights = softmax(K, scores)
    output = K.permute_dimensions(_product(K, weights, v), (0, 2, 1, 3))
    output = K.reshape(output, (-1, _size(K, query, 1), heads * K.int_shape(v)[3]))
    kernel = use.weights['attention_output/kernel']
    units = K.int_shape(kernel)[-1]
    output = K.dot(output, K.reshape(kernel, (heads * K.int_shape(v)[3], units)))
    if 'attention_output/bias' in use.weights:
        output = output + use.weights['attention_output/bias']
    return [output, weights] if use.arguments.get('return_attention_scores') else output


def _product(K: Any, a: Any, b: Any) -> Any:
    """Matrix products over the last two of four axes."""

    def merged(x: Any) -> Any:
        return K.reshape(x, (-1, *[_size(K, x, axis) for axis in (2, 3)]))

    product = K.batch_dot(merged(a), merged(b), [2, 1])
    return K.reshape(product, (-1, K.int_shape(a)[1], _size(K, a, 2), _size(K, b, 3)))


def _size(K: Any, x: Any, axis: int) -> Any:
    """The length of an axis: a number, or a tensor where it is not known."""
    known = K.int_shape(x)[axis]
    return K.shape(x)[axis] if known is None else known


def _allowed(use: Use, query: Any, value: Any) -> Optional[Any]:
    """Ones where a place of the query sees one of the value, (samples, heads or 1, steps, steps). None for all."""
    K = use.K

    def number(mask: Any) -> Any:
        return K.cast(mask, K.floatx())

    allowed = None
    masks = (list(use.masks) + [None, None])[:3]
    for mask, axis in zip(masks, (2, 1, 1)):
        allowed = _both(allowed, None if mask is None else K.expand_dims(number(mask), axis))
    allowed = _both(allowed, _causal(use, query, value) if use.arguments.get('use_causal_mask') else None)
    attention_mask = use.arguments.get('attention_mask')
    if attention_mask is not None and K.ndim(attention_mask) == 4:
        allowed = None if allowed is None else K.expand_dims(allowed, 1)
        return _both(allowed, number(attention_mask))
    allowed = _both(allowed, None if attention_mask is None else number(attention_mask))
    return None if allowed is None else K.expand_dims(allowed, 1)
