"""`K.function` of what depends on placeholders whose number of axes is not said."""

from typing import Any, Dict, Tuple

import numpy as np

from ...calls import Call
from ...errors import FeedError
from ._convert import is_tensor
from ._function import Function
from ._graph import describe, engine
from ._noted import Noted, at, placeholders_of


class NotedFunction:
    """A function that is made anew for each combination of ranks that its placeholders are fed with."""

    def __init__(self, inputs: Any, outputs: Any, updates: Any = (), name: Any = 'function', **kwargs: Any) -> None:
        self.name, self._options = name or 'function', kwargs
        self.inputs, self.outputs, self.updates = inputs, outputs, list(updates)
        self._call = Call(self.name, inputs, engine.session.learning_phase, is_tensor)
        fed = self._call.tensors
        self._places = [i for i, t in enumerate(fed) if isinstance(t, Noted) and t.placeholders == (t,)]
        for placeholder in placeholders_of(outputs, self.updates):
            if not any([placeholder is fed[i] for i in self._places]):
                raise FeedError(
                    f'{self.name} depends on the placeholder {describe(placeholder)}, which is not among the inputs; '
                    'list it there.'
                )
        self._made: Dict[Tuple[int, ...], Function] = {}

    def __call__(self, inputs: Any = ()) -> Any:
        fed = self._call.tensors
        defaults = {i: t._keras_default.data for i, t in enumerate(fed) if '_keras_default' in t.__dict__}
        values = self._call.values(inputs, [describe(t) for t in fed], defaults)
        key = tuple([np.ndim(values[i]) for i in self._places])
        function = self._made.get(key)
        if function is None:
            ranks = dict(zip([fed[i] for i in self._places], key))
            given = [at(list(part), ranks) for part in (fed, self.updates)]
            outputs = at(self.outputs if is_tensor(self.outputs) else list(self.outputs), ranks)
            function = self._made[key] = Function(given[0], outputs, given[1], self.name, **self._options)
        return function(values)


def function(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
    """See `library.Library.function`."""
    noted = placeholders_of(*[list(x) if isinstance(x, (list, tuple)) else x for x in (inputs, outputs, updates)])
    return (NotedFunction if noted else Function)(inputs, outputs, updates, **kwargs)
