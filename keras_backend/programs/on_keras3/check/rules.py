"""The rules about Keras 3 and its backends. Only `--check` tells them."""

from ...launcher.check import rules
from ...launcher.check.finding import DIFFERS, NOTE, STOPS
from ...launcher.check.rule import KERAS, MODELS, TENSORFLOW, Rule

_PAGE = '(coming-from-tf-keras.md#what-differs)'
RULES = (
    Rule('gone-from-keras', KERAS, STOPS, '', 'Keras 3 does not have it, and no cure gives it back', 'write it anew'),
    Rule(
        'of-tf-keras', KERAS, STOPS, '', 'Keras 3 has the name under tf.keras alone', 'import it from tensorflow.keras'
    ),
    Rule('no-name-of-k', KERAS, STOPS, '', 'K has no such name', f'write it with the functions of [K]{_PAGE}'),
    Rule(
        'removed-idiom',
        KERAS,
        STOPS,
        '',
        'models of Keras 3 do not have it',
        'write to_json, or the results of train_on_batch(return_dict=True)',
    ),
    Rule(
        'function-of-variables',
        KERAS,
        STOPS,
        '',
        'K.function has no input, and what is computed from variables alone is computed when the line runs',
        'write K.get_value of it, or make an input part of it',
    ),
    Rule(
        'in-place',
        KERAS,
        DIFFERS,
        '',
        'outside of layers, losses and metrics, PyTorch changes the tensor in place',
        'write x = x * y for x *= y',
    ),
    Rule(
        'lambda-in-file',
        MODELS,
        NOTE,
        '',
        'Keras 3 loads a Lambda with Python code from a .keras file on request alone',
        'write load_model(path, safe_mode=False) for files that you trust',
    ),
    Rule(
        'tf-of-graphs',
        TENSORFLOW,
        STOPS,
        '',
        'graphs and sessions of TensorFlow 1 do not go with Keras 3, which needs eager mode',
        'write K.placeholder and K.function, or call the model',
    ),
    Rule('tf-moved', TENSORFLOW, STOPS, '', 'TensorFlow 2 does not have the name', 'write the name of TensorFlow 2'),
    Rule(
        'session',
        TENSORFLOW,
        NOTE,
        '',
        'a session has nothing to run in eager mode',
        'leave it out; K.get_value gives the value of a variable',
    ),
    Rule(
        'tape',
        TENSORFLOW,
        STOPS,
        '',
        'tf.GradientTape sees no tensors of this backend',
        'write K.gradients or let fit train, or take KERAS_BACKEND=tensorflow',
    ),
    Rule(
        'tf-function',
        TENSORFLOW,
        STOPS,
        '',
        'the function takes tensors of TensorFlow, and Keras has others on this backend',
        'write it with K functions, or take KERAS_BACKEND=tensorflow',
    ),
    Rule(
        'tensorflow-addons',
        TENSORFLOW,
        STOPS,
        '',
        'tensorflow_addons has ended, and does not go with Keras 3',
        'write the layer or loss with K functions; keras has AdamW, Lion, GroupNormalization and F1Score',
    ),
)
rules.RULES.update((rule.name, rule) for rule in RULES)
finding = rules.finding
