"""`tf.contrib.training.HParams`, and optimizers of `tf.contrib`."""

import json
import re
from typing import Any, Dict, List, Optional

from ....basics.arguments import Given, taking
from .itself import tf

# -- HParams -----------------------------------------------------------------------------------------------------------
# `tf.contrib.training.HParams`: named numbers of a program, read from text.


class HParams:
    """Named values, which are attributes. A value keeps the type that it has at first.

    Args:
        hparam_def: Not given back.
        model_structure: Not given back.
        **kwargs: The values: numbers, words, booleans, and lists of them.

    Raises:
        NotImplementedError: The first or the second argument is given.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None or model_structure is not None:
            raise NotImplementedError(
                'HParams(hparam_def, model_structure) is gone with TensorFlow 1; give values by name.'
            )
        self._kinds: Dict[str, Any] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a value.

        Raises:
            ValueError: The name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f'HParams: the name {name!r} is reserved; take another name, or use set_hparam.')
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise ValueError(f'HParams: the list {name!r} may not be empty; give one element, which says the type.')
        self._kinds[name] = (type(value[0] if several else value), several)
        setattr(self, name, list(value) if several else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Change a value.

        Raises:
            KeyError: There is no such name.
            ValueError: The value is of another type, or a list in the place of a number.
        """
        kind, several = self._kinds[name]
        if several != isinstance(value, list):
            words = 'needs a list' if several else 'cannot be a list'
            raise ValueError(f'HParams: {name} {words}, and it was given {value!r}.')
        cast = [_cast(name, kind, element) for element in value] if several else _cast(name, kind, value)
        setattr(self, name, cast)

    def del_hparam(self, name: str) -> None:
        """Take a value away."""
        if name in self._kinds:
            delattr(self, name)
            del self._kinds[name]

    def parse(self, values: str) -> 'HParams':
        """Change values by text such as `'rate=0.1,sizes=[8,16],name=sgd'`.

        Raises:
            ValueError: The text cannot be read, there is no such name, or the value is of another type.
        """
        position = 0
        pattern = re.compile(r'\s*(\w+)\s*=\s*(?:\[([^\]]*)\]|([^,\[]*))\s*(?:,|$)')
        while position < len(values):
            match = pattern.match(values, position)
            if not match:
                raise ValueError(
                    f'HParams.parse: cannot read {values[position:]!r}; write name=value, or name=[value,value].'
                )
            self._read(match)
            position = match.end()
        return self

    def _read(self, found: Any) -> None:
        name, several, single = found.groups()
        if name not in self._kinds:
            raise ValueError(f'HParams.parse: there is no {name!r}; the names are {", ".join(sorted(self._kinds))}.')
        kind = self._kinds[name][0]
        if several is None:
            self.set_hparam(name, _from_text(name, kind, single))
        else:
            words = [word for word in several.split(',') if word.strip()]
            self.set_hparam(name, [_from_text(name, kind, word) for word in words])

    def override_from_dict(self, values_dict: Dict[str, Any]) -> 'HParams':
        """Change values."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> 'HParams':
        """Change values by JSON."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> Dict[str, Any]:
        """A dict of all values."""
        return {name: getattr(self, name) for name in self._kinds}

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default if there is none of this name."""
        return getattr(self, key) if key in self._kinds else default

    def to_json(self, indent: Optional[int] = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All values as JSON. The arguments are those of `json.dumps`."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def __contains__(self, key: str) -> bool:
        return key in self._kinds

    def __str__(self) -> str:
        return ','.join(f'{name}={value}' for name, value in self.values().items())

    def __repr__(self) -> str:
        return f'HParams({sorted(self.values().items())})'


def _cast(name: str, kind: type, value: Any) -> Any:
    """A value of the type; an integer may stand for a float."""
    if value is None or kind is type(None) or (isinstance(value, kind) and isinstance(value, bool) == (kind is bool)):
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError(f'HParams: {name} is of the type {kind.__name__}, so it cannot be {value!r}.')


def _from_text(name: str, kind: type, text: str) -> Any:
    word = text.strip()
    try:
        if kind is bool:
            known: List[str] = ['false', 'true', '0', '1']
            return bool(known.index(word.lower()) % 2)
        return word if kind in (str, type(None)) else kind(word)
    except ValueError:
        raise ValueError(f'HParams.parse: {name} is of the type {kind.__name__}, so it cannot be {word!r}.') from None


# -- optimizers --------------------------------------------------------------------------------------------------------
# `tf.contrib.opt.AdamWOptimizer`, `MomentumWOptimizer`, and `tf.contrib.layers.optimize_loss`.


OPTIMIZER_CLS_NAMES = {
    'Adagrad': tf.train.AdagradOptimizer,
    'Adam': tf.train.AdamOptimizer,
    'Ftrl': tf.train.FtrlOptimizer,
    'Momentum': lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    'RMSProp': tf.train.RMSPropOptimizer,
    'SGD': tf.train.GradientDescentOptimizer,
}


class DecoupledWeightDecayExtension:
    """A part of an optimizer: `weight_decay` times the variable is taken away before the step.

    This is the weight decay of Loshchilov and Hutter, 2017 (https://arxiv.org/abs/1711.05101). The learning rate does
    not scale it.

    Args:
        weight_decay: See above.
        **kwargs: The arguments of the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The operation of a step. All variables decay: TensorFlow 1.15 takes `decay_var_list` here and ignores it."""
        kwargs.pop('decay_var_list', None)
        parent: Any = super()
        return parent.minimize(loss, *args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        """The operation of a step with these gradients. `decay_var_list` are the variables that decay; without it, all.

        Of a variable whose rows were gathered, these rows decay.
        """
        chosen = kwargs.pop('decay_var_list', None)
        pairs = list(grads_and_vars)
        decays = [
            self._decay(gradient, variable)
            for gradient, variable in pairs
            if gradient is not None and (not chosen or any(variable is other for other in chosen))
        ]
        with tf.control_dependencies(decays):
            parent: Any = super()
            return parent.apply_gradients(pairs, *args, **kwargs)

    def _decay(self, gradient: Any, variable: Any) -> Any:
        """The operation that lets a variable decay, after its gradient was computed."""
        factor = tf.cast(self._weight_decay, variable.dtype.base_dtype)
        if isinstance(gradient, tf.IndexedSlices):
            with tf.control_dependencies([gradient.values]):
                rows = tf.unique(gradient.indices)[0]
                return tf.scatter_sub(variable, rows, factor * tf.gather(variable.read_value(), rows)).op
        with tf.control_dependencies([gradient]):
            return tf.assign_sub(variable, factor * variable.read_value()).op


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """A class of optimizers with the weight decay of `DecoupledWeightDecayExtension`, and an argument for it."""

    class Optimizer(DecoupledWeightDecayExtension, base_optimizer):
        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._weight_decay = weight_decay
            base_optimizer.__init__(self, *args, **kwargs)  # type: ignore[misc]

    return Optimizer


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
    """`tf.train.AdamOptimizer` with weight decay: see `DecoupledWeightDecayExtension`."""

    @taking(
        "self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name='AdamW'"
    )
    def __init__(self, given: Given) -> None:
        super().__init__(**vars(given))


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """`tf.train.MomentumOptimizer` with weight decay: see `DecoupledWeightDecayExtension`."""

    @taking("self, weight_decay, learning_rate, momentum, use_locking=False, name='MomentumW', use_nesterov=False")
    def __init__(self, given: Given) -> None:
        super().__init__(**vars(given))


@taking(
    'loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None, '
    'clip_gradients=None, learning_rate_decay_fn=None, update_ops=None, variables=None, name=None, summaries=None, '
    'colocate_gradients_with_ops=False, increment_global_step=True'
)
def optimize_loss(given: Given) -> Any:
    """A step of training, as a tensor with the loss.

    Args:
        loss: The loss.
        global_step: The variable that counts steps; without it, that of the graph, if there is one.
        learning_rate: The learning rate.
        optimizer: A name such as `'Adam'`, a class, an object, or a function of the learning rate.
        gradient_noise_scale: The deviation of the normal noise that is added to the gradients.
        gradient_multipliers: A factor for the gradient of each variable, by it or its name, such as 'dense/kernel:0'.
        clip_gradients: The largest norm of all gradients, or a function of the pairs of gradients and variables.
        learning_rate_decay_fn: A function of the learning rate and the step.
        update_ops: What runs before the loss; without it, the collection `tf.GraphKeys.UPDATE_OPS`.
        variables: The variables to train; without them, all that can be.
        name: The scope.
        summaries: Ignored: TensorBoard gets no summaries.
        colocate_gradients_with_ops: As for `tf.gradients`.
        increment_global_step: Whether the step is counted.

    Raises:
        ValueError: The optimizer is unknown.
    """
    loss = given.loss
    step = tf.train.get_global_step() if given.global_step is None else given.global_step
    with tf.variable_scope(given.name, 'OptimizeLoss', [loss, step]):
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if given.update_ops is None else given.update_ops
        if updates:
            with tf.control_dependencies(list(updates)):
                loss = tf.identity(loss)
        rate = given.learning_rate
        if rate is not None:
            rate = tf.get_variable('learning_rate', [], trainable=False, initializer=_constant(rate))
        if given.learning_rate_decay_fn is not None:
            rate = given.learning_rate_decay_fn(rate, step)
        chosen, variables = _optimizer(given.optimizer, rate), given.variables or tf.trainable_variables()
        pairs = chosen.compute_gradients(loss, variables, colocate_gradients_with_ops=given.colocate_gradients_with_ops)
        scale, factors, clip = given.gradient_noise_scale, given.gradient_multipliers, given.clip_gradients
        if scale is not None:
            pairs = [(_noisy(gradient, scale), weight) for gradient, weight in pairs]
        if factors is not None:
            pairs = [(_multiplied(gradient, weight, factors), weight) for gradient, weight in pairs]
        if callable(clip):
            pairs = clip(pairs)
        elif clip is not None:
            gradients, trained = zip(*pairs)
            pairs = list(zip(tf.clip_by_global_norm(gradients, clip)[0], trained))
        counted = step if given.increment_global_step else None
        with tf.control_dependencies([chosen.apply_gradients(pairs, global_step=counted, name='train')]):
            return tf.identity(loss)


def _constant(value: Any) -> Any:
    if tf.is_tensor(value):
        return lambda shape=None, dtype=None, partition_info=None: value
    return tf.constant_initializer(float(value))


def _optimizer(optimizer: Any, rate: Any) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f'optimize_loss(optimizer={optimizer!r}): it can be one of {", ".join(OPTIMIZER_CLS_NAMES)}; '
                'or give an optimizer of tf.train.'
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, tf.train.Optimizer):
        return optimizer
    if isinstance(optimizer, type):
        return optimizer(learning_rate=rate)
    return optimizer(rate) if rate is not None else optimizer()


def _noisy(gradient: Any, scale: float) -> Any:
    if gradient is None:
        return None
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    noise = tf.truncated_normal(tf.shape(values)) * scale
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values + noise, gradient.indices, gradient.dense_shape)
    return values + noise


def _multiplied(gradient: Any, variable: Any, factors: Any) -> Any:
    factor = next((value for key, value in factors.items() if key is variable or key == variable.name), None)
    if gradient is None or factor is None:
        return gradient
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
