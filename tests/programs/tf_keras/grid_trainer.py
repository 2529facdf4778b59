"""The trainer: fit, evaluate, predict and single batches, in several orders, with weights, masks, several outputs."""

import numpy as np
import tensorflow as tf
from grid_rows import positive, safely, set_numbers, spread

X, Y = spread(6, 3), spread(6, 2, step=0.9)
ONE_HOT, SPARSE = np.eye(2, dtype='float32')[[0, 1, 1, 0, 1, 0]], np.array([0, 1, 1, 0, 1, 0])
ROWS = np.array([1.0, 2.0, 0.0, 1.0, 3.0, 0.5], 'float32')
STEPS = spread(4, 3, 2) * np.array(
    [[[1.0], [1.0], [0.0]], [[1.0], [0.0], [0.0]], [[1.0]] * 3, [[0.0], [1.0], [1.0]]], 'float32'
)
STEP_TARGETS = positive(4, 3, 2)


def numbered(model, *arguments, eager=True, **options):
    """A compiled model with fixed numbers."""
    set_numbers(model)
    model.compile(*arguments, **dict({'run_eagerly': eager}, **options))
    return model


def one(*arguments, activation=None, **options):
    """One input, one output."""
    layers = [
        tf.keras.layers.Dense(3, activation='tanh', input_shape=(3,)),
        tf.keras.layers.Dense(2, activation=activation),
    ]
    return numbered(tf.keras.Sequential(layers), *arguments, **options)


def two(*arguments, **options):
    """One input, two named outputs."""
    inputs = tf.keras.Input((3,), name='x')
    first = tf.keras.layers.Dense(2, name='first')(inputs)
    second = tf.keras.layers.Dense(2, activation='softmax', name='second')(first)
    return numbered(tf.keras.Model(inputs, [first, second]), *arguments, **options)


def masked(*arguments, **options):
    """Sequences with masked steps."""
    layers = [tf.keras.layers.Masking(input_shape=(3, 2)), tf.keras.layers.SimpleRNN(2, return_sequences=True)]
    return numbered(tf.keras.Sequential(layers), *arguments, **options)


def fit(model, x, y, **options):
    """What a fit leaves."""
    history = model.fit(x, y, **dict({'batch_size': 4, 'epochs': 2, 'verbose': 0, 'shuffle': False}, **options))
    return {'history': history.history, 'params': history.params, 'weights': model.get_weights()}


def batches(model, x, y, **options):
    """Single batches in turn."""
    return {
        'first': model.train_on_batch(x, y, **options),
        'second': model.train_on_batch(x, y, **options),
        'kept': model.train_on_batch(x, y, reset_metrics=False, **options),
        'test': model.test_on_batch(x, y, **options),
        'dict': model.test_on_batch(x, y, return_dict=True, **options),
        'predict': model.predict_on_batch(x),
        'names': model.metrics_names,
        'types': [type(value).__name__ for value in np.ravel(model.test_on_batch(x, y))][:2],
    }


def evaluated(model, x, y, **options):
    """evaluate, with and without a dictionary."""
    options = dict({'verbose': 0, 'batch_size': 4}, **options)
    return {
        'list': model.evaluate(x, y, **options),
        'dict': model.evaluate(x, y, return_dict=True, **options),
        'names': model.metrics_names,
        'predict': model.predict(x, batch_size=4, verbose=0),
    }


