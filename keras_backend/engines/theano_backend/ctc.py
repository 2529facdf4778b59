"""Connectionist temporal classification."""

import numpy as np

from ... import config
from ...errors import ShapeError
from ...kernels import IMPLEMENTATIONS
from ._convert import cast, constant, floating, operand
from ._graph import describe
from ._library import Apply, Op, T, TensorType, sparse
from ._static import dims_of, visible


class Decode(Op):
    """The labels found in log probabilities (samples, time, classes), and their scores, found as on NumPy."""

    __props__ = ('kernel', 'paths', 'options')
    _f16_ok = True

    def __init__(self, kernel, paths, **options):
        self.kernel, self.paths, self.options = kernel, paths, tuple(sorted(options.items()))

    def make_node(self, y, lengths):
        found = [TensorType('int64', (False, False))() for _ in range(self.paths)]
        return Apply(self, [y, lengths], found + [TensorType(y.dtype, (False, self.paths == 1))()])

    def output_dims(self, node, dims):
        samples = dims[0][0]
        return [(samples, None)] * self.paths + [(samples, self.paths)]

    def perform(self, node, inputs, outputs):
        for made, out in zip(IMPLEMENTATIONS[self.kernel](*inputs, **dict(self.options)), outputs):
            out[0] = made

    def connection_pattern(self, node):
        return [[False] * len(node.outputs) for _ in node.inputs]


def _lengths(x):
    x = cast(operand(x), 'int32')
    return T.reshape(x, (-1,), ndim=1)


def ctc_label_dense_to_sparse(labels, label_lengths):
    labels, lengths = operand(labels), _lengths(label_lengths)
    inside = T.lt(T.arange(labels.shape[1]).dimshuffle('x', 0), lengths.dimshuffle(0, 'x'))
    rows, columns = T.nonzero(inside)
    ends = T.cumsum(T.cast(T.minimum(lengths, labels.shape[1]), 'int64'))
    starts = T.concatenate([constant(np.zeros(1), 'int64'), ends])
    return sparse.CSR(
        labels[rows, columns], T.cast(columns, 'int32'), T.cast(starts, 'int32'), T.cast(T.shape(labels), 'int32')
    )


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, merge_repeated=False):
    y_pred = floating(y_pred)
    if y_pred.type.ndim != 3:
        raise ShapeError(
            f'K.ctc_decode takes (samples, time, categories), got {describe(y_pred)} of shape '
            f'{visible(dims_of(y_pred))}.'
        )
    y, lengths = T.log(T.add(y_pred, constant(config.epsilon(), y_pred.dtype))), _lengths(input_length)
    if greedy:
        found = Decode('ctc_greedy', 1)(y, lengths)
    else:
        if top_paths > beam_width:
            raise ValueError(
                f'top_paths={top_paths!r} is more than beam_width={beam_width!r}; the beam holds no more paths than '
                'its width.'
            )
        y = y - T.log(T.sum(T.exp(y), axis=[2], dtype=y.dtype, keepdims=True))
        found = Decode(
            'ctc_beam',
            int(top_paths),
            beam_width=int(beam_width),
            top_paths=int(top_paths),
            merge_repeated=bool(merge_repeated),
        )(y, lengths)
    return list(found[:-1]), found[-1]
