"""Calls with arguments that do not fit: an error, with a message, when the call is made.

The calls are in refused_calls.json, by the function of K. `tensors` are the shapes of placeholders, which `listed` puts
into one list; `dtype` is that of the second, and `says` is in the message.
"""

import pytest

from ..basics.tables import beside
from ._check import covers, tuples

CALLS = {name: tuples(rows) for name, rows in beside(__file__, 'refused_calls.json').items()}


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in CALLS])
def test_refused_calls(K, check, name):
    """Shapes, ranks, axes, data formats, paddings and numbers that K cannot take."""
    for row in CALLS[name]:
        tensors = [
            K.placeholder(shape, dtype=row.get('dtype') if i else None) for i, shape in enumerate(row['tensors'])
        ]
        arguments = [tensors] if row.get('listed') else tensors
        with check.rejects(row.get('says', ''), error=(ValueError, TypeError) if row.get('any error') else ValueError):
            getattr(K, name)(*arguments, *row.get('others', ()), **row.get('options', {}))
