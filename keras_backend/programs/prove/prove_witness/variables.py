"""The variables of a program in K alone, which has no models."""

import functools

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
            made = function(*args, **kwargs)
            if not any(made is known for _, known in self._made):
                self._made.append(('%s %d' % (name, len(self._made) + 1), made))
            return made

        return make

    def snapshot(self, when):
        """Write down all values."""
        values = []
        for name, made in self._made:
            try:
                values.append((name, self._get(made)))
            except Exception:  # noqa: BLE001, S112
                # Of any library: a tensor of unknown shape, a variable of a graph that is gone.
                continue
        if values:
            self._record.event('weights', 'variables ' + when, 1, values)
