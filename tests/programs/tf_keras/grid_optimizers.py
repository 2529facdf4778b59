"""The values of optimizers: five steps with each argument, slots, names, configurations, saved states."""

import numpy as np
import tensorflow as tf
from grid_rows import safely, spread

ARGUMENTS = {
    'SGD': {'momentum': [0.9], 'nesterov': [True]},
    'RMSprop': {'rho': [0.5], 'momentum': [0.9], 'epsilon': [0.01], 'centered': [True]},
    'Adam': {'beta_1': [0.5], 'beta_2': [0.5], 'epsilon': [0.01], 'amsgrad': [True]},
    'Adamax': {'beta_1': [0.5], 'beta_2': [0.5], 'epsilon': [0.01]},
    'Nadam': {'beta_1': [0.5], 'beta_2': [0.5], 'epsilon': [0.01]},
    'Adagrad': {'initial_accumulator_value': [0.5], 'epsilon': [0.01]},
    'Adadelta': {'rho': [0.5], 'epsilon': [0.01]},
    'Ftrl': {
        'learning_rate_power': [-0.3],
        'initial_accumulator_value': [0.5],
        'l1_regularization_strength': [0.1],
        'l2_regularization_strength': [0.1],
        'l2_shrinkage_regularization_strength': [0.1],
        'beta': [0.5],
    },
}
EVERY = {
    'learning_rate': [0.1, 1],
    'lr': [0.1],
    'decay': [0.1],
    'clipnorm': [0.1],
    'clipvalue': [0.1],
    'global_clipnorm': [0.1],
    'name': ['mine'],
    'weight_decay': [0.1],
    'nonsense': [1],
}
TOGETHER = {
    'SGD': [{'momentum': 0.9, 'nesterov': True}, {'momentum': 0.9, 'decay': 0.1}, {'clipnorm': 0.1, 'clipvalue': 0.1}],
    'Adam': [{'amsgrad': True, 'decay': 0.1}, {'learning_rate': 0.1, 'clipvalue': 0.1}],
    'RMSprop': [{'centered': True, 'momentum': 0.9}],
}


def schedules():
    """Learning rates that are no numbers."""
    made = tf.keras.optimizers.schedules
    return {
        'ExponentialDecay': made.ExponentialDecay(0.1, 2, 0.5),
        'PiecewiseConstantDecay': made.PiecewiseConstantDecay([1, 3], [0.1, 0.05, 0.01]),
        'callable': lambda: 0.05,
    }


def variables():
    """Two variables and the gradients of five steps."""
    pair = [tf.Variable(spread(3, 2), name='first'), tf.Variable(spread(2), name='second')]
    steps = [[tf.constant(spread(3, 2, start=step)), tf.constant(spread(2, start=2 * step))] for step in range(5)]
    return pair, steps


def made(name, options, module=None):
    """An optimizer."""
    return getattr(module or tf.keras.optimizers, name)(**options)


def steps_of(name, options, legacy=False):
    """Five steps of `apply_gradients`."""
    optimizer = made(name, options, tf.keras.optimizers.legacy if legacy else None)
    pair, steps = variables()
    result = {'config': optimizer.get_config()}
    for gradients in steps:
        optimizer.apply_gradients(zip(gradients, pair))
    result['values'] = [variable.numpy() for variable in pair]
    result['iterations'] = optimizer.iterations
    result['weights'] = safely(lambda: [[weight.name, list(weight.shape)] for weight in optimizer.weights])
    result['state'] = safely(optimizer.get_weights)
    return result