def plans():
    """Calls by their labels: a function that gives a dictionary."""
    accuracy = {'metrics': ['accuracy']}
    pair = [Y, ONE_HOT]
    losses = ['mse', 'categorical_crossentropy']
    named = {'first': Y, 'second': ONE_HOT}
    result = {
        'fit': lambda: fit(one('sgd', 'mse'), X, Y),
        'fit graph': lambda: fit(one('sgd', 'mse', eager=False), X, Y),
        'fit adam': lambda: fit(one('adam', 'mae', metrics=['mse', 'mae']), X, Y),
        'fit accuracy': lambda: fit(
            one('sgd', 'categorical_crossentropy', activation='softmax', **accuracy), X, ONE_HOT
        ),
        'fit sparse': lambda: fit(
            one('sgd', 'sparse_categorical_crossentropy', activation='softmax', **accuracy), X, SPARSE
        ),
        'fit crossentropy': lambda: fit(
            one('sgd', 'binary_crossentropy', activation='sigmoid', metrics=['acc', 'crossentropy']), X, ONE_HOT
        ),
        'fit sample_weight': lambda: fit(
            one('sgd', 'mse', metrics=['mae'], weighted_metrics=['mae']), X, Y, sample_weight=ROWS
        ),
        'fit class_weight': lambda: fit(
            one('sgd', 'sparse_categorical_crossentropy', activation='softmax', **accuracy),
            X,
            SPARSE,
            class_weight={0: 1.0, 1: 3.0},
        ),
        'fit validation': lambda: fit(one('sgd', 'mse', metrics=['mae']), X, Y, validation_data=(X, -Y)),
        'fit validation weights': lambda: fit(one('sgd', 'mse'), X, Y, validation_data=(X, -Y, ROWS)),
        'fit validation_split': lambda: fit(one('sgd', 'mse'), X, Y, validation_split=0.34),
        'fit validation_freq': lambda: fit(one('sgd', 'mse'), X, Y, validation_data=(X, Y), validation_freq=2),
        'fit initial_epoch': lambda: fit(one('sgd', 'mse'), X, Y, initial_epoch=1),
        'fit steps_per_epoch': lambda: fit(one('sgd', 'mse'), X, Y, steps_per_epoch=1),
        'fit dataset': lambda: fit(
            one('sgd', 'mse'), tf.data.Dataset.from_tensor_slices((X, Y)).batch(2), None, batch_size=None
        ),
        'fit dataset weights': lambda: fit(
            one('sgd', 'mse'), tf.data.Dataset.from_tensor_slices((X, Y, ROWS)).batch(2), None, batch_size=None
        ),
        'fit generator': lambda: fit(
            one('sgd', 'mse'), (pair for pair in [(X, Y)] * 4), None, batch_size=None, steps_per_epoch=2
        ),
        'fit lists': lambda: fit(one('sgd', 'mse'), X.tolist(), Y.tolist()),
        'fit float64': lambda: fit(one('sgd', 'mse'), X.astype('float64'), Y),
        'fit tensors': lambda: fit(one('sgd', 'mse'), tf.constant(X), tf.constant(Y)),
        'fit wrong': lambda: fit(one('sgd', 'mse'), X, Y[:4]),
        'fit other shape': lambda: fit(one('sgd', 'mse'), X[:, :2], Y),
        'fit broadcast': lambda: fit(one('sgd', 'mse'), X, Y[:, :1]),
        'fit flat targets': lambda: fit(one('sgd', 'mse'), X, Y[:, 0]),
        'fit without compile': lambda: fit(tf.keras.Sequential([tf.keras.layers.Dense(1)]), X, Y),
        'fit loss weight': lambda: fit(one('sgd', 'mse', loss_weights=[0.5]), X, Y),
        'fit jit': lambda: fit(one('sgd', 'mse', steps_per_execution=2, eager=False), X, Y, batch_size=2),
        'fit decay': lambda: fit(one(tf.keras.optimizers.SGD(0.1, decay=0.1), 'mse'), X, Y),
        'fit clipnorm': lambda: fit(one(tf.keras.optimizers.Adam(0.1, clipnorm=0.1), 'mse'), X, Y),
        'fit regularized': lambda: fit(regularized(), X, Y),
        'fit add_loss': lambda: fit(added(), X, Y),
        'fit own loss': lambda: fit(one('sgd', lambda t, p: tf.reduce_mean(tf.abs(t - p), axis=-1)), X, Y),
        'fit scalar loss': lambda: fit(
            one('sgd', lambda t, p: tf.reduce_mean(tf.abs(t - p))), X, Y, sample_weight=ROWS
        ),
        'fit metrics objects': lambda: fit(
            one('sgd', 'mse', metrics=[tf.keras.metrics.MeanSquaredError('m'), 'mae', distance]), X, Y
        ),
        'fit two': lambda: fit(two('sgd', losses, **accuracy), X, pair),
        'fit two one loss': lambda: fit(two('sgd', 'mse'), X, pair),
        'fit two named': lambda: fit(
            two('sgd', {'first': 'mse', 'second': 'mae'}, metrics={'second': 'mae'}), X, named
        ),
        'fit two weights': lambda: fit(two('sgd', losses, loss_weights=[1.0, 0.5]), X, pair),
        'fit two loss_weights dict': lambda: fit(
            two('sgd', losses, loss_weights={'first': 0.5, 'second': 2.0}), X, pair
        ),
        'fit two sample weights': lambda: fit(two('sgd', losses), X, pair, sample_weight=[ROWS, ROWS[::-1]]),
        'fit two sample weights named': lambda: fit(
            two('sgd', losses), X, named, sample_weight={'first': ROWS, 'second': ROWS}
        ),
        'fit two one of them': lambda: fit(two('sgd', {'first': 'mse'}), X, {'first': Y}),
        'fit two None': lambda: fit(two('sgd', ['mse', None]), X, pair),
        'fit named input': lambda: fit(two('sgd', 'mse'), {'x': X}, pair),
        'fit two metrics lists': lambda: fit(two('sgd', 'mse', metrics=[['mae'], ['mse', 'mae']]), X, pair),
        'fit two weighted metrics': lambda: fit(
            two('sgd', losses, weighted_metrics=['mae']), X, pair, sample_weight=[ROWS, ROWS]
        ),
        'fit class_weight of two': lambda: fit(two('sgd', losses), X, pair, class_weight={0: 1.0, 1: 2.0}),
        'fit masked': lambda: fit(masked('sgd', 'mse', metrics=['mae']), STEPS, STEP_TARGETS, batch_size=2),
        'fit masked accuracy': lambda: fit(
            masked('sgd', 'mse', **accuracy), STEPS, np.round(STEP_TARGETS), batch_size=2
        ),
        'fit masked weights': lambda: fit(masked('sgd', 'mse'), STEPS, STEP_TARGETS, sample_weight=ROWS[:4]),
        'fit masked step weights': lambda: fit(
            masked('sgd', 'mse'), STEPS, STEP_TARGETS, sample_weight=spread(4, 3) ** 2
        ),
        'fit temporal': lambda: fit(
            masked('sgd', 'mse', sample_weight_mode='temporal'), STEPS, STEP_TARGETS, sample_weight=spread(4, 3) ** 2
        ),
        'evaluate masked': lambda: evaluated(
            masked('sgd', 'mse', metrics=['mae'], weighted_metrics=['mae']), STEPS, STEP_TARGETS
        ),
    }
    result.update(
        {
            'batches': lambda: batches(one('sgd', 'mse', metrics=['mae']), X, Y),
            'batches alone': lambda: batches(one('sgd', 'mse'), X, Y),
            'batches weights': lambda: batches(one('sgd', 'mse'), X, Y, sample_weight=ROWS),
            'batches two': lambda: batches(two('sgd', losses, **accuracy), X, pair),
            'batches masked': lambda: batches(masked('sgd', 'mse'), STEPS, STEP_TARGETS),
            'batches graph': lambda: batches(one('sgd', 'mse', eager=False), X, Y),
            'class weight of a batch': lambda: {
                'value': one('sgd', 'sparse_categorical_crossentropy', activation='softmax').train_on_batch(
                    X, SPARSE, class_weight={0: 1.0, 1: 3.0}
                )
            },
            'evaluate': lambda: evaluated(one('sgd', 'mse', metrics=['mae']), X, Y),
            'evaluate alone': lambda: evaluated(one('sgd', 'mse'), X, Y),
            'evaluate weights': lambda: evaluated(
                one('sgd', 'mse', weighted_metrics=['mae']), X, Y, sample_weight=ROWS
            ),
            'evaluate two': lambda: evaluated(two('sgd', losses, **accuracy), X, pair),
            'evaluate steps': lambda: evaluated(one('sgd', 'mse'), X, Y, steps=1),
            'evaluate two names': lambda: {'names': two('sgd', losses).metrics_names},
            'orders': orders,
            'frozen': frozen,
            'predicts': predicts,
            'train_step': steps_of_own,
            'batch norm': batch_norm,
            'compiled again': again,
            'stateful': stateful,
            'types': types_of_results,
            'generators of old': generators_of_old,
            'reset_metrics': reset,
            'sequence': sequence,
        }
    )
    return result


