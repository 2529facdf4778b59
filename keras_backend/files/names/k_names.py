"""The names of K that interpreted code may use: all functions that make tensors, and none that changes a state."""

from typing import Any

from ...contract import CONTRACT
from ..python_code.values import Allowed, Namespace

# They change the session, settings or variables, print, or run code that somebody else wrote.
CHANGE = (
    'batch_set_value clear_session control_dependencies eager eval function get_session get_uid '
    'manual_variable_initialization moving_average_update name_scope print_tensor reset_uids '
    'set_epsilon set_floatx set_image_data_format '
    'set_image_dim_ordering set_learning_phase set_session set_value symbolic update update_add update_sub'
).split()
NAMES = tuple([name for name in CONTRACT if name not in CHANGE])


def namespace(K: Any) -> Namespace:
    """`K` as interpreted code sees it. K: the module, counted."""
    return Namespace('K', {name: Allowed(f'K.{name}', function) for name, function in vars(K).items()})
