"""The NumPy implementation of rnn from the documents of Keras, with the options of the newer documents."""

import numpy as np


def expand(mask, ndim):
    return mask.reshape(mask.shape + (1,) * (ndim - mask.ndim))


def rnn(
    step,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=(),
    time_major=False,
    zero_output_for_mask=False,
):
    """(last_output, outputs, new_states). A mask has the first two axes of `inputs`."""
    x = inputs if time_major else np.swapaxes(inputs, 0, 1)
    if mask is not None:
        mask = np.asarray(mask).reshape(inputs.shape[:2]) != 0
        mask = mask if time_major else mask.T
    times = range(len(x))
    outputs, states, previous = [], list(initial_states), None
    for t in reversed(times) if go_backwards else times:
        output, new = step(x[t], states + list(constants))
        if mask is not None:
            if previous is None or zero_output_for_mask:
                previous = np.zeros_like(output)
            output = np.where(expand(mask[t], output.ndim), output, previous)
            new = [np.where(expand(mask[t], n.ndim), n, s) for n, s in zip(new, states)]
        outputs.append(output)
        states, previous = list(new), output
    stacked = np.stack(outputs)
    return outputs[-1], stacked if time_major else np.swapaxes(stacked, 0, 1), states
