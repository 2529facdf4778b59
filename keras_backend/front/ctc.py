"""Connectionist temporal classification (Graves et al. 2006): decoding, and the cost."""

from typing import Any, List, Tuple

from ..basics.dtypes import is_float
from ..basics.library import Tensor
from ..basics.shapes import check_ctc_shapes, known, product, rank_of, with_rest
from ..errors import ArgumentValueError, ShapeError
from .base import Api, Operands
from .shape import sizes


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


# -- said in other K functions -----------------------------------------------------------------------------------------


# The logarithm of an impossible probability. Finite, because the gradient of inf - inf is NaN, and so large that adding
# the logarithms of possible ones leaves it as it is.
_NEVER = -1e30


class ComposedCTC(Api):
    def ctc_batch_cost(self, y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Tensor:
        # The forward recursion of Graves et al. (2006), in logarithms. Its states are the label with a blank before,
        # between and after its characters.
        check_ctc_shapes(*[self.int_shape(x) for x in (y_true, y_pred, input_length, label_length)])
        dtype = 'float64' if self.dtype(y_pred) == 'float64' else 'float32'
        samples, steps, classes = sizes(self.int_shape(y_pred), self.shape, y_pred)
        width = sizes(self.int_shape(y_true), self.shape, y_true)[1]
        labels = self.cast(y_true, 'int32')
        blank = self.zeros_like(labels) + (classes - 1)
        lengths, characters = [
            self.cast(length if self.ndim(length) == 2 else self.expand_dims(length, 1), 'int32')
            for length in (input_length, label_length)
        ]
        characters, torn = _ended(self, labels, characters, classes - 1, width)

        states = self.reshape(self.stack([blank, labels], axis=2), with_rest([samples, 2 * width]))
        states = self.concatenate([states, self.zeros_like(lengths) + (classes - 1)], axis=1)
        positions = self.expand_dims(self.arange(2 * width + 1), 0)

        chosen = self.cast(self.equal(self.expand_dims(states, 2), self.arange(classes)), dtype)
        scores = self.log(self.cast(y_pred, dtype) + self.epsilon())
        scores = scores - self.logsumexp(scores, axis=2, keepdims=True)
        # A character that is no class is impossible, and so is not what 0, the sum over no class, would make of it.
        unknown = (1.0 - self.sum(chosen, axis=2)) * _NEVER
        emitted = self.batch_dot(scores, chosen, axes=(2, 2)) + self.expand_dims(unknown, 1)

        zero = self.cast(self.zeros_like(lengths), dtype)
        start = zero + self.cast(self.greater(positions, 0), dtype) * _NEVER
        outside = self.concatenate([zero, zero], axis=1) + _NEVER
        # A blank may be skipped between different characters. Both neighbours of a blank's place are blanks two steps
        # back.
        two_back = self.concatenate([self.zeros_like(states[:, :1]), self.zeros_like(states[:, :1]), states], axis=1)[
            :, :-2
        ]
        skipping = self.cast(self.equal(states, two_back), dtype) * _NEVER

        def step(emission: Any, inner: Any) -> Tensor:
            alpha, before, penalty = inner
            padded = self.concatenate([before, alpha], axis=1)
            ways = self.stack([alpha, padded[:, 1:-1], padded[:, :-2] + penalty], axis=0)
            alpha = self.logsumexp(ways, axis=0) + emission
            return alpha, [alpha]

        mask = self.less(self.expand_dims(self.arange(steps), 0), lengths)
        _, _, (last,) = self.rnn(step, emitted, [start], mask=mask, constants=[outside, skipping])

        end = 2 * characters
        final = self.cast(self.equal(positions, end), dtype) + self.cast(self.equal(positions, end - 1), dtype)
        total = self.logsumexp(last + (1.0 - final) * _NEVER, axis=1, keepdims=True) + self.cast(torn, dtype) * _NEVER
        cost = self.switch(self.less(total, _NEVER / 2), self.zeros_like(total) + float('inf'), -total)
        output_dtype = self.dtype(y_pred) if is_float(self.dtype(y_pred)) else self.floatx()
        return cost if dtype == output_dtype else self.cast(cost, output_dtype)


def _ended(K: Api, labels: Any, lengths: Any, blank: Any, width: Any) -> Tuple[Tensor, Tensor]:
    """The lengths of labels that end at their first blank, and how many characters come after it, (samples, 1) each."""

    def count(places: Any) -> Tensor:
        return K.sum(K.cast(places, 'int32'), axis=1, keepdims=True)

    inside = K.less(K.expand_dims(K.arange(width), 0), lengths)
    character = K.less(labels, blank)
    going_on = K.equal(K.cumsum(1 - K.cast(character, 'int32'), axis=1), 0)
    kept = count(K.switch(inside, going_on, inside))
    return kept, count(K.switch(inside, character, inside)) - kept