def distance(y_true, y_pred):
    """A metric of one's own."""
    return tf.reduce_max(tf.abs(y_true - y_pred), axis=-1)


def regularized():
    """A model with regularizers and an activity regularizer."""
    layer = tf.keras.layers.Dense(
        2, kernel_regularizer='l2', activity_regularizer=tf.keras.regularizers.L1(0.1), input_shape=(3,)
    )
    return numbered(tf.keras.Sequential([layer]), 'sgd', 'mse', metrics=['mae'])


def added():
    """A model with add_loss and add_metric on symbolic tensors."""
    inputs = tf.keras.Input((3,))
    outputs = tf.keras.layers.Dense(2)(inputs)
    model = tf.keras.Model(inputs, outputs)
    model.add_loss(0.1 * tf.reduce_sum(tf.square(outputs)))
    model.add_metric(tf.reduce_mean(outputs), name='mean', aggregation='mean')
    return numbered(model, 'sgd', 'mse')


def orders():
    """Calls in another order than programs mostly have."""
    model = one('sgd', 'mse', metrics=['mae'])
    result = {'names before': safely(lambda: model.metrics_names), 'predict': model.predict(X, verbose=0)}
    result['evaluate'] = model.evaluate(X, Y, verbose=0)
    result['batch'] = model.train_on_batch(X, Y)
    result['fit'] = model.fit(X, Y, verbose=0, shuffle=False).history
    result['evaluate after'] = model.evaluate(X, Y, verbose=0)
    result['names'] = model.metrics_names
    result['iterations'] = model.optimizer.iterations
    return result


