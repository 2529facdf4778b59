"""The outputs of recurrent layers at masked steps on JAX and PyTorch.

In tf.keras a masked step has the output of the step before it, and zeros before the first output. Keras 3 on JAX has
the first state there. That may be another one: a state that the program gives or keeps, or that of a cell of its own.
A mask of images, or one of unrolled steps from the end on PyTorch, is an error there.
"""

import functools
from importlib import import_module
from typing import Any, Callable, List, Tuple

# Where the recurrent layers of Keras look for their loop.
_HOME = 'keras.src.backend'


def outputs_of_steps(keras: Any) -> str:
    """Let recurrent layers repeat the last output at masked steps."""
    if keras.backend.backend() == 'tensorflow':
        return ''
    home: Any = import_module(_HOME)
    home.rnn = _masking(home.rnn, keras)
    return f'{_HOME}.rnn'


def _masking(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    from keras import ops

    from ...engines.keras3_backend.vendor import state_mapping

    def chosen(mask: Any, new: Any, old: Any) -> Any:
        return ops.where(ops.reshape(mask, (-1,) + (1,) * (len(new.shape) - 1)), new, old)

    @functools.wraps(original)
    def rnn(
        step_function: Callable[..., Any],
        inputs: Any,
        initial_states: Any,
        go_backwards: bool = False,
        mask: Any = None,
        **kwargs: Any,
    ) -> Any:
        if mask is None or kwargs.get('time_major') or kwargs.get('zero_output_for_mask'):
            return original(step_function, inputs, initial_states, go_backwards, mask, **kwargs)
        states: List[Any] = list(initial_states)

        def step(values: Any, kept: Any) -> Tuple[Any, List[Any]]:
            (x, counts), (before, *old) = values, kept
            output, new = step_function(x, type(initial_states)(old))
            output = chosen(counts, output, before)
            pairs = zip(keras.tree.flatten(new), keras.tree.flatten(old))
            new = keras.tree.pack_sequence_as(old, [chosen(counts, *pair) for pair in pairs])
            return output, [output, *new]

        # The loop needs the shape of an output. This step counts nowhere: what it assigns is dropped.
        first = keras.tree.map_structure(lambda x: x[:, -1 if go_backwards else 0], inputs)
        scope = keras.StatelessScope()
        scope.state_mapping = state_mapping()
        with scope:
            zeros = ops.zeros_like(step_function(first, initial_states)[0])
        counted = ops.expand_dims(ops.cast(mask, 'bool'), -1) if len(mask.shape) == 2 else ops.cast(mask, 'bool')
        last, outputs, ends = original(step, (inputs, counted), [zeros, *states], go_backwards, **kwargs)
        return last, outputs, list(ends)[1:]

    return rnn
