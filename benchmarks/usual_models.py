r"""The models that people have, under the launchers and beside the original, tf_keras and Keras 3.

    python benchmarks/usual_models.py --engines torch jax --python original=/opt/keras2/bin/python
    python benchmarks/usual_models.py --models mlp one_row --who keras2 tf_keras launcher_tf_keras

Each model is written in layers of Keras alone, as a program of its time writes it. The same code runs as a program of
Keras 2 under `python -m keras_backend.keras2`, as a program of tf.keras under `python -m keras_backend.keras3`, on the
original, on tf_keras and in plain Keras 3. Each process measures one model: the seconds of the first step, the
milliseconds of `train_on_batch`, of a batch in `fit` and of a batch in `predict`, and the megabytes at its peak. The
processes take turns, each on one core, and the table has the medians. A peer whose library is missing is left out.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.abspath(__file__)
# What a process is: the module of a launcher, and the Keras that the program imports.
WHO = {
    'keras2': (['-m', 'keras_backend.keras2', '--keras', '2.3.1'], 'keras'),
    'original': ([], 'keras'),
    'launcher_tf_keras': (['-m', 'keras_backend.keras3'], 'tensorflow.keras'),
    'tf_keras': ([], 'tensorflow.keras'),
    'launcher_keras3': (['-m', 'keras_backend.keras3'], 'tensorflow.keras'),
    'keras3': ([], 'keras'),
}
# The engines of those that do not run on all of them.
ENGINES = {
    'original': ('tensorflow',),
    'launcher_tf_keras': ('tensorflow',),
    'tf_keras': ('tensorflow',),
    'launcher_keras3': ('torch', 'jax'),
    'keras3': ('tensorflow', 'torch', 'jax'),
}
FIGURES = ('first step, s', 'train_on_batch, ms', 'fit, ms', 'predict, ms', 'peak, MB')


# -- models ------------------------------------------------------------------------------------------------------------


def one_row(keras):
    """A network of an agent, which is asked for one state at a time."""
    layers = keras.layers
    model = keras.models.Sequential()
    model.add(layers.Dense(24, activation='relu', input_shape=(4,)))
    model.add(layers.Dense(24, activation='relu'))
    model.add(layers.Dense(2))
    return model, 'mse', 1, [('float', (4,))], ('float', (2,))


def mlp(keras):
    layers = keras.layers
    model = keras.models.Sequential()
    model.add(layers.Dense(512, activation='relu', input_shape=(784,)))
    model.add(layers.Dropout(0.2))
    model.add(layers.Dense(512, activation='relu'))
    model.add(layers.Dropout(0.2))
    model.add(layers.Dense(10, activation='softmax'))
    return model, 'categorical_crossentropy', 128, [('float', (784,))], ('class', 10)


def mnist_cnn(keras):
    layers = keras.layers
    model = keras.models.Sequential()
    model.add(layers.Conv2D(32, (3, 3), activation='relu', input_shape=(28, 28, 1)))
    model.add(layers.Conv2D(64, (3, 3), activation='relu'))
    model.add(layers.MaxPooling2D((2, 2)))
    model.add(layers.Flatten())
    model.add(layers.Dense(128, activation='relu'))
    model.add(layers.Dense(10, activation='softmax'))
    return model, 'categorical_crossentropy', 64, [('float', (28, 28, 1))], ('class', 10)


def convolved(layers, value, filters, size, strides=1, activation=True):
    """A convolution of a ResNet with its normalization."""
    value = layers.Conv2D(filters, size, strides=strides, padding='same')(value)
    value = layers.BatchNormalization()(value)
    return layers.Activation('relu')(value) if activation else value


def resnet20(keras):
    layers = keras.layers

    image = layers.Input((32, 32, 3))
    value = convolved(layers, image, 16, 3)
    for stage in range(3):
        for block in range(3):
            strides = 2 if stage and not block else 1
            inner = convolved(layers, value, 16 * 2**stage, 3, strides)
            inner = convolved(layers, inner, 16 * 2**stage, 3, activation=False)
            if strides == 2:
                value = layers.Conv2D(16 * 2**stage, 1, strides=2, padding='same')(value)
            value = layers.Activation('relu')(layers.add([value, inner]))
    value = layers.Dense(10, activation='softmax')(layers.GlobalAveragePooling2D()(value))
    return keras.models.Model(image, value), 'categorical_crossentropy', 32, [('float', (32, 32, 3))], ('class', 10)


def resnet50(keras):
    layers = keras.layers

    image = layers.Input((96, 96, 3))
    value = layers.MaxPooling2D(3, strides=2, padding='same')(convolved(layers, image, 64, 7, 2))
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            strides, filters = 2 if stage and not block else 1, 64 * 2**stage
            inner = convolved(layers, convolved(layers, value, filters, 1, strides), filters, 3)
            inner = convolved(layers, inner, 4 * filters, 1, activation=False)
            if not block:
                value = convolved(layers, value, 4 * filters, 1, strides, activation=False)
            value = layers.Activation('relu')(layers.add([value, inner]))
    value = layers.Dense(10, activation='softmax')(layers.GlobalAveragePooling2D()(value))
    return keras.models.Model(image, value), 'categorical_crossentropy', 4, [('float', (96, 96, 3))], ('class', 10)


def mobilenet(keras):
    layers = keras.layers
    image = layers.Input((96, 96, 3))

    def activated(value):
        return layers.Activation('relu')(layers.BatchNormalization()(value))

    value = activated(layers.Conv2D(16, 3, strides=2, padding='same', use_bias=False)(image))
    for filters, strides in [(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2)] + [(256, 1)] * 5:
        value = activated(layers.DepthwiseConv2D(3, strides=strides, padding='same', use_bias=False)(value))
        value = activated(layers.Conv2D(filters, 1, use_bias=False)(value))
    value = layers.Dense(10, activation='softmax')(layers.GlobalAveragePooling2D()(value))
    return keras.models.Model(image, value), 'categorical_crossentropy', 16, [('float', (96, 96, 3))], ('class', 10)


def unet(keras):
    layers = keras.layers

    def twice(value, filters):
        for _ in range(2):
            value = layers.Conv2D(filters, 3, activation='relu', padding='same')(value)
        return value

    image = layers.Input((64, 64, 1))
    value, skipped = image, []
    for filters in 16, 32, 64:
        value = twice(value, filters)
        skipped.append(value)
        value = layers.MaxPooling2D()(value)
    value = layers.Dropout(0.5)(twice(value, 128))
    for filters in 64, 32, 16:
        value = layers.Conv2D(filters, 2, activation='relu', padding='same')(layers.UpSampling2D()(value))
        value = twice(layers.concatenate([skipped.pop(), value]), filters)
    value = layers.Conv2D(1, 1, activation='sigmoid')(value)
    return keras.models.Model(image, value), 'binary_crossentropy', 8, [('float', (64, 64, 1))], ('unit', (64, 64, 1))


def imdb_lstm(keras):
    layers = keras.layers
    model = keras.models.Sequential()
    model.add(layers.Embedding(20000, 128))
    model.add(layers.LSTM(128))
    model.add(layers.Dense(1, activation='sigmoid'))
    return model, 'binary_crossentropy', 32, [('id', (80, 20000))], ('unit', (1,))


def masked_bilstm(keras):
    layers = keras.layers
    words = layers.Input((50,))
    value = layers.Embedding(5000, 64, mask_zero=True)(words)
    value = layers.Bidirectional(layers.LSTM(64, return_sequences=True))(value)
    value = layers.TimeDistributed(layers.Dense(9, activation='softmax'))(value)
    model = keras.models.Model(words, value)
    return model, 'categorical_crossentropy', 32, [('id', (50, 5000))], ('classes', (50, 9))


def seq2seq(keras):
    """An encoder and a decoder with attention by products."""
    layers = keras.layers
    given, before = layers.Input((20,)), layers.Input((20,))
    encoded = layers.LSTM(96, return_sequences=True)(layers.Embedding(3000, 64)(given))
    decoded = layers.LSTM(96, return_sequences=True)(layers.Embedding(3000, 64)(before))
    scores = layers.Activation('softmax')(layers.Dot((2, 2))([decoded, encoded]))
    context = layers.Dot((2, 1))([scores, encoded])
    value = layers.TimeDistributed(layers.Dense(96, activation='tanh'))(layers.concatenate([context, decoded]))
    value = layers.TimeDistributed(layers.Dense(300, activation='softmax'))(value)
    kinds = [('id', (20, 3000)), ('id', (20, 3000))]
    return keras.models.Model([given, before], value), 'categorical_crossentropy', 16, kinds, ('classes', (20, 300))


def bert(keras):
    """Four blocks of a transformer encoder, with batch normalization, which every Keras has."""
    layers = keras.layers
    words = layers.Input((64,))
    value = layers.Embedding(5000, 128)(words)
    for _ in range(4):
        heads = []
        for _ in range(4):
            query, key, content = [layers.TimeDistributed(layers.Dense(32))(value) for _ in range(3)]
            scores = layers.Activation('softmax')(layers.Dot((2, 2))([query, key]))
            heads.append(layers.Dot((2, 1))([scores, content]))
        attended = layers.TimeDistributed(layers.Dense(128))(layers.concatenate(heads))
        value = layers.BatchNormalization()(layers.add([value, layers.Dropout(0.1)(attended)]))
        inner = layers.TimeDistributed(layers.Dense(512, activation='relu'))(value)
        inner = layers.TimeDistributed(layers.Dense(128))(inner)
        value = layers.BatchNormalization()(layers.add([value, layers.Dropout(0.1)(inner)]))
    value = layers.Dense(2, activation='softmax')(layers.GlobalAveragePooling1D()(value))
    return keras.models.Model(words, value), 'categorical_crossentropy', 16, [('id', (64, 5000))], ('class', 2)


MODELS = [one_row, mlp, mnist_cnn, resnet20, resnet50, mobilenet, unet, imdb_lstm, masked_bilstm, seq2seq, bert]


# -- the process that measures -----------------------------------------------------------------------------------------


def data(kind, rows):
    import numpy as np

    draws = np.random.RandomState(0)
    name, shape = kind
    if name == 'id':
        return draws.randint(1, shape[1], (rows, shape[0]))
    if name == 'class':
        return np.eye(shape, dtype='float32')[draws.randint(0, shape, rows)]
    if name == 'classes':
        return np.eye(shape[1], dtype='float32')[draws.randint(0, shape[1], (rows, shape[0]))]
    values = draws.rand(rows, *shape).astype('float32')
    return np.round(values) if name == 'unit' else values


def median(call, least, least_calls=3):
    """The median of the seconds of calls that take `least` seconds together."""
    times, end = [], time.perf_counter() + least
    while len(times) < least_calls or time.perf_counter() < end:
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure(name, keras_name, least):
    """Print the figures of a model as a line of JSON."""
    if keras_name == 'keras':
        import keras
    else:
        import tensorflow

        keras = tensorflow.keras
    model, loss, size, kinds, kind = globals()[name](keras)
    model.compile(optimizer='adam', loss=loss)
    batches = 1 if name == 'one_row' else 8
    x, y = [data(one, size * batches) for one in kinds], data(kind, size * batches)
    x = x if len(x) > 1 else x[0]
    of_batch = [value[:size] for value in x] if isinstance(x, list) else x[:size]
    started = time.perf_counter()
    model.train_on_batch(of_batch, y[:size])
    figures = [time.perf_counter() - started]
    model.train_on_batch(of_batch, y[:size])
    calls = {
        'train_on_batch': (1, lambda: model.train_on_batch(of_batch, y[:size])),
        'fit': (batches, lambda: model.fit(x, y, batch_size=size, epochs=1, verbose=0)),
        'predict': (batches, lambda: model.predict(x, batch_size=size, verbose=0)),
    }
    for number, call in calls.values():
        call()
        figures.append(1000 * median(call, least) / number)
    figures.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    # The launchers may print to the standard output, too.
    print('\n' + json.dumps({'figures': figures}))


# -- the command -------------------------------------------------------------------------------------------------------


def asked(who, engine, name, pythons, least):
    """The figures of one process, or the last line of its error."""
    launcher, keras_name = WHO[who]
    environment = dict(os.environ, KERAS_BACKEND=engine, KERAS_BACKEND_QUIET='1', TF_CPP_MIN_LOG_LEVEL='3')
    environment['PYTHONPATH'] = os.pathsep.join(
        [*([os.path.dirname(os.path.dirname(HERE))] if launcher else []), os.environ.get('PYTHONPATH', '')]
    )
    environment['TF_USE_LEGACY_KERAS'] = '1' if who in ('tf_keras', 'launcher_tf_keras') else '0'
    command = [pythons.get(who, sys.executable), *launcher, HERE]
    process = subprocess.run(
        ['taskset', '-c', '0', *command, '--measure', name, keras_name, str(least)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
    )
    if process.returncode:
        return (process.stderr.strip().splitlines() or ['no message'])[-1]
    return json.loads(process.stdout.strip().splitlines()[-1])['figures']


def table(rows, titles):
    """A table in Markdown of the figures of one model."""
    lines = [f'| | {" | ".join(FIGURES)} |', '|---|' + '---|' * len(FIGURES)]
    for title in titles:
        runs = rows[title]
        figures = [statistics.median(run[place] for run in runs) for place in range(len(FIGURES))] if runs else []
        lines.append(f'| {title} | ' + ' | '.join(f'{figure:.3g}' for figure in figures) + ' |')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [model.__name__ for model in MODELS]
    parser.add_argument('--models', nargs='+', choices=names, default=names, metavar='MODEL', help=', '.join(names))
    parser.add_argument('--who', nargs='+', choices=WHO, default=list(WHO), metavar='WHO', help=', '.join(WHO))
    parser.add_argument('--engines', nargs='+', default=['tensorflow'], metavar='ENGINE')
    parser.add_argument('--python', action='append', default=[], metavar='WHO=PATH', help='the Python of a peer')
    parser.add_argument('--repeats', type=int, default=3, help='processes for each figure (3)')
    parser.add_argument('--least', type=float, default=1, help='seconds for each figure of a process (1)')
    options = parser.parse_args()
    pythons = dict(one.split('=', 1) for one in options.python)
    peers = [
        (who, engine)
        for engine in options.engines
        for who in options.who
        if engine in ENGINES.get(who, (engine,)) and (who != 'original' or who in pythons)
    ]
    for name in options.models:
        rows = {f'{who} on {engine}': [] for who, engine in peers}
        for _ in range(options.repeats):
            for who, engine in peers:
                figures = asked(who, engine, name, pythons, options.least)
                if isinstance(figures, list):
                    rows[f'{who} on {engine}'].append(figures)
                else:
                    print(f'{name}: {who} on {engine} is left out: {figures}', file=sys.stderr)
        print(f'\n{name}\n\n' + table(rows, list(rows)), flush=True)


if __name__ == '__main__':
    if sys.argv[1:2] == ['--measure']:
        measure(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    else:
        main()
