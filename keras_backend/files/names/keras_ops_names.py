"""The names of `keras.ops` that interpreted code may use, where K or TensorFlow has the same meaning and defaults.

Source: the documentation of keras.ops (https://keras.io/api/ops/).
"""

from typing import Any

from ..python_code.values import Allowed, Namespace

OF_K = (
    'abs all any cast cos elu equal exp expand_dims greater greater_equal less less_equal logsumexp max maximum mean '
    'min minimum not_equal ones_like prod relu reshape round shape sigmoid sign sin softmax softplus softsign square '
    'squeeze stack std sum tanh var zeros_like'
).split()
OF_TENSORFLOW = 'add subtract multiply divide matmul transpose sqrt log'.split()


def namespace(K: Any, k: Namespace, tf: Namespace) -> Namespace:
    """`keras.ops` as interpreted code sees it. K: the module, counted. k, tf: K and TensorFlow as it sees them."""

    def concatenate(xs: Any, axis: int = 0) -> Any:
        return K.concatenate(xs, axis)

    return Namespace(
        'keras.ops',
        {
            **{name: tf.members[name] for name in OF_TENSORFLOW},
            **{name: k.members[name] for name in OF_K},
            'absolute': k.members['abs'],
            'power': k.members['pow'],
            'concatenate': Allowed('keras.ops.concatenate', concatenate),
        },
    )
