"""Connectionist temporal classification."""

from ...kernels import IMPLEMENTATIONS
from ._library import Apply, Op, TensorType


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


def greedy(scores, lengths):
    """See `library.Library.ctc_greedy`."""
    found = Decode('ctc_greedy', 1)(scores, lengths)
    return list(found[:-1]), found[-1]


def beam(scores, lengths, beam_width, top_paths, merge_repeated):
    """See `library.Library.ctc_beam`; `scores` are logarithms of probabilities."""
    options = {'beam_width': beam_width, 'top_paths': top_paths, 'merge_repeated': merge_repeated}
    found = Decode('ctc_beam', top_paths, **options)(scores, lengths)
    return list(found[:-1]), found[-1]
