"""The models and variables of a program, and their weights."""

import functools
import threading
import weakref

import numpy as np

from .record import changed

# -- programs in K alone -----------------------------------------------------------------------------------------------
# The variables of a program in K alone, which has no models.


MAKE = ('variable', 'zeros', 'ones', 'eye', 'random_normal_variable', 'random_uniform_variable')


class Variables(object):
    """Numbers the variables in the order in which they are made, and writes down their values."""

    def __init__(self, record):
        self._record, self._made, self._get = record, [], None

    def patch(self, module):
        """Get to know what the functions of a module of K make."""
        self._get = module.get_value
        for name in MAKE:
            setattr(module, name, self._remembered(name, getattr(module, name)))

    def _remembered(self, name, function):
        @functools.wraps(function)
        def make(*args, **kwargs):
            variable = function(*args, **kwargs)
            if not any(variable is known for _, known in self._made):
                self._made.append(('%s %d' % (name, len(self._made) + 1), variable))
            return variable

        return make

    def snapshot(self, when):
        """Write down all values."""
        values = []
        for name, variable in self._made:
            try:
                values.append((name, self._get(variable)))
            except Exception:  # noqa: BLE001, S112
                # Of any library: a tensor of unknown shape, a variable of a graph that is gone.
                continue
        if values:
            self._record.event('weights', 'variables ' + when, 1, values)


# Of Keras 3 and tf.keras: what a model computes outside of `fit`.
RESULTS = ('train_on_batch', 'test_on_batch', 'predict_on_batch', 'predict', 'evaluate')
STEPS = ('fit', 'train_on_batch')


class Models(object):
    """Numbers the models in the order in which they are first used, and writes down their weights."""

    def __init__(self, record, control):
        self._record, self._control, self._models, self._calls, self._before = record, control, [], {}, set()
        self._inside = threading.local()
        self.before_calls = lambda: None

    def number(self, model):
        """The number of a model, from 1."""
        for i, known in enumerate(self._models):
            if known() is model:
                return i + 1
        self._models.append(weakref.ref(model))
        return len(self._models)

    def snapshot(self, when, new=False):
        """Write down the weights of all models, or of those that were not written down yet."""
        for i, known in enumerate(list(self._models)):
            model = known()
            if model is None or (new and i in self._before):
                continue
            if not getattr(model, 'built', True):
                continue
            self._before.add(i)
            values = model.get_weights()
            names = [getattr(weight, 'name', 'weight') for weight in model.weights]
            names = names if len(names) == len(values) else ['weight'] * len(values)
            self._record.event('weights', 'model %d %s' % (i + 1, when), 1, list(zip(names, values)))

    def patch_compile(self, cls):
        """Get to know each model that is compiled."""
        if 'compile' not in vars(cls):
            return
        original = cls.compile

        @functools.wraps(original)
        def compile_(model, *args, **kwargs):
            self.number(model)
            return original(model, *args, **kwargs)

        cls.compile = compile_

    def patch_steps(self, cls, callback):
        """Write down what a model of Keras 3 or tf.keras computes. callback: the class Callback."""
        for name in RESULTS:
            if callable(getattr(cls, name, None)):
                setattr(cls, name, self._recorded(name, getattr(cls, name)))
        cls.__call__ = self._known(cls.__call__)
        original = cls.fit

        @functools.wraps(original)
        def fit(model, *args, **kwargs):
            if self._depth():
                return original(model, *args, **kwargs)
            args = self._changed(args)
            _replace(args, kwargs, 8, 'shuffle', lambda given: False)
            _replace(args, kwargs, 5, 'callbacks', lambda given: self._with_callback(given, callback, model))
            self._record.note('fit does not shuffle')
            self._before_step(model)
            return self._deeper(original, model, *args, **kwargs)

        cls.fit = fit

    def _known(self, original):
        """A model that is only called, in a loop of the program's own, has weights to compare, too."""

        @functools.wraps(original)
        def call(model, *args, **kwargs):
            if not self._depth():
                self.number(model)
            return original(model, *args, **kwargs)

        return call

    def _changed(self, args):
        return [changed(value, self._control) for value in args]

    def _depth(self):
        return getattr(self._inside, 'depth', 0)

    def _deeper(self, function, *args, **kwargs):
        self._inside.depth = self._depth() + 1
        try:
            return function(*args, **kwargs)
        finally:
            self._inside.depth -= 1

    def _before_step(self, model):
        self.number(model)
        self.snapshot('before its first step', new=True)

    def _recorded(self, name, original):
        @functools.wraps(original)
        def method(model, *args, **kwargs):
            if self._depth():
                return original(model, *args, **kwargs)
            self._before_step(model)
            self.before_calls()
            args = self._changed(args)
            result = self._deeper(original, model, *args, **kwargs)
            inputs = [('input %d' % i, value) for i, value in enumerate(_flat(args[:2]))]
            if isinstance(result, dict):
                outputs = sorted(result.items())
            else:
                outputs = [('output %d' % i, value) for i, value in enumerate(_flat([result]))]
            self._event(model, name, outputs, inputs)
            return result

        return method

    def _event(self, model, name, outputs, inputs=()):
        title = 'model %d %s' % (self.number(model), name)
        call = self._calls[title] = self._calls.get(title, 0) + 1
        if call <= self._record.steps:
            outputs = [(label, _single(value)) for label, value in outputs]
            self._record.event('call', title, call, outputs, inputs, name in STEPS)
        if name in STEPS:
            if call == self._record.steps:
                self.snapshot('after %d steps of %s' % (call, title))
            self._record.after_step(call)

    def _with_callback(self, given, callback, model):
        event, begins = self._event, self

        class Batches(callback):
            def on_train_batch_begin(self, batch, logs=None):
                begins.before_calls()

            def on_train_batch_end(self, batch, logs=None):
                event(model, 'fit', sorted((logs or {}).items()))

        if given is not None and not isinstance(given, (list, tuple)):
            return [given, Batches()] if isinstance(given, callback) else given
        return list(given or []) + [Batches()]


def _single(value):
    """A number of float32. Keras makes Python floats of the losses, which were computed in float32."""
    if isinstance(value, float):
        return np.float32(value)
    if isinstance(value, (list, tuple)) and any(isinstance(number, float) for number in value):
        return np.asarray(value, 'float32')
    return value


def _replace(args, kwargs, place, name, new):
    if len(args) > place:
        args[place] = new(args[place])
    else:
        kwargs[name] = new(kwargs.get(name))


def _flat(values):
    leaves = []
    for value in values:
        if isinstance(value, dict):
            leaves += [value[key] for key in sorted(value)]
        elif isinstance(value, (list, tuple)) and not all(isinstance(v, (int, float)) for v in value):
            leaves += _flat(value)
        elif value is not None:
            leaves.append(value)
    return leaves
