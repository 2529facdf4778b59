"""What calls of one batch give: run by tf_keras alone and under the launcher, the lines are the same to the bit."""

import json

import numpy as np
import tensorflow as tf


class Seen(tf.keras.Model):
    """Keeps the structure, dtypes and shapes of what its steps are called with."""

    def call(self, x):
        return tf.constant(0.0)

    def train_step(self, data):
        self.structure = str(tf.nest.map_structure(lambda tensor: (tensor.dtype.name, tensor.shape.as_list()), data))
        return {}

    test_step = predict_step = train_step


class Log(tf.keras.callbacks.Callback):
    """Keeps what each method of a callback is called with."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __getattribute__(self, name):
        if name.startswith('on_'):
            return lambda *arguments: self.calls.append((name, str(arguments), str(self.params)))
        return object.__getattribute__(self, name)


def structures(run_eagerly):
    """{case: what the step got, or the error}"""
    image, ids, weights = np.ones((2, 3)), np.ones((2, 3), int), np.ones(2)
    data = {
        'x': (image,),
        'ids': (ids, ids.astype('uint8')),
        'truth values': (image > 0, weights),
        'float16': (image.astype('float16'), weights),
        'list': ([image, ids], weights),
        'list of one': ([image], [weights]),
        'inputs alone': ([image, ids],),
        'dict': ({'q': image, 'p': ids}, {'o': weights}),
        'dict alone': ({'q': image},),
        'nested': ({'q': [image, ids]}, [weights, image]),
        'weighted': (image, weights, weights.astype(int)),
        'weights of outputs': (image, [weights, image], [weights, weights]),
        'tensors': (tf.constant(image), weights),
        'lists of numbers': ([[1.0, 2.0], [3.0, 4.0]], [1, 2]),
        'a scalar': (image, np.ones(())),
        'no row': (image[:0], weights[:0]),
        'one row less': (image, weights[:1]),
        'an output without target': ([image, ids], [weights, None]),
        'strings': (np.array(['a', 'b']), weights),
    }
    found = {}
    for case, values in data.items():
        for method in ('fit', 'train_on_batch', 'evaluate', 'test_on_batch', 'predict', 'predict_on_batch'):
            model = Seen()
            model.compile(run_eagerly=run_eagerly)
            arguments = dict(zip(('x', 'y', 'sample_weight'), values))
            if method.startswith('predict'):
                arguments = {'x': values[0]}
            if not method.endswith('batch'):
                arguments['verbose'] = 0
            try:
                getattr(model, method)(**arguments)
                found[f'{case}, {method}'] = model.structure
            except (ValueError, TypeError, AttributeError, IndexError, tf.errors.OpError) as error:
                found[f'{case}, {method}'] = f'{type(error).__name__}: {str(error)[:60]}'
    return found


def two_outputs():
    inputs = tf.keras.Input((4,))
    hidden = tf.keras.layers.Dense(5)(inputs)
    hidden = tf.keras.layers.Dropout(0.5)(tf.keras.layers.BatchNormalization()(hidden))
    model = tf.keras.Model(
        inputs, [tf.keras.layers.Dense(3, name='p')(hidden), tf.keras.layers.Dense(1, name='q')(hidden)]
    )
    adam = tf.keras.optimizers.legacy.Adam()
    model.compile(adam, ['mse', 'mae'], metrics={'p': ['mae'], 'q': ['mse', 'accuracy']})
    return model


def results(sizes):
    """Histories, results, calls of callbacks, draws and weights of a seeded program."""
    tf.keras.utils.set_random_seed(3)
    draws, model, log, values = np.random.RandomState(0), two_outputs(), Log(), []
    for call, rows in enumerate(sizes):
        x, y = draws.rand(rows, 4), [draws.rand(rows, 3), draws.rand(rows, 1)]
        given = {'validation_data': (x, y) if call % 2 else None, 'initial_epoch': int(call == 4)}
        values.append(model.fit(x, y, verbose=0, epochs=call % 3 + 1, callbacks=[log], **given).history)
        values.append(model.fit(x, y, verbose=0, shuffle=False, sample_weight=draws.rand(rows)).history)
        values.append(model.fit(x, y, verbose=0, batch_size=3, steps_per_epoch=1).history)
        values += [model.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0, return_dict=True)]
        values += [model.train_on_batch(x, y), model.train_on_batch(x, y, reset_metrics=False)]
        values.append(model.test_on_batch(x, y))
        values += [[array.tolist() for array in model.predict(x, verbose=0)]]
        if call == 1:
            pipeline = tf.data.Dataset.from_tensor_slices((x, tuple(y))).batch(1)
            values.append(model.fit(pipeline, verbose=0, epochs=2).history)
            values.append(model.fit(pipeline, verbose=0, steps_per_epoch=5).history)
            values.append(model.fit(x, y, verbose=0, batch_size=1, class_weight=None, steps_per_epoch=9).history)
        if rows > 1:
            values.append(model.fit(x, y, verbose=0, validation_split=0.5).history)
        values.append(tf.random.normal([2]).numpy().tolist())
    weights = [array.tolist() for array in model.get_weights()]
    return [values, log.calls, weights, int(model.optimizer.iterations)]


class Doubled(tf.keras.metrics.Mean):
    """A mean with a result of its own."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(tf.abs(y_true - y_pred), sample_weight)

    def result(self):
        return 2 * super().result()