def frozen():
    """Layers that are frozen before and after compile."""
    model = one('sgd', 'mse')
    model.layers[0].trainable = False
    result = {'before compile': len(model.trainable_weights)}
    before = model.layers[0].get_weights()[0]
    model.train_on_batch(X, Y)
    result['changed'] = bool(np.any(before != model.layers[0].get_weights()[0]))
    model.compile('sgd', 'mse')
    before = model.layers[0].get_weights()[0]
    model.train_on_batch(X, Y)
    result['then'] = bool(np.any(before != model.layers[0].get_weights()[0]))
    model.trainable = False
    result['counts'] = [len(model.trainable_weights), len(model.non_trainable_weights), model.count_params()]
    return result


def predicts():
    """predict of several kinds of input."""
    model = one('sgd', 'mse')
    return {
        'array': model.predict(X, verbose=0),
        'list': safely(lambda: model.predict([X], verbose=0)),
        'type': type(model.predict(X, verbose=0)).__name__,
        'steps': model.predict(X, batch_size=2, steps=2, verbose=0),
        'dataset': model.predict(tf.data.Dataset.from_tensor_slices(X).batch(4), verbose=0),
        'call': type(model(X)).__name__,
        'one row': model.predict(X[:1], verbose=0),
        'none': safely(lambda: model.predict(X[:0], verbose=0)),
        'python list': safely(lambda: model.predict([[1.0, 2.0, 3.0]], verbose=0)),
        'two': two('sgd', 'mse').predict(X, verbose=0),
    }


