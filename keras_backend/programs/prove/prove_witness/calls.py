"""What `K.function` makes, and the results of the calls of K in order."""

import functools
import inspect
import json
import os
import sys
import threading

import numpy as np

from .record import changed, kept


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
            backend_function = original(inputs, outputs, *args, **kwargs)
            name = kwargs.get('name') or 'function'
            count = self._counts[name] = self._counts.get(name, 0) + 1
            step = bool(args[0] if args else kwargs.get('updates'))
            return Called(self, backend_function, '%s %d' % (name, count), inputs, original, step)

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


# -- the trace ---------------------------------------------------------------------------------------------------------
# The results of the calls of K in order, with their values at the event that differs.


# These return no value that depends on the inputs, or change a variable.
LEFT_OUT = ('function', 'placeholder', 'learning_phase')
UPDATES = ('update', 'update_add', 'update_sub', 'moving_average_update')
LEFT_OUT += ('eval', 'clear_session', 'manual_variable_initialization', 'name_scope', 'control_dependencies')
HERE = os.path.dirname(os.path.abspath(__file__))


class Trace(object):
    """Keeps the results of the public functions of K, if `event` names a call of a function."""

    def __init__(self, event, program, folder):
        self._event, self._program, self._folder = event, os.path.abspath(program), folder
        self._seen, self._inside = [], threading.local()

    def patch(self, module, is_tensor):
        """Wrap the functions of a module of K. is_tensor: tells a tensor from other results."""
        if not self._event:
            return
        for name, function in list(vars(module).items()):
            if inspect.isfunction(function) and not name.startswith(('_', 'is_', 'get_', 'set_')):
                if name not in LEFT_OUT:
                    setattr(module, name, self._recorded(name, function, is_tensor))

    def _recorded(self, name, function, is_tensor):
        @functools.wraps(function)
        def recorded(*args, **kwargs):
            depth = self._inside.depth = getattr(self._inside, 'depth', 0) + 1
            try:
                result = function(*args, **kwargs)
            finally:
                self._inside.depth = depth - 1
            if depth == 1:  # what a step of K.rnn makes cannot be seen from outside
                results = result if isinstance(result, (list, tuple)) else [result]
                if name in UPDATES:  # what it is given
                    results = list(args[1:2])
                position = self.place()
                self._seen += [(name, position, i, tensor) for i, tensor in enumerate(results) if is_tensor(tensor)]
            return result

        return recorded

    def place(self):
        """'FILE:LINE' of the program that calls, or the part of Keras."""
        frame = sys._getframe(1)
        nearest = ''
        while frame is not None:
            path = os.path.abspath(frame.f_code.co_filename)
            if path == self._program:
                return '%s:%d' % (os.path.basename(path), frame.f_lineno)
            if not nearest and os.path.dirname(path) != HERE:
                nearest = '/'.join(path.replace(os.sep, '/').split('/')[-2:]) + ', ' + frame.f_code.co_name
            frame = frame.f_back
        return nearest

    def evaluate(self, name, call, placeholders, fed, make):
        """Write down the values of all results that the inputs of this call determine, before it changes variables."""
        if self._event != [name, call]:
            return
        seen, values = list(self._seen), {}

        def compute(indices):
            # All at once is fast. A tensor that needs other inputs spoils it, so halves are tried.
            try:
                results = make(placeholders, [seen[i][3] for i in indices])(fed)
            except Exception:  # noqa: BLE001 - of any library
                if len(indices) > 1:
                    compute(indices[: len(indices) // 2])
                    compute(indices[len(indices) // 2 :])
                return
            for i, value in zip(indices, results):
                value = kept(value)
                if value is not None:
                    values['t%d' % i] = value

        if seen:
            compute(list(range(len(seen))))
        np.savez(os.path.join(self._folder, 'trace.npz'), **values)
        with open(os.path.join(self._folder, 'trace.json'), 'w') as stream:
            json.dump([[result[0], result[1], result[2]] for result in seen], stream)
