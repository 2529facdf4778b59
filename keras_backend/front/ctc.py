"""Decoding of connectionist temporal classification (Graves et al. 2006)."""

from typing import Any, List, Tuple

from ..basics.library import Tensor
from ..basics.shapes import known, product, rank_of
from ..errors import ArgumentValueError, ShapeError
from .operands import Operands


class CTC(Operands):
    def ctc_decode(
        self,
        y_pred: Any,
        input_length: Any,
        greedy: bool = True,
        beam_width: int = 100,
        top_paths: int = 1,
        merge_repeated: bool = False,
    ) -> Tuple[List[Tensor], Tensor]:
        y_pred = self.floating(y_pred)
        if len(self.library.dims(y_pred)) != 3:
            raise ShapeError(f'y_pred has to be (samples, time, categories), got {self.library.describe(y_pred)}.')
        y = self.log(self.binary('add', y_pred, self.epsilon()))
        lengths = _lengths(self, input_length, y_pred, 'input_length')
        if greedy:
            return self.library.ctc_greedy(y, lengths)
        if top_paths > beam_width:
            raise ArgumentValueError(
                f'top_paths={top_paths} is more than beam_width={beam_width}; the beam holds no more paths than its '
                'width.'
            )
        return self.library.ctc_beam(y, lengths, int(beam_width), int(top_paths), bool(merge_repeated))

    def ctc_label_dense_to_sparse(self, labels: Any, label_lengths: Any) -> Tensor:
        labels = self.operand(labels)
        rank_of(self.library.dims(labels), [2], 'labels')
        return self.F.ctc_sparse(labels, _lengths(self, label_lengths, labels, 'label_lengths'))


def _lengths(K: Operands, x: Any, samples: Tensor, what: str) -> Tensor:
    """Lengths given as (samples,) or (samples, 1), as an int32 vector."""
    x = K.operand(x)
    if K.library.rank(x) is None:
        # Of as many axes as a run feeds.
        return K.converted(K.F.reshape(x, (-1,)), 'int32')
    dims = K.library.dims(x)
    rank_of(dims, [1, 2], what)
    n = K.library.dims(samples)[0]
    if known(product(dims)) and known(n) and product(dims) != n:
        raise ShapeError(f'{what} has to hold a length for each of the {n} samples, got shape {K.int_shape(x)}.')
    return K.converted(K.F.reshape(x, (-1,)), 'int32')
