"""Every program that an engine ran wrongly, made small. The comment above an entry says what was wrong.

`tests/tools/run_programs.py` finds and shrinks; its entries fit in here. test_random_programs runs all of them.
"""

import numpy as np
from wide_programs import VARIABLES, Case, Feed


class Found:
    """A program, and its inputs by name: the dtype, the static shape (of a placeholder), and a value for each feed."""

    def __init__(self, text, floatx='float32', orders=0, phase=(0, 0, 0), apart=(), **inputs):
        self.text, self.floatx, self.orders, self.phase, self.inputs = text, floatx, orders, phase, inputs
        # Engines that still differ, each for a reason in the comment.
        self.apart = apart

    def case(self):
        dtypes, shapes, values = {}, {}, {}
        for name, (dtype, *shape, fed) in self.inputs.items():
            values[name] = [np.asarray(v, dtype) for v in fed]
            dtypes[name] = dtype
            shapes[name] = values[name][0].shape if name in VARIABLES else shape[0]
        count = max([len(v) for v in values.values()] or [1])
        feeds = [Feed.of({n: v[i] for n, v in values.items()}, self.phase[i]) for i in range(count)]
        return Case(self.text + '\n', self.floatx, dtypes, shapes, feeds, self.orders)


FOUND = []
