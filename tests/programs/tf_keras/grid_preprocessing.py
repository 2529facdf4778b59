"""tf.keras.preprocessing, tf.keras.utils and tf.keras.applications: values of functions, tables and images."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from grid_rows import safely, spread

TEXTS = ['The cat sat on the mat.', 'The dog, the DOG!', 'A cat?']
IMAGES = np.round(255 * (0.5 + 0.5 * spread(4, 6, 5, 3)))


def tokens(**options):
    """Tokenizer."""
    tokenizer = tf.keras.preprocessing.text.Tokenizer(**options)
    tokenizer.fit_on_texts(TEXTS)
    return {
        'index': tokenizer.word_index,
        'sequences': tokenizer.texts_to_sequences(TEXTS + ['a new cat']),
        'counts': dict(tokenizer.word_counts),
        'docs': dict(tokenizer.word_docs),
        'matrix': {mode: tokenizer.texts_to_matrix(TEXTS, mode) for mode in ('binary', 'count', 'freq', 'tfidf')},
        'texts': safely(lambda: tokenizer.sequences_to_texts([[1, 2]])),
        'json': safely(lambda: tf.keras.preprocessing.text.tokenizer_from_json(tokenizer.to_json()).word_index),
        'config': sorted(tokenizer.get_config()),
    }


def sequences():
    """Functions of sequences and texts."""
    made, text = tf.keras.preprocessing.sequence, tf.keras.preprocessing.text
    lists = [[1], [2, 3], [4, 5, 6]]
    generator = made.TimeseriesGenerator(np.arange(10).reshape(10, 1), np.arange(10), length=3, batch_size=4)
    np.random.seed(0)
    return {
        'pad': made.pad_sequences(lists),
        'pad post': made.pad_sequences(lists, maxlen=2, padding='post', truncating='post', value=9),
        'pad float': made.pad_sequences(lists, dtype='float32'),
        'utils pad': safely(lambda: tf.keras.utils.pad_sequences(lists)),
        'table': made.make_sampling_table(5),
        'skipgrams': sorted(map(str, made.skipgrams([1, 2, 3], 4, 1, 0.0)[0])),
        'series': [list(map(np.asarray, generator[index])) for index in range(len(generator))],
        'words': text.text_to_word_sequence(TEXTS[1]),
        'hash': text.hashing_trick(TEXTS[1], 9, 'md5'),
        'one_hot': len(text.one_hot(TEXTS[0], 20)),
        'dataset': safely(
            lambda: [
                batch
                for batch in tf.keras.preprocessing.timeseries_dataset_from_array(
                    np.arange(8), np.arange(8), 3, batch_size=2
                )
            ]
        ),
    }


def images():
    """Functions and generators of images."""
    made = tf.keras.preprocessing.image
    flow = made.ImageDataGenerator(rescale=1 / 255.0).flow(IMAGES, np.arange(4), batch_size=3, shuffle=False)
    standard = made.ImageDataGenerator(
        featurewise_center=True, featurewise_std_normalization=True, samplewise_center=False
    )
    standard.fit(IMAGES)
    shifted = made.ImageDataGenerator()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'it.png')
        made.save_img(path, IMAGES[0])
        loaded = made.img_to_array(made.load_img(path, target_size=(4, 3)))
        for name in ('a', 'b'):
            os.makedirs(os.path.join(folder, 'all', name))
            made.save_img(os.path.join(folder, 'all', name, 'it.png'), IMAGES[1])
        place = os.path.join(folder, 'all')
        directory = made.ImageDataGenerator().flow_from_directory(
            place, target_size=(4, 3), batch_size=2, shuffle=False
        )
        found = {'indices': directory.class_indices, 'batch': list(directory[0]), 'names': list(directory.filenames)}
        data = safely(
            lambda: next(
                iter(
                    tf.keras.preprocessing.image_dataset_from_directory(
                        place, image_size=(4, 3), shuffle=False, batch_size=2
                    )
                )
            )
        )
    return {
        'flow': list(flow[0]),
        'length': [len(flow), flow.n, flow.batch_size],
        'standard': standard.standardize(IMAGES[0].copy()),
        'mean': standard.mean,
        'loaded': loaded,
        'to image': made.array_to_img(IMAGES[0]).size,
        'directory': found,
        'data': data,
        'smart_resize': safely(lambda: made.smart_resize(IMAGES[0], (3, 3))),
        'transform': shifted.apply_transform(IMAGES[0], {'theta': 90.0}),
        'flip': shifted.apply_transform(IMAGES[0], {'flip_horizontal': True}),
        'brightness': made.apply_brightness_shift(IMAGES[0], 0.5),
        'channel': made.apply_channel_shift(IMAGES[0], 10.0),
        'affine': made.apply_affine_transform(IMAGES[0], theta=30, tx=1),
        'random': [
            list(getattr(made, name)(IMAGES[0], amount, row_axis=0, col_axis=1, channel_axis=2).shape)
            for name, amount in (('random_rotation', 10), ('random_shear', 0.2), ('random_zoom', (0.8, 1.2)))
        ],
        'random_transform': shifted.get_random_transform((6, 5, 3)),
    }


def utils():
    """Functions of tf.keras.utils."""
    made = tf.keras.utils
    scope = made.custom_object_scope({'own': abs})
    with scope:
        inside = made.get_custom_objects().get('own') is abs

    @made.register_keras_serializable('grid')
    class Registered(tf.keras.layers.Layer):
        pass

    lines = []
    bar = made.Progbar(2, verbose=0)
    bar.update(1, [('loss', 1.0)])
    return {
        'to_categorical': made.to_categorical([0, 2, 1]),
        'classes': made.to_categorical([[0], [1]], 3),
        'float': made.to_categorical([1, 0], dtype='int32'),
        'normalize': made.normalize(spread(2, 3)),
        'order': made.normalize(spread(2, 3), axis=0, order=1),
        'inside': inside,
        'outside': made.get_custom_objects().get('own'),
        'registered': made.get_registered_name(Registered),
        'object': made.get_registered_object('grid>Registered').__name__,
        'serialize': safely(lambda: made.serialize_keras_object(tf.keras.layers.ReLU(name='it'))),
        'bar': sorted(vars(bar))[:1] != lines,
        'deserialize': safely(
            lambda: made.deserialize_keras_object(
                {'class_name': 'own', 'config': {}}, module_objects={'own': Registered}
            )
        ),
        'source': safely(
            lambda: (
                made.get_source_inputs(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))]).output)[
                    0
                ].shape
            )
        ),
        'seed': safely(lambda: made.set_random_seed(1)),
        'hash': made.get_file.__name__,
        'split': safely(lambda: [len(part) for part in made.split_dataset(tf.data.Dataset.range(10), 0.8)]),
        'unpack': safely(lambda: made.unpack_x_y_sample_weight(([1], [2]))),
        'pack': safely(lambda: made.pack_x_y_sample_weight([1], [2])),
        'warmstart': safely(lambda: made.warmstart_embedding_matrix.__name__),
    }


def preprocessors():
    """preprocess_input of every module of applications."""
    result = {}
    for name in sorted(dir(tf.keras.applications)):
        module = getattr(tf.keras.applications, name)
        if hasattr(module, 'preprocess_input'):
            result[name] = safely(lambda module=module: module.preprocess_input(IMAGES[:1].copy()))
    return result


def networks():
    """Small networks of applications without weights."""
    made = tf.keras.applications
    result = {}
    for name, options in (('MobileNet', {'alpha': 0.25}), ('MobileNetV2', {'alpha': 0.35})):
        network = getattr(made, name)(weights=None, input_shape=(32, 32, 3), classes=3, **options)
        result[name] = {
            'params': network.count_params(),
            'layers': [layer.name for layer in network.layers if '_' not in layer.name or not layer.name[-1].isdigit()],
            'shape': network.output_shape,
        }
    return result


def wrappers():
    """tf.keras.wrappers.scikit_learn."""

    def build(units=2):
        model = tf.keras.Sequential([tf.keras.layers.Dense(units, activation='softmax', input_shape=(3,))])
        model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['accuracy'])
        return model

    from tensorflow.keras.wrappers.scikit_learn import KerasClassifier

    classifier = KerasClassifier(build, units=2, epochs=1, verbose=0)
    classifier.fit(spread(6, 3), np.array([0, 1, 1, 0, 1, 0]))
    return {
        'params': sorted(classifier.get_params()),
        'predict': list(np.shape(classifier.predict(spread(6, 3)))),
        'score': 0 <= classifier.score(spread(6, 3), np.array([0, 1, 1, 0, 1, 0])) <= 1,
    }


def rows(rows, record):
    """Writes the rows of preprocessing."""
    for options in ({}, {'num_words': 3}, {'oov_token': '?'}, {'char_level': True}, {'lower': False}, {'filters': ''}):
        rows.each(f'Tokenizer({options})', tokens, **options)
    for function in (sequences, images, utils, preprocessors, networks, wrappers):
        rows.each(function.__name__, function)
