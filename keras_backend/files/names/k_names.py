"""The names of K that interpreted code may use: all functions that make tensors, and none that changes a state."""

from typing import Any, Dict

from ...contract import CONTRACT
from ..python_code.values import Allowed, Namespace

# They change the session, settings or variables, print, or run code that somebody else wrote.
CHANGE = (
    'batch_set_value clear_session control_dependencies eager eval function get_session manual_variable_initialization '
    'moving_average_update name_scope print_tensor reset_uids set_epsilon set_floatx set_image_data_format '
    'set_image_dim_ordering set_learning_phase set_session set_value symbolic update update_add update_sub'
).split()
# Their arguments are sizes of what they make.
MAKERS = (
    'arange eye ones zeros one_hot random_binomial random_normal random_normal_variable random_uniform '
    'random_uniform_variable truncated_normal repeat repeat_elements resize_images resize_volumes tile '
    'temporal_padding spatial_2d_padding spatial_3d_padding'
).split()
NAMES = tuple([name for name in CONTRACT if name not in CHANGE])


def namespace(K: Any) -> Namespace:
    """`K` as interpreted code sees it."""
    members: Dict[str, Any] = {
        name: Allowed(f'K.{name}', getattr(K, name), name in MAKERS) for name in NAMES if hasattr(K, name)
    }
    return Namespace('K', members)