class Largest(tf.keras.metrics.Metric):
    """Variables of integers and truth values, which begin at what a mean does not."""

    def __init__(self, **options):
        super().__init__(**options)
        self.number = self.add_weight(name='number', dtype='int64', initializer='zeros')
        self.seen = self.add_weight(name='seen', dtype='bool', initializer='zeros')
        self.largest = self.add_weight(name='largest', initializer='ones')

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.number.assign_add(1)
        self.seen.assign(True)
        self.largest.assign(tf.maximum(self.largest, tf.reduce_max(y_pred)))

    def result(self):
        return tf.cast(self.number, 'float32') + self.largest + tf.cast(self.seen, 'float32')


class OwnResults(tf.keras.Model):
    """A model that says more than its metrics."""

    def call(self, x):
        return x

    def get_metrics_result(self):
        return dict(super().get_metrics_result(), more=7.0)


def metrics():
    """Results of metrics that are means, and of those that look like one."""
    shifted, values = tf.keras.metrics.MeanAbsoluteError(name='shifted'), []
    of_class = shifted.result
    shifted.result = lambda: of_class() + 1
    some = [
        ['mae', 'accuracy', tf.keras.metrics.AUC(num_thresholds=5), tf.keras.metrics.RootMeanSquaredError()],
        [Doubled(), Largest(), tf.keras.metrics.MeanIoU(2), tf.keras.metrics.BinaryAccuracy(dtype='float64')],
        [shifted],
        [],
    ]
    rows, target = np.linspace(0, 1, 8).reshape(4, 2), np.eye(2)[[0, 1, 1, 0]]
    for each in some:
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, 'sigmoid', kernel_initializer='ones', input_shape=(2,))])
        model.compile(tf.keras.optimizers.legacy.SGD(0.1), 'mse', metrics=each)
        values += [model.fit(rows, target, epochs=2, shuffle=False, verbose=0).history]
        values += [model.evaluate(rows, target, verbose=0), model.train_on_batch(rows, target)]
        values += [model.train_on_batch(rows, target, reset_metrics=False, return_dict=True)]
        values += [[float(np.sum(weight)) for metric in model.metrics for weight in metric.get_weights()]]
        model.reset_metrics()
        values += [[float(np.sum(weight)) for metric in model.metrics for weight in metric.get_weights()]]
    own = OwnResults()
    own.compile(loss='mse')
    values += [own.evaluate(rows, target, verbose=0, return_dict=True), own.fit(rows, target, verbose=0).history]
    numbers = [tf.Variable(1.5), tf.Variable(3), tf.Variable(True), tf.Variable([2.5, 3.5])]
    for given in [(numbers[0], 0), (numbers[1], 0)], [(numbers[0], 2), (numbers[1], 0)], [(numbers[2], 0)], []:
        tf.keras.backend.batch_set_value(given)
        values.append([number.numpy().tolist() for number in numbers])
    try:
        tf.keras.backend.batch_set_value([(numbers[3], 0)])
    except ValueError as error:
        values.append(str(error)[:60])
    return values


class OwnFlag(tf.keras.Model):
    """A model that notes what its flag is set to."""

    def __init__(self):
        vars(self)['notes'] = []
        super().__init__()

    stop_training = property(lambda self: False, lambda self, value: vars(self)['notes'].append(value))

    def call(self, x):
        return x


class StopsAfterTwo(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.stop_training = epoch == 1


def flags():
    """The flag that ends training: set by a callback, by the program, to what is no truth value, taken away."""
    row, target, values = np.ones((1, 2)), np.ones((1, 2)), []
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer='ones', input_shape=(2,))])
    model.compile(tf.keras.optimizers.legacy.SGD(0.1), 'mse')
    values += [model.fit(row, target, epochs=5, verbose=0, callbacks=[StopsAfterTwo()]).epoch, model.stop_training]
    for given in None, True, np.True_, 'yes':
        model.stop_training = given
        values += [str(model.stop_training), model.fit(row, target, verbose=0).epoch, model.stop_training]
    del model.stop_training
    values += [hasattr(model, 'stop_training'), model.fit(row, target, verbose=0).epoch, model.stop_training]
    own = OwnFlag()
    own.compile(loss='mse')
    own.fit(row, target, verbose=0)
    return values + own.notes


if __name__ == '__main__':
    # Not a float of NumPy 2 in a list: its repr would name the dtype.
    values = [structures(True), structures(False), results([1, 2, 5, 32, 7, 1, 40]), results([40, 3, 1]), metrics()]
    print(json.dumps(values + [flags()], default=float))