def again(name):
    """The state of an optimizer goes into another one, which goes on alike."""
    pair, steps = variables()
    first = made(name, {})
    for gradients in steps[:3]:
        first.apply_gradients(zip(gradients, pair))
    state = [variable.numpy() for variable in pair]
    other = [tf.Variable(value) for value in state]
    second = type(first).from_config(first.get_config())
    second.apply_gradients(zip([tf.zeros_like(variable) for variable in other], other))
    second.set_weights(first.get_weights())
    for variable, value in zip(other, state):
        variable.assign(value)
    for gradients in steps[3:]:
        first.apply_gradients(zip(gradients, pair))
        second.apply_gradients(zip(gradients, other))
    return [bool(np.allclose(one.numpy(), two.numpy(), atol=1e-6)) for one, two in zip(pair, other)]


def slots(name):
    """Names of slots, and what lies in them."""
    pair, steps = variables()
    optimizer = made(name, {'momentum': 0.9} if name in ('SGD', 'RMSprop') else {})
    optimizer.apply_gradients(zip(steps[0], pair))
    names = optimizer.get_slot_names()
    return {'names': sorted(names), 'values': [optimizer.get_slot(pair[0], slot) for slot in sorted(names)]}


def attributes(name):
    """The learning rate by its names, and the other numbers as attributes."""
    optimizer = made(name, {})
    result = {
        'lr': safely(lambda: float(optimizer.lr)),
        'learning_rate': safely(lambda: float(optimizer.learning_rate)),
        'type': safely(lambda: isinstance(optimizer.lr, tf.Variable)),
        'eval': safely(lambda: float(tf.keras.backend.get_value(optimizer.lr))),
    }
    tf.keras.backend.set_value(optimizer.lr, 0.5)
    result['set'] = safely(lambda: float(optimizer.learning_rate))
    optimizer.lr = 0.25
    result['assigned'] = safely(lambda: float(optimizer.learning_rate))
    optimizer.learning_rate = 0.125
    result['again'] = safely(lambda: float(optimizer.lr))
    optimizer.lr.assign(0.0625)
    result['config'] = safely(lambda: float(optimizer.get_config()['learning_rate']))
    result['name'] = optimizer._name if hasattr(optimizer, '_name') else None
    result['class'] = type(optimizer).__name__
    result['decay'] = safely(lambda: float(optimizer.decay))
    result['base'] = isinstance(optimizer, tf.keras.optimizers.Optimizer)
    return result


def other_calls(name):
    """minimize, get_gradients, get_updates, gradients that are None, sparse ones."""

    def minimized():
        pair, _ = variables()
        made(name, {}).minimize(lambda: tf.reduce_sum(pair[0] ** 2), pair[:1])
        return pair[0].numpy()

    def by_tape():
        pair, _ = variables()
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(pair[0] ** 2)
        made(name, {}).minimize(loss, pair[:1], tape=tape)
        return pair[0].numpy()

    def with_none():
        pair, steps = variables()
        made(name, {}).apply_gradients([(steps[0][0], pair[0]), (None, pair[1])])
        return [variable.numpy() for variable in pair]

    def sparse():
        table = tf.Variable(spread(4, 2))
        optimizer = made(name, {})
        for _ in range(2):
            optimizer.apply_gradients(
                [(tf.IndexedSlices(tf.ones((2, 2)), tf.constant([1, 3]), tf.constant([4, 2])), table)]
            )
        return table.numpy()

    def repeated():
        table = tf.Variable(spread(4, 2))
        made(name, {}).apply_gradients(
            [(tf.IndexedSlices(tf.ones((2, 2)), tf.constant([1, 1]), tf.constant([4, 2])), table)]
        )
        return table.numpy()

    def new_variable_later():
        pair, steps = variables()
        optimizer = made(name, {})
        optimizer.apply_gradients([(steps[0][0], pair[0])])
        optimizer.apply_gradients([(steps[0][1], pair[1])])
        return [variable.numpy() for variable in pair]

    def in_graph():
        pair, steps = variables()
        optimizer = made(name, {})

        @tf.function
        def step():
            optimizer.apply_gradients(zip(steps[0], pair))

        step()
        return [variable.numpy() for variable in pair]

    def constrained():
        variable = tf.Variable(spread(3, 2), constraint=tf.keras.constraints.NonNeg())
        made(name, {}).apply_gradients([(tf.ones((3, 2)), variable)])
        return variable.numpy()

    def aggregated():
        pair, steps = variables()
        made(name, {}).apply_gradients(zip(steps[0], pair), experimental_aggregate_gradients=False)
        return pair[0].numpy()

    return {
        function.__name__: safely(function)
        for function in (
            minimized,
            by_tape,
            with_none,
            sparse,
            repeated,
            new_variable_later,
            in_graph,
            constrained,
            aggregated,
        )
    }


