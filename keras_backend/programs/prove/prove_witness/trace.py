"""The results of the calls of K in order, with their values at the event that differs."""

import functools
import inspect
import json
import os
import sys
import threading

import numpy as np

from .record import kept

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
                place = self.place()
                self._seen += [(name, place, i, tensor) for i, tensor in enumerate(results) if is_tensor(tensor)]
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
                found = make(placeholders, [seen[i][3] for i in indices])(fed)
            except Exception:  # noqa: BLE001 - of any library
                if len(indices) > 1:
                    compute(indices[: len(indices) // 2])
                    compute(indices[len(indices) // 2 :])
                return
            for i, value in zip(indices, found):
                value = kept(value)
                if value is not None:
                    values['t%d' % i] = value

        if seen:
            compute(list(range(len(seen))))
        np.savez(os.path.join(self._folder, 'trace.npz'), **values)
        with open(os.path.join(self._folder, 'trace.json'), 'w') as stream:
            json.dump([[each[0], each[1], each[2]] for each in seen], stream)