def steps_of_own():
    """A model with its own train_step, as the guides show it."""

    class Own(tf.keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                predicted = self(x, training=True)
                loss = self.compiled_loss(y, predicted, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.compiled_metrics.update_state(y, predicted)
            return {metric.name: metric.result() for metric in self.metrics}

    inputs = tf.keras.Input((3,))
    model = numbered(Own(inputs, tf.keras.layers.Dense(2)(inputs)), 'sgd', 'mse', metrics=['mae'])
    return fit(model, X, Y)


def batch_norm():
    """Moving averages in fit, and what predict makes of them."""
    layers = [tf.keras.layers.Dense(2, input_shape=(3,)), tf.keras.layers.BatchNormalization()]
    model = numbered(tf.keras.Sequential(layers), 'sgd', 'mse')
    return dict(fit(model, X, Y), predict=model.predict(X, verbose=0))


def again():
    """compile a second time keeps weights and forgets the optimizer."""
    model = one('adam', 'mse')
    model.fit(X, Y, verbose=0, shuffle=False)
    model.compile('adam', 'mae', metrics=['mse'])
    return {'iterations': model.optimizer.iterations, 'evaluate': model.evaluate(X, Y, verbose=0)}


def stateful():
    """A stateful model over batches."""
    layers = [tf.keras.layers.LSTM(2, stateful=True, batch_input_shape=(2, 3, 2))]
    model = numbered(tf.keras.Sequential(layers), 'sgd', 'mse')
    result = {
        'first': model.predict(STEPS[:2], batch_size=2, verbose=0),
        'second': model.predict(STEPS[:2], batch_size=2, verbose=0),
    }
    model.reset_states()
    result['reset'] = model.predict(STEPS[:2], batch_size=2, verbose=0)
    return result


def types_of_results():
    """Types of what calls return."""
    model = one('sgd', 'mse', metrics=['mae'])
    history = model.fit(X, Y, verbose=0)
    return {
        'fit': type(history).__name__,
        'loss': type(history.history['loss'][0]).__name__,
        'batch': type(model.train_on_batch(X, Y)).__name__,
        'entry': type(model.train_on_batch(X, Y)[0]).__name__,
        'evaluate': type(model.evaluate(X, Y, verbose=0)[0]).__name__,
        'alone': type(one('sgd', 'mse').evaluate(X, Y, verbose=0)).__name__,
        'loss alone': type(one('sgd', 'mse').train_on_batch(X, Y)).__name__,
    }


def generators_of_old():
    """fit_generator, evaluate_generator, predict_generator."""
    model = one('sgd', 'mse')

    def endless():
        while True:
            yield X, Y

    return {
        'fit': safely(lambda: model.fit_generator(endless(), steps_per_epoch=2, epochs=1, verbose=0).history),
        'evaluate': safely(lambda: model.evaluate_generator(endless(), steps=2)),
        'predict': safely(lambda: model.predict_generator(endless(), steps=2)),
    }


def reset():
    """Metrics across batches."""
    model = one('sgd', 'mse', metrics=['mae'])
    result = {'first': model.test_on_batch(X, Y), 'other': model.test_on_batch(X, -Y, reset_metrics=False)}
    result['metrics'] = [float(metric.result()) for metric in model.metrics]
    model.reset_metrics()
    result['reset'] = [float(metric.result()) for metric in model.metrics]
    return result


def sequence():
    """tf.keras.utils.Sequence."""

    class Batches(tf.keras.utils.Sequence):
        ended = 0

        def __len__(self):
            return 3

        def __getitem__(self, index):
            return X[2 * index : 2 * index + 2], Y[2 * index : 2 * index + 2]

        def on_epoch_end(self):
            Batches.ended += 1

    result = fit(one('sgd', 'mse'), Batches(), None, batch_size=None)
    return dict(result, ended=Batches.ended, predict=one('sgd', 'mse').predict(Batches(), verbose=0))


def rows(rows, record):
    """Writes the rows of the trainer."""
    for name, plan in plans().items():
        rows.each(name, plan)
