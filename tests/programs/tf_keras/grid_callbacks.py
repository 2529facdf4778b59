"""Callbacks: what logs they get, of what types, in what order; what each callback does and leaves."""

import csv
import os
import tempfile

import numpy as np
import tensorflow as tf
from grid_rows import safely, set_numbers, spread

X, Y = spread(6, 3), spread(6, 1, step=0.9)


def small(optimizer='sgd', **compile_options):
    """A model of fixed numbers, compiled."""
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, activation='tanh', input_shape=(3,)), tf.keras.layers.Dense(1)]
    )
    set_numbers(model)
    model.compile(optimizer, 'mse', run_eagerly=True, **compile_options)
    return model


class Listener(tf.keras.callbacks.Callback):
    """Writes down all that it is told."""

    def __init__(self):
        super().__init__()
        self.events = []

    def note(self, event, number, logs):
        """One event."""
        number = None if number is None else [int(number), type(number).__name__]
        logs = (
            None
            if logs is None
            else {key: [float(value), type(value).__name__] for key, value in logs.items() if np.ndim(value) == 0}
        )
        self.events.append([event, number, logs])


def note_of(event, numbered):
    """A method of Listener."""
    if numbered:
        return lambda self, number, logs=None: self.note(event, number, logs)
    return lambda self, logs=None: self.note(event, None, logs)


for _phase in ('train', 'test', 'predict'):
    for _end in ('begin', 'end'):
        setattr(Listener, f'on_{_phase}_{_end}', note_of(f'{_phase} {_end}', False))
        setattr(Listener, f'on_{_phase}_batch_{_end}', note_of(f'{_phase} batch {_end}', True))
for _end in ('begin', 'end'):
    setattr(Listener, f'on_epoch_{_end}', note_of(f'epoch {_end}', True))


def events(calls, **options):
    """All that a listener is told during calls of a model."""
    model, listener = small(**options), Listener()
    calls(model, listener)
    return listener.events


def params():
    """What a callback knows of the run."""
    seen = {}

    class Params(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            seen['params'] = dict(self.params)
            seen['model'] = type(self.model).__name__

    small().fit(X, Y, batch_size=2, epochs=3, verbose=0, callbacks=[Params()], validation_data=(X, Y))
    return seen


def fitted(callbacks, epochs=3, **options):
    """The history and the weights after a fit with callbacks."""
    compile_options = options.pop('compile', {})
    model = small(**compile_options)
    history = model.fit(X, Y, batch_size=3, epochs=epochs, verbose=0, shuffle=False, callbacks=callbacks, **options)
    return {
        'history': history.history,
        'epoch': history.epoch,
        'weights': [weight for weight in model.get_weights()],
        'rate': safely(lambda: float(tf.keras.backend.get_value(model.optimizer.lr))),
    }


def early(**options):
    """EarlyStopping."""
    callback = tf.keras.callbacks.EarlyStopping(**options)
    result = fitted([callback], epochs=6, validation_data=(X, -Y))
    return dict(result, stopped=callback.stopped_epoch, wait=callback.wait, best=float(callback.best))


def plateau(**options):
    """ReduceLROnPlateau."""
    callback = tf.keras.callbacks.ReduceLROnPlateau(**options)
    return fitted([callback], epochs=5, validation_data=(X, -Y))


def scheduler(schedule, **options):
    """LearningRateScheduler."""
    return fitted([tf.keras.callbacks.LearningRateScheduler(schedule, **options)], epochs=4)


def files_of(make, **options):
    """Names of files that a callback writes, with the content of tables."""
    with tempfile.TemporaryDirectory() as folder:
        result = fitted([make(folder)], epochs=2, validation_data=(X, Y), **options)
        written = sorted(
            os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names
        )
        result['files'] = [name for name in written if 'events' not in name and 'fingerprint' not in name]
        result['event files'] = sum('events' in name for name in written)
        for name in written:
            if name.endswith('.csv'):
                with open(os.path.join(folder, name), encoding='utf-8', newline='') as stream:
                    rows = list(csv.reader(stream))
                result['table'] = [rows[0]] + [[round(float(cell), 4) for cell in row] for row in rows[1:]]
    return result


def not_a_number():
    """TerminateOnNaN."""
    model = small()
    callback = tf.keras.callbacks.TerminateOnNaN()
    history = model.fit(X * np.nan, Y, batch_size=3, epochs=3, verbose=0, callbacks=[callback])
    return {'epochs': history.epoch, 'loss': [str(value) for value in history.history['loss']]}


def lambdas():
    """LambdaCallback."""
    seen = []
    callback = tf.keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: seen.append([epoch, type(epoch).__name__]),
        on_batch_end=lambda batch, logs: seen.append([batch, sorted(logs)]),
        on_train_end=lambda logs: seen.append(sorted(logs or ())),
    )
    small().fit(X, Y, batch_size=3, epochs=1, verbose=0, callbacks=[callback])
    return seen


def stops(when):
    """model.stop_training, set during a batch or at the end of an epoch."""

    class Stopper(tf.keras.callbacks.Callback):
        pass

    def stop(self, number, logs=None):
        if number == 1:
            self.model.stop_training = True

    setattr(Stopper, when, stop)
    listener = Listener()
    model = small()
    history = model.fit(X, Y, batch_size=2, epochs=3, verbose=0, callbacks=[Stopper(), listener])
    return {'epochs': history.epoch, 'events': [event[0] for event in listener.events]}


