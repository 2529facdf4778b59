"""Saved models and weights: formats by default, names in files, what comes back."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from grid_rows import safely, set_numbers, spread

X, Y = spread(4, 3), spread(4, 1, step=0.9)


def model():
    """A model of three layers, trained for a step."""
    inputs = tf.keras.Input((3,), name='x')
    hidden = tf.keras.layers.Dense(2, activation='tanh', name='hidden')(inputs)
    hidden = tf.keras.layers.BatchNormalization(name='norm')(hidden)
    made = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name='last')(hidden), name='mine')
    set_numbers(made)
    made.compile(tf.keras.optimizers.Adam(0.01), 'mse', metrics=['mae'], run_eagerly=True)
    made.train_on_batch(X, Y)
    return made


def recurrent():
    """Layers whose weights lie deeper."""
    return tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(5, 2, input_length=4, name='words'),
            tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2), name='both'),
            tf.keras.Sequential([tf.keras.layers.Dense(2, name='deep', input_shape=(4,))], name='inner'),
        ]
    )


def names_in(path):
    """All data sets and attributes of an HDF5 file."""
    import h5py

    names = {}

    def visit(name, item):
        names[name] = list(item.shape) if hasattr(item, 'shape') else sorted(item.attrs)

    with h5py.File(path, 'r') as file:
        file.visititems(visit)
        attributes = sorted(file.attrs)
    return {'names': names, 'attributes': attributes}


def with_folder(function, *arguments, **options):
    """A function in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return function(folder, *arguments, **options)


def saved(folder, name, **options):
    """Which format `save` takes, and what comes back."""
    path, first = os.path.join(folder, name), model()
    first.save(path, **options)
    kind = 'folder' if os.path.isdir(path) else 'file'
    with open(path, 'rb') if kind == 'file' else open(os.path.join(path, 'saved_model.pb'), 'rb') as stream:
        start = stream.read(4)
    kind = {b'\x89HDF': 'HDF5', b'PK\x03\x04': 'zip'}.get(start, 'SavedModel' if kind == 'folder' else 'other')
    back = tf.keras.models.load_model(path)
    result = {
        'format': kind,
        'class': type(back).__name__,
        'equal': bool(np.allclose(first.predict(X, verbose=0), back.predict(X, verbose=0), atol=1e-6)),
        'compiled': back.optimizer is not None,
        'weights': [weight.name for weight in back.weights],
    }
    if back.optimizer is not None:
        result['iterations'] = safely(lambda: int(back.optimizer.iterations))
        result['loss'] = safely(lambda: back.evaluate(X, Y, verbose=0))
        first.train_on_batch(X, Y)
        back.train_on_batch(X, Y)
        result['goes on alike'] = bool(np.allclose(first.predict(X, verbose=0), back.predict(X, verbose=0), atol=1e-5))
        result['optimizer'] = type(back.optimizer).__name__
    return result


def weights(folder, name, **options):
    """save_weights and load_weights."""
    path, first, second = os.path.join(folder, name), model(), model()
    returned = first.save_weights(path, **options)
    second.set_weights([0 * value for value in second.get_weights()])
    back = second.load_weights(path)
    return {
        'files': sorted(os.listdir(folder)),
        'equal': all(np.allclose(*pair) for pair in zip(first.get_weights(), second.get_weights())),
        'returns': [type(returned).__name__, type(back).__name__],
    }


def h5_names(folder, make, whole):
    """Names in an HDF5 file."""
    path = os.path.join(folder, 'it.h5')
    made = make()
    if whole:
        made.save(path)
    else:
        made.save_weights(path)
    return names_in(path)


def by_name(folder):
    """load_weights(by_name=True)."""
    path = os.path.join(folder, 'it.h5')
    first = model()
    first.save_weights(path)
    other = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, name='hidden', input_shape=(3,)), tf.keras.layers.Dense(5, name='other')]
    )
    other.load_weights(path, by_name=True)
    wrong = tf.keras.Sequential([tf.keras.layers.Dense(4, name='hidden', input_shape=(3,))])
    return {
        'hidden': bool(np.allclose(other.layers[0].get_weights()[0], first.get_layer('hidden').get_weights()[0])),
        'wrong': safely(lambda: wrong.load_weights(path, by_name=True)),
        'skipped': safely(lambda: wrong.load_weights(path, by_name=True, skip_mismatch=True)),
        'other count': safely(lambda: other.load_weights(path)),
    }


class Scale(tf.keras.layers.Layer):
    """A layer of one's own."""

    def __init__(self, factor=2.0, **options):
        super().__init__(**options)
        self.factor = factor

    def call(self, inputs):
        """Scales."""
        return inputs * self.factor

    def get_config(self):
        """Its argument."""
        return dict(super().get_config(), factor=self.factor)