class Plain(tf.keras.optimizers.Optimizer):
    """An optimizer as programs of TensorFlow 2.0 to 2.10 write one."""

    def __init__(self, learning_rate=0.1, name='Plain', **options):
        super().__init__(name, **options)
        self._set_hyper('learning_rate', options.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)

    def _create_slots(self, var_list):
        for variable in var_list:
            self.add_slot(variable, 'seen')

    def _resource_apply_dense(self, grad, var, apply_state=None):
        rate = self._decayed_lr(var.dtype.base_dtype)
        seen = self.get_slot(var, 'seen')
        seen.assign_add(grad**2)
        return var.assign_sub(rate * grad / (1.0 + seen))

    def get_config(self):
        """The configuration."""
        config = super().get_config()
        config.update({'learning_rate': self._serialize_hyperparameter('learning_rate')})
        return config


def own():
    """The optimizer above, at work."""
    optimizer = Plain(decay=0.1)
    pair, steps = variables()
    for gradients in steps:
        optimizer.apply_gradients(zip(gradients, pair))
    return {
        'values': [variable.numpy() for variable in pair],
        'config': optimizer.get_config(),
        'weights': [weight.name for weight in optimizer.weights],
        'rate': float(optimizer.lr),
    }


def mixed():
    """Scales of losses."""
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
    pair, steps = variables()
    optimizer.apply_gradients(zip(optimizer.get_unscaled_gradients(steps[0]), pair))
    return {
        'values': pair[0],
        'scale': float(optimizer.loss_scale),
        'scaled': optimizer.get_scaled_loss(tf.constant(2.0)),
        'dynamic': optimizer.dynamic,
        'steps': optimizer.dynamic_growth_steps,
        'config': optimizer.get_config(),
        'inner': type(optimizer.inner_optimizer).__name__,
        'lr': float(optimizer.lr),
    }


def rows(rows, record):
    """Writes the rows of optimizers."""
    for name, arguments in ARGUMENTS.items():
        for legacy in (False, True):
            front = 'legacy.' if legacy else ''
            rows.each(f'{front}{name}()', steps_of, name, {}, legacy)
            for key, values in dict(EVERY, **arguments).items():
                for value in values:
                    rows.each(f'{front}{name}({key}={value!r})', steps_of, name, {key: value}, legacy)
        for options in TOGETHER.get(name, ()):
            rows.each(f'{name}({options})', steps_of, name, options)
        for key, schedule in schedules().items():
            rows.each(f'{name}({key})', steps_of, name, {'learning_rate': schedule})
        rows.add(f'again {name}', again, name)
        rows.each(f'slots {name}', slots, name)
        rows.each(f'attributes {name}', attributes, name)
        rows.each(f'calls {name}', other_calls, name)
        rows.add(f'get {name}', lambda name=name: tf.keras.optimizers.get(name).get_config())
        rows.add(f'get {name.lower()}', lambda name=name: tf.keras.optimizers.get(name.lower()).get_config())
        rows.add(f'serialize {name}', lambda name=name: tf.keras.optimizers.serialize(made(name, {})))
        rows.add(
            f'deserialize {name}',
            lambda name=name: tf.keras.optimizers.deserialize(
                {'class_name': name, 'config': {'learning_rate': 0.5}}
            ).get_config(),
        )
    rows.each('own', own)
    rows.each('LossScaleOptimizer', mixed)