def changes_of_logs():
    """Entries that a callback adds to the logs."""

    class Adder(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            logs['added'] = 2.0 * epoch

    return fitted([Adder()])['history']


def formats():
    """The format of numbers in file names of ModelCheckpoint, and in CSVLogger, with epochs as they come."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'at-{epoch:02d}-{loss:.2f}-{val_loss:.1f}.h5')
        small().fit(
            X,
            Y,
            epochs=2,
            verbose=0,
            callbacks=[tf.keras.callbacks.ModelCheckpoint(path)],
            validation_data=(X, Y),
            shuffle=False,
        )
        return sorted(os.listdir(folder))


def lists():
    """CallbackList by itself."""
    listener = Listener()
    several = tf.keras.callbacks.CallbackList([listener], add_history=True, model=small(), epochs=1, verbose=0)
    several.on_train_begin()
    several.on_epoch_begin(0)
    several.on_train_batch_begin(0)
    several.on_train_batch_end(0, {'loss': 1.0})
    several.on_epoch_end(0, {'loss': 1.0})
    several.on_train_end()
    return listener.events


def rows(rows, record):
    """Writes the rows of callbacks."""
    made = tf.keras.callbacks
    rows.add(
        'events of fit',
        events,
        lambda model, listener: model.fit(X, Y, batch_size=4, epochs=2, verbose=0, shuffle=False, callbacks=[listener]),
    )
    rows.add(
        'events of fit with validation',
        events,
        lambda model, listener: model.fit(
            X, Y, batch_size=3, epochs=1, verbose=0, shuffle=False, callbacks=[listener], validation_data=(X, Y)
        ),
        metrics=['mae'],
    )
    rows.add(
        'events from an epoch on',
        events,
        lambda model, listener: model.fit(X, Y, epochs=3, initial_epoch=2, verbose=0, callbacks=[listener]),
    )
    rows.add(
        'events of a generator',
        events,
        lambda model, listener: model.fit(
            iter([(X, Y)] * 4), steps_per_epoch=2, epochs=2, verbose=0, callbacks=[listener]
        ),
    )
    rows.add(
        'events of evaluate',
        events,
        lambda model, listener: model.evaluate(X, Y, batch_size=4, verbose=0, callbacks=[listener]),
        metrics=['mae'],
    )
    rows.add(
        'events of predict',
        events,
        lambda model, listener: model.predict(X, batch_size=4, verbose=0, callbacks=[listener]),
    )
    rows.each('params', params)
    for options in (
        {},
        {'monitor': 'loss'},
        {'patience': 2},
        {'patience': 1, 'restore_best_weights': True},
        {'min_delta': 5.0},
        {'mode': 'max'},
        {'baseline': 0.01},
        {'monitor': 'nonsense'},
        {'start_from_epoch': 2},
        {'mode': 'nonsense'},
    ):
        rows.each(f'EarlyStopping({options})', early, **options)
    for options in (
        {'patience': 1},
        {'patience': 1, 'factor': 0.5},
        {'patience': 1, 'cooldown': 1},
        {'patience': 1, 'min_lr': 0.005},
        {'patience': 1, 'mode': 'max'},
        {'patience': 1, 'min_delta': 5.0},
        {'patience': 1, 'epsilon': 5.0},
        {'factor': 1.5},
        {'monitor': 'loss', 'patience': 0},
    ):
        rows.each(f'ReduceLROnPlateau({options})', plateau, **options)
    rows.each('LearningRateScheduler', scheduler, lambda epoch: 0.1 / (epoch + 1))
    rows.each('LearningRateScheduler two', scheduler, lambda epoch, rate: rate * 0.5)
    rows.each('LearningRateScheduler int', scheduler, lambda epoch: 1)
    rows.each('LearningRateScheduler dict', scheduler, lambda epoch: {0: 0.1, 1: 0.2, 2: 0.1, 3: 0.1}[epoch])
    rows.each('LearningRateScheduler numpy', scheduler, lambda epoch: np.float32(0.1))
    rows.each('CSVLogger', files_of, lambda folder: made.CSVLogger(os.path.join(folder, 'log.csv'), separator=','))
    for name, options in {
        '': {},
        'weights': {'save_weights_only': True},
        'best': {'save_best_only': True},
        'max': {'save_best_only': True, 'mode': 'max'},
        'batches': {'save_freq': 2},
        'period': {'period': 2},
    }.items():
        for path in ('it.h5', 'it', 'it-{epoch}.weights.h5'):
            rows.each(
                f'ModelCheckpoint {name} {path}',
                files_of,
                lambda folder, options=options, path=path: made.ModelCheckpoint(os.path.join(folder, path), **options),
            )
    for options in ({}, {'histogram_freq': 1}, {'update_freq': 'batch'}, {'write_graph': False}):
        rows.each(
            f'TensorBoard({options})',
            files_of,
            lambda folder, options=options: made.TensorBoard(folder, profile_batch=0, **options),
        )
    rows.each('TerminateOnNaN', not_a_number)
    rows.add('LambdaCallback', lambdas)
    for when in ('on_train_batch_end', 'on_epoch_end', 'on_epoch_begin'):
        rows.each(f'stop in {when}', stops, when)
    rows.add('logs changed', changes_of_logs)
    rows.add('file names', formats)
    rows.add('CallbackList', lists)
    rows.each('History', lambda: fitted([]))