def custom(folder, name):
    """Layers, losses and functions of one's own."""
    path = os.path.join(folder, name)
    made = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,)), Scale(3.0)])
    made.compile('sgd', lambda t, p: tf.reduce_mean(t - p))
    made.save(path)
    result = {'without': safely(lambda: type(tf.keras.models.load_model(path)).__name__)}
    with tf.keras.utils.custom_object_scope({'Scale': Scale}):
        result['scope'] = safely(lambda: float(tf.keras.models.load_model(path, compile=False).layers[-1].factor))
    result['given'] = safely(
        lambda: (
            type(tf.keras.models.load_model(path, custom_objects={'Scale': Scale}, compile=False).layers[-1]).__name__
        )
    )
    return result


def checkpoints(folder):
    """tf.train.Checkpoint of a model and its optimizer."""
    first, second = model(), model()
    path = tf.train.Checkpoint(model=first, optimizer=first.optimizer).save(os.path.join(folder, 'it'))
    second.set_weights([0 * value for value in second.get_weights()])
    status = tf.train.Checkpoint(model=second, optimizer=second.optimizer).restore(path)
    names = [name for name, _ in tf.train.list_variables(path)]
    return {
        'equal': all(np.allclose(*pair) for pair in zip(first.get_weights(), second.get_weights())),
        'matched': safely(status.assert_existing_objects_matched) is not None,
        'names': names,
        'file': os.path.basename(path),
    }


def exported(folder):
    """tf.saved_model.save and load."""
    path, made = os.path.join(folder, 'it'), model()
    tf.saved_model.save(made, path)
    back = tf.saved_model.load(path)
    signature = back.signatures['serving_default']
    return {
        'keys': sorted(back.signatures),
        'inputs': sorted(signature.structured_input_signature[1]),
        'outputs': sorted(signature.structured_outputs),
        'equal': bool(np.allclose(list(signature(tf.constant(X)).values())[0], made(X), atol=1e-6)),
        'call': safely(lambda: list(back(tf.constant(X)).shape)),
        'keras': safely(lambda: type(tf.keras.models.load_model(path)).__name__),
    }


def wrong(folder):
    """Paths with nothing, and files of something else."""
    path = os.path.join(folder, 'it.h5')
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write('no model')
    first = model()
    first.save_weights(os.path.join(folder, 'w.h5'))
    return {
        'nowhere': safely(lambda: tf.keras.models.load_model('/nowhere/it.h5')),
        'text': safely(lambda: tf.keras.models.load_model(path)),
        'weights': safely(lambda: tf.keras.models.load_model(os.path.join(folder, 'w.h5'))),
        'no folder': safely(lambda: first.save_weights(os.path.join(folder, 'a', 'b.h5'))),
        'again': safely(lambda: first.save_weights(os.path.join(folder, 'w.h5'), overwrite=True)),
        'load': safely(lambda: first.load_weights('/nowhere/w.h5')),
    }


def rows(rows, record):
    """Writes the rows of saving."""
    for name, options in (
        ('it', {}),
        ('it.h5', {}),
        ('it.hdf5', {}),
        ('it.keras', {}),
        ('it', {'save_format': 'h5'}),
        ('it.h5', {'include_optimizer': False}),
        ('it', {'save_format': 'tf'}),
        ('it.h5', {'save_format': 'tf'}),
        ('it.model', {}),
        ('it.pb', {}),
        ('it.keras', {'save_format': 'h5'}),
    ):
        rows.each(f'save {name} {options}', with_folder, saved, name, **options)
    for name, options in (
        ('it', {}),
        ('it.h5', {}),
        ('it.hdf5', {}),
        ('it.weights.h5', {}),
        ('it', {'save_format': 'h5'}),
        ('it.ckpt', {}),
        ('it.keras', {}),
        ('it.h5', {'save_format': 'tf'}),
    ):
        rows.each(f'save_weights {name} {options}', with_folder, weights, name, **options)
    for label, make in {'functional': model, 'recurrent': recurrent}.items():
        for whole in (True, False):
            rows.each(f'names in h5 of {label} {"whole" if whole else "weights"}', with_folder, h5_names, make, whole)
    rows.each('by_name', with_folder, by_name)
    for name in ('it.h5', 'it', 'it.keras'):
        rows.each(f'custom {name}', with_folder, custom, name)
    rows.each('checkpoint', with_folder, checkpoints)
    rows.each('saved_model', with_folder, exported)
    rows.each('wrong', with_folder, wrong)
