"""TimeDistributed and Bidirectional."""

from typing import Any, Dict, Optional

from ..structure import Layer
from .recurrent import given_states
from .use import Use, tensor_list


def time_distributed(use: Use) -> Any:
    """A layer at every time step, and the mask. Samples and time steps are one axis for the layer.

    The mask is that which the layer gives; else a step is kept where the mask of the input keeps a part of it.
    """
    K = use.K
    mask = None if use.mask is None else _merged(use, use.mask)
    outputs, masks = use.help.apply(use.layer.inner[0], [_merged(use, use.x)], [mask], use.arguments, None)
    if isinstance(outputs, list):
        raise use.error('wraps a layer with several outputs, which Keras 2.3.1 cannot do')
    if masks is not None:
        return _split(use, outputs), _split(use, masks)
    step_mask = use.mask
    while step_mask is not None and K.ndim(step_mask) > 2:
        step_mask = K.any(step_mask, axis=-1)
    return _split(use, outputs), step_mask


def _merged(use: Use, x: Any) -> Any:
    """The first two axes as one."""
    K = use.K
    sizes = list(K.int_shape(x)[2:])
    return K.reshape(x, [-1, *[K.shape(x)[axis + 2] if size is None else size for axis, size in enumerate(sizes)]])


def _split(use: Use, x: Any) -> Any:
    """Samples and time steps as two axes again."""
    K = use.K
    sizes = list(K.int_shape(x)[1:])
    rest = [K.shape(x)[axis + 1] if size is None else size for axis, size in enumerate(sizes)]
    batch = -1 if use.shape[0] is None else use.shape[0]
    return K.reshape(x, [batch, use.size(1), *rest])


def _directed(use: Use, layer: Layer, backwards: bool) -> Layer:
    """One of the two layers. A file may name the direction of the forward layer alone.

    tf.keras gives zeros for steps that are masked, which its configurations do not say.
    """
    config: Dict[str, Any] = {**layer.config, 'go_backwards': backwards}
    if use.help.library != 'keras':
        config['zero_output_for_mask'] = _option(layer, 'return_sequences')
    return Layer(layer.name, layer.kind, config, layer.inner, layer.model)


def bidirectional(use: Use) -> Any:
    """A recurrent layer forward, and one backward, and both outputs merged."""
    K = use.K
    forward, backward = use.layer.inner
    initial = given_states(use)
    half = len(initial) // 2
    directions = []
    first = _option(forward, 'go_backwards')
    for owner, backwards, states in ((forward, first, initial[:half]), (backward, not first, initial[half:])):
        arguments = {**use.arguments, 'initial_state': states or None}
        layer = _directed(use, owner, backwards)
        outputs, _ = use.help.apply(layer, [use.x], [use.mask], arguments, owner)
        directions.append(tensor_list(outputs))
    (y, *states), (back, *more) = directions
    if _option(forward, 'return_sequences'):
        back = K.reverse(back, 0 if _option(forward, 'time_major') else 1)
    merged = _merge(use, y, back, use.config.get('merge_mode', 'concat'))
    if not _option(forward, 'return_state'):
        return merged
    return [*tensor_list(merged), *states, *more]


def _option(layer: Layer, name: str) -> bool:
    return bool(layer.config.get(name, False))


def _merge(use: Use, y: Any, back: Any, mode: Optional[str]) -> Any:
    if mode is None:
        return [y, back]
    if mode == 'concat':
        return use.K.concatenate([y, back])
    if mode in ('sum', 'ave'):
        return (y + back) / 2.0 if mode == 'ave' else y + back
    if mode == 'mul':
        return y * back
    raise use.error(f"has the merge_mode {mode!r}; 'sum', 'mul', 'concat', 'ave' and None are possible")


def mask_of_bidirectional(use: Use, outputs: Any) -> Any:
    """The mask, if the outputs are sequences. States have none."""
    forward = use.layer.inner[0]
    own = use.mask if _option(forward, 'return_sequences') else None
    count = len(outputs) if isinstance(outputs, list) else 1
    merged = 2 if use.config.get('merge_mode', 'concat') is None else 1
    masks = [own] * merged + [None] * (count - merged)
    return masks if isinstance(outputs, list) else own
