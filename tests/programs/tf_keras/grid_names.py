"""The public names of tf.keras: what each is, its arguments, the members of classes; the names of tf beside it."""

import importlib
import inspect
import types

import tensorflow as tf

# Modules of `tf` whose names are rows, too; programs of TensorFlow 2 use them beside tf.keras.
MODULES = (
    '',
    'audio',
    'autograph',
    'bitcast',
    'config',
    'config.experimental',
    'config.threading',
    'data',
    'data.experimental',
    'debugging',
    'distribute',
    'dtypes',
    'errors',
    'estimator',
    'experimental',
    'feature_column',
    'graph_util',
    'image',
    'initializers',
    'io',
    'io.gfile',
    'linalg',
    'lite',
    'lookup',
    'losses',
    'math',
    'metrics',
    'nest',
    'nn',
    'optimizers',
    'profiler.experimental',
    'quantization',
    'ragged',
    'random',
    'raw_ops',
    'saved_model',
    'sets',
    'signal',
    'sparse',
    'strings',
    'summary',
    'sysconfig',
    'test',
    'tpu',
    'train',
    'types.experimental',
    'version',
    'compat',
    'compat.v1',
    'compat.v1.keras',
    'compat.v1.layers',
    'compat.v1.train',
    'compat.v1.nn',
    'compat.v1.losses',
    'compat.v1.image',
    'compat.v1.random',
    'compat.v1.initializers',
)


def at(path):
    """What stands at a dotted path below `tf`."""
    value = tf
    for name in path.split('.')[1:]:
        value = getattr(value, name)
    return value


def kind_of(value):
    """What a public name stands for."""
    if isinstance(value, types.ModuleType):
        return 'module'
    if isinstance(value, type):
        return 'class'
    return 'function' if callable(value) else 'value'


def walk(path, value, seen=()):
    """All public names below a module, as pairs of dotted path and value; modules come first."""
    for name in sorted(dir(value)):
        if name.startswith('_'):
            continue
        try:
            below = getattr(value, name)
        except Exception:
            continue
        inner = f'{path}.{name}'
        yield inner, below
        if isinstance(below, types.ModuleType) and 'keras' in below.__name__ and below.__name__ not in seen:
            yield from walk(inner, below, seen + (below.__name__,))


def arguments_of(value):
    """The arguments of a class or a function, stars included; None where Python does not tell."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}
    return [stars.get(parameter.kind, '') + parameter.name for parameter in parameters]


def defaults_of(value):
    """The defaults of arguments that are plain values."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return {}
    simple = (bool, int, float, str, type(None), tuple)
    return {parameter.name: parameter.default for parameter in parameters if isinstance(parameter.default, simple)}


def members_of(value):
    """The public members of a class, without those that come with every class of TensorFlow's modules."""
    # The last came later than 2.4.
    common = set(dir(tf.Module)) | {'non_trainable_variables'}
    return sorted(name for name in dir(value) if not name.startswith('_') and name not in common)


def about(path):
    """What is written of one name."""
    value = at(path)
    kind = kind_of(value)
    if kind in ('class', 'function'):
        return {'kind': kind, 'arguments': arguments_of(value), 'defaults': defaults_of(value)}
    return {'kind': kind}


def names_of(path):
    """The public names of a module of tf."""
    value = at('tf.' + path if path else 'tf')
    return sorted(name for name in dir(value) if not name.startswith('_'))


def imports(path):
    """Whether a module of tf.keras is imported by its path, as programs write it."""
    importlib.import_module(path.replace('tf.', 'tensorflow.', 1))
    return 'imported'


def paths(record, group):
    """The dotted paths that rows of a record name, or those of this tf.keras."""
    from_record = [name.split(' ')[2] for name in record if name.startswith(f'names {group} ')]
    return sorted(from_record) or sorted(path for path, _ in walk('tf.keras', tf.keras))


def rows(rows, record):
    """Writes the rows of names."""
    for path in paths(record, 'name'):
        rows.add(f'name {path}', about, path)
    for path in paths(record, 'name'):
        try:
            kind = kind_of(at(path))
        except Exception:
            kind = 'class' if f'names members {path}' in record else None
        if kind == 'class':
            rows.add(f'members {path}', lambda path=path: members_of(at(path)))
        if kind == 'module':
            rows.add(f'import {path}', imports, path)
    for path in MODULES:
        rows.add(f'modules tf.{path}', names_of, path)
