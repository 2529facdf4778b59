"""Optimizers of Keras 1 to 3 and tf.keras: their names, and the kinds of their arguments."""

from typing import Dict

from .kinds import FLAG, NOTHING, NUMBER, WHOLE, either, or_none
from .objects import Argument

_NUMBER = Argument(NUMBER)
_OPTIONAL = Argument(either(NUMBER, NOTHING))
_STEPS = Argument(or_none(WHOLE))
_OFF = Argument(FLAG, (False,))
_NOTHING = Argument(NOTHING)

COMMON: Dict[str, Argument] = {
    # A schedule is made before.
    'learning_rate': _NUMBER,
    'clipnorm': _OPTIONAL,
    'clipvalue': _OPTIONAL,
    'global_clipnorm': _OPTIONAL,
    'weight_decay': Argument(either(NUMBER, NOTHING), (None, 0)),
    'use_ema': _OFF,
    'ema_momentum': Argument(NUMBER, (0.99,)),
    # 100 is what RMSprop of tf.keras writes, also where there is no average.
    'ema_overwrite_frequency': Argument(or_none(WHOLE), (None, 100)),
    'loss_scale_factor': _OPTIONAL,
    'gradient_accumulation_steps': _STEPS,
    'decay': Argument(either(NUMBER, NOTHING), (None, 0)),
    'epsilon': _OPTIONAL,
}
_BETAS = {'beta_1': _NUMBER, 'beta_2': _NUMBER}
_MUON = (
    'adam_beta_1 adam_beta_2 adam_weight_decay muon_a muon_b muon_c adam_lr_ratio momentum ns_steps rms_rate'.split()
)
_FTRL = (
    'learning_rate_power l1_regularization_strength l2_regularization_strength l2_shrinkage_regularization_strength '
    'beta initial_accumulator_value'.split()
)

TABLE: Dict[str, Dict[str, Argument]] = {
    name: {**COMMON, **own}
    for name, own in {
        'SGD': {'momentum': Argument(NUMBER, (0,)), 'nesterov': _OFF},
        'RMSprop': {'rho': _NUMBER, 'momentum': Argument(NUMBER, (0,)), 'centered': _OFF},
        'Adagrad': {'initial_accumulator_value': Argument(NUMBER, (0.1,))},
        'Adadelta': {'rho': _NUMBER},
        'Adam': {**_BETAS, 'amsgrad': _OFF},
        'AdamW': {**_BETAS, 'amsgrad': _OFF},
        'Adamax': _BETAS,
        'Nadam': _BETAS,
        'Lion': _BETAS,
        'Lamb': _BETAS,
        'Ftrl': dict.fromkeys(_FTRL, _NUMBER),
        'Adafactor': {
            'beta_2_decay': _NUMBER,
            'epsilon_1': _NUMBER,
            'epsilon_2': _NUMBER,
            'clip_threshold': _NUMBER,
            'relative_step': Argument(FLAG, (True,)),
        },
        'Muon': {
            **dict.fromkeys(_MUON, _NUMBER),
            'nesterov': Argument(FLAG, (True,)),
            'exclude_embeddings': Argument(FLAG, (True,)),
            # A list of regular expressions, whose time nobody knows.
            'exclude_layers': _NOTHING,
        },
        'ScheduleFreeAdamW': {**_BETAS, 'warmup_steps': _NUMBER},
    }.items()
}
