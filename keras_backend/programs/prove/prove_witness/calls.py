"""What `K.function` makes: each call is an event."""

import threading

import numpy as np

from .record import changed


class Called(object):
    """A function of K that writes down its calls."""

    def __init__(self, owner, function, name, inputs, make, step):
        self._owner, self._function, self._name, self._inputs, self._make = owner, function, name, inputs, make
        self._step = step
        self._calls, self._lock = 0, threading.Lock()

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __call__(self, *args, **kwargs):
        with self._lock:
            self._calls += 1
            call = self._calls
        known = self._function, self._name, call, self._inputs, self._make, self._step
        return self._owner.called(known, args, kwargs)


class Functions(object):
    """Numbers the functions in the order in which they are made."""

    def __init__(self, record, models, trace, control):
        self._record, self._models, self._trace, self._control = record, models, trace, control
        self._counts = {}
        self.before_calls = lambda: None

    def patch(self, module):
        """Patch `function` of a module of K."""
        original = module.function
        if getattr(original, '_of_witness', False):
            return

        def function(inputs, outputs, *args, **kwargs):
            made = original(inputs, outputs, *args, **kwargs)
            name = kwargs.get('name') or 'function'
            count = self._counts[name] = self._counts.get(name, 0) + 1
            step = bool(args[0] if args else kwargs.get('updates'))
            return Called(self, made, '%s %d' % (name, count), inputs, original, step)

        function.__doc__, function._of_witness = original.__doc__, True
        module.function = function

    def called(self, known, args, kwargs):
        """Call a function and write it down."""
        function, name, call, placeholders, make, step = known
        if self._control and args and isinstance(args[0], (list, tuple)):
            args = ([changed(value, self._control) for value in args[0]],) + tuple(args[1:])
        self.before_calls()
        if call > self._record.steps:
            return function(*args, **kwargs)
        self._models.snapshot('before its first step', new=True)
        fed = args[0] if args else kwargs.get('inputs', [])
        fed = list(fed) if isinstance(fed, (list, tuple)) else [fed]
        before = [('input %d' % i, np.array(value)) for i, value in enumerate(fed) if _is_array(value)]
        self._trace.evaluate(name, call, placeholders, fed, make)
        result = function(*args, **kwargs)
        results = result if isinstance(result, (list, tuple)) else [result]
        outputs = [('output %d' % i, value) for i, value in enumerate(results) if value is not None]
        self._record.event('call', name, call, outputs, before, step)
        if name.startswith('train_function'):
            if call == self._record.steps:
                self._models.snapshot('after %d steps of %s' % (call, name))
            self._record.after_step(call)
        return result


def _is_array(value):
    return isinstance(value, (np.ndarray, np.generic, int, float, list))
