"""An engine that brings along what cannot be composed: the conformance tests on it are tests of the composed functions.

    PYTHONPATH=tests/user_module/engine python -m keras_backend check tiny_engine

It takes its functions from the NumPy engine, loops, sparse tensors and the checks of values among them.
"""

import keras_backend.engines.numpy_backend as numpy_engine

NAMES = """
    arange cast clear_session concatenate control_dependencies ctc_decode ctc_label_dense_to_sparse dot dtype eval exp
    foldl foldr function gather get_session get_uid gradients int_shape is_placeholder is_sparse is_tensor is_variable
    learning_phase log manual_variable_initialization map_fn max maximum permute_dimensions placeholder pow
    print_tensor prod random_uniform reset_uids reshape rnn round set_learning_phase set_session set_value shape sin
    stop_gradient sum switch tanh to_dense truncated_normal update variable
""".split()
globals().update((name, vars(numpy_engine)[name]) for name in NAMES)
