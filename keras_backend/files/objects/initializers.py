"""Initializers of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments."""

from typing import Dict

from .kinds import FLAG, NUMBER, NUMBERS, SEED, choice, either, or_none
from .objects import Argument

_SEED = Argument(SEED)
_AXES = Argument(or_none(NUMBERS))
# Sizes of inputs are counted along these axes.
_OF_AXES = {'seed': _SEED, 'input_axes': _AXES, 'output_axes': _AXES}
_NUMBER = Argument(NUMBER)

TABLE: Dict[str, Dict[str, Argument]] = {
    'Zeros': {},
    'Ones': {},
    'Constant': {'value': Argument(either(NUMBER, NUMBERS))},
    'RandomNormal': {'mean': _NUMBER, 'stddev': _NUMBER, 'seed': _SEED},
    'TruncatedNormal': {'mean': _NUMBER, 'stddev': _NUMBER, 'seed': _SEED},
    'RandomUniform': {'minval': _NUMBER, 'maxval': _NUMBER, 'seed': _SEED},
    'VarianceScaling': {
        'scale': _NUMBER,
        'mode': Argument(choice('fan_in', 'fan_out', 'fan_avg')),
        'distribution': Argument(choice('normal', 'uniform', 'truncated_normal', 'untruncated_normal')),
        **_OF_AXES,
    },
    'Orthogonal': {'gain': _NUMBER, 'seed': _SEED},
    'Identity': {'gain': _NUMBER},
    **{f'{name}{kind}': _OF_AXES for name in ('Glorot', 'He', 'Lecun') for kind in ('Normal', 'Uniform')},
    'STFT': {
        'side': Argument(choice('real', 'imag')),
        'window': Argument(or_none(choice('hann', 'hamming'))),
        'scaling': Argument(or_none(choice('density', 'spectrum'))),
        'periodic': Argument(FLAG),
    },
}
# Names of Keras 1, of TensorFlow 1, and other names of Keras 3.
OTHER_NAMES: Dict[str, str] = {
    'normal': 'RandomNormal', 'uniform': 'RandomUniform', 'zero': 'Zeros', 'one': 'Ones',
    'IdentityInitializer': 'Identity', 'OrthogonalInitializer': 'Orthogonal', 'STFTInitializer': 'STFT', 'stft': 'STFT',
}  # fmt: skip
# Keras 2 has cut values off at two standard deviations under this name, as later ones do under their own.
DISTRIBUTIONS: Dict[str, str] = {'normal': 'truncated_normal'}
