"""Activations that libraries have as one operation. The rest is composed."""

from typing import Any

from ..library import Axis, Tensor
from ..shapes import normalize_axis
from .operands import Operands, note


class NN(Operands):
    def logits(self, probabilities: Any, activation: str) -> Any:
        # Of the very tensor: a copy, a shape or a product of it is a number like any other.
        kind, logits = getattr(probabilities, '_k_logits', ('', None))
        return logits if kind == activation else None

    def sigmoid(self, x: Any) -> Tensor:
        x = self.floating(x)
        made = self.F.sigmoid(x)
        note(made, _k_logits=('sigmoid', x))
        return made

    def tanh(self, x: Any) -> Tensor:
        return self.F.tanh(self.floating(x))

    def softplus(self, x: Any) -> Tensor:
        return self.F.softplus(self.floating(x))

    def softmax(self, x: Any, axis: Axis = -1) -> Tensor:
        x = self.floating(x)
        axis = self.axis(x, axis)
        made = self.F.softmax(x, axis=axis)
        if axis in (-1, (self.library.rank(x) or 0) - 1):
            note(made, _k_logits=('softmax', x))
        return made

    def relu(self, x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
        plain = isinstance(alpha, (int, float)) and isinstance(threshold, (int, float))
        if plain and alpha == 0 and max_value is None and threshold == 0:
            x = self.operand(x)
            return x if self.library.dtype(x) == 'bool' else self.F.relu(x)
        return super().relu(self.operand(x), alpha, max_value, threshold)

    def categorical_crossentropy(self, target: Any, output: Any, from_logits: bool = False, axis: Axis = -1) -> Tensor:
        if not from_logits:
            # Which comes back here where `output` is a softmax.
            return super().categorical_crossentropy(target, output, False, axis)
        # With the logarithm that libraries have as one operation.
        output = self.floating(output)
        axis = normalize_axis(axis, len(self.library.dims(output)))
        target, scores = self.together(target, self.F.log_softmax(output, axis=axis))
        return -self.sum(target * scores, axis)
