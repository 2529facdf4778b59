"""The class of all layers of `tf.layers`: variables in a scope of its own, made at the first call."""

import inspect
import re
from typing import Any, Callable, Dict, List, Optional, Sequence

from ....basics.arguments import Given, taking
from .itself import tf

Function = Optional[Callable[..., Any]]
# They have no state.
ZEROS, ONES = tf.zeros_initializer(), tf.ones_initializer()


def snake_case(name: str) -> str:
    """The name of a class as TensorFlow 1 writes it in scopes: `Conv2DTranspose` is `conv2d_transpose`."""
    return re.sub('(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])', '_', name).lower()


def no_such_arguments(function: str, **arguments: Any) -> None:
    """Raise NotImplementedError for each argument with a true value: an option that is not given back."""
    for name, value in arguments.items():
        if value:
            raise NotImplementedError(
                f'{function}({name}={value!r}) is gone with TensorFlow 1; leave out {name}, '
                'or write this layer with tf functions.'
            )


def choose(condition: Any, true: Callable[[], Any], false: Callable[[], Any]) -> Any:
    """The result of `true` or of `false`: now where the condition is known, else by `tf.cond`.

    The functions may not read variables of TensorFlow 1, which `tf.cond` of TensorFlow 2 does not take.
    """
    known = tf.get_static_value(condition) if tf.is_tensor(condition) else condition
    if known is not None:
        return true() if known else false()
    return tf.cond(tf.cast(condition, tf.bool), true, false)


class Layer:
    """A layer of `tf.layers`, and the class for layers of one's own: `build` makes variables, `call` uses them.

    Args:
        trainable: Whether the variables are among `tf.trainable_variables()`.
        name: The name of the scope; without it, the name of the class. A number makes it unique.
        dtype: The dtype of the variables; without it, that of the first input.
        activity_regularizer: A function that gives a loss for the outputs. The loss of an example is collected.
        **kwargs: `_scope`, a scope by name or as it is, and `_reuse`, whether its variables are there already.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: Optional[str] = None,
        dtype: Any = None,
        activity_regularizer: Function = None,
        **kwargs: Any,
    ) -> None:
        self._given_scope = kwargs.pop('_scope', None)
        self._reuse = kwargs.pop('_reuse', None)
        self._variable_names: Dict[str, str] = kwargs.pop('_variable_names', {})
        if kwargs:
            raise TypeError(f'tf.layers.{type(self).__name__} has no argument {next(iter(kwargs))!r}.')
        scope_name = getattr(self._given_scope, 'name', self._given_scope)
        self._base_name: str = name or (scope_name or '').split('/')[-1] or snake_case(type(self).__name__)
        self.trainable = trainable
        self.activity_regularizer = activity_regularizer
        self.built = False
        self.losses: List[Any] = []
        self.updates: List[Any] = []
        self._dtype = dtype and tf.as_dtype(dtype)
        self._scope: Any = None
        self._all_variables: List[Any] = []
        self._frozen: List[Any] = []

    @property
    def name(self) -> str:
        """The name that was given to the layer, or the name of its class."""
        return self._base_name

    @property
    def dtype(self) -> Any:
        """The name of the dtype of the variables; None before the first call."""
        return self._dtype and self._dtype.base_dtype.name

    @property
    def scope_name(self) -> str:
        """The name of the scope of the variables. It is known after the first call."""
        if self._scope is None:
            raise ValueError(f'The layer {self.name!r} has no scope yet; call it on a tensor first.')
        return str(self._scope.name)

    @property
    def graph(self) -> Any:
        """The graph of the variables."""
        return tf.get_default_graph() if not self._all_variables else self._all_variables[0].graph

    @property
    def variables(self) -> List[Any]:
        """All variables, those that are trained first."""
        return self.trainable_variables + self.non_trainable_variables

    @property
    def trainable_variables(self) -> List[Any]:
        """The variables that are trained."""
        return [variable for variable in self._all_variables if self.trainable and not _among(variable, self._frozen)]

    @property
    def non_trainable_variables(self) -> List[Any]:
        """The variables that are not trained."""
        return [variable for variable in self._all_variables if not self.trainable or _among(variable, self._frozen)]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def count_params(self) -> int:
        """The number of all elements of the variables."""
        return sum(variable.shape.num_elements() for variable in self._all_variables)

    @taking(
        'self, name, shape, dtype=None, initializer=None, regularizer=None, trainable=True, constraint=None, '
        'use_resource=None, partitioner=None'
    )
    def add_weight(self, given: Given) -> Any:
        """A variable in the scope of the layer.

        Args:
            name: Its name in the scope.
            shape: Its shape.
            dtype: Its dtype; without it, that of the layer.
            initializer: What makes its first value; without it, that of the scope or Glorot's uniform distribution.
            regularizer: A function that gives a loss for it. The loss is collected once, also if it is reused.
            trainable: Whether it is trained.
            constraint: A function that optimizers apply to it after a step.
            use_resource: Whether it is a variable of TensorFlow 2.
            partitioner: What divides it into parts.
        """
        collected = tf.get_collection_ref(tf.GraphKeys.REGULARIZATION_LOSSES)
        before = len(collected)
        variable = tf.get_variable(
            self._variable_names.get(given.name, given.name),
            *(given.shape, given.dtype or self._dtype or tf.float32, given.initializer, given.regularizer),
            trainable=given.trainable and self.trainable,
            **dict(constraint=given.constraint, use_resource=given.use_resource, partitioner=given.partitioner),
        )
        self.losses += collected[before:]
        self._all_variables.append(variable)
        if not given.trainable:
            self._frozen.append(variable)
        return variable

    add_variable = add_weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Collect a loss, or a list of losses, in `tf.GraphKeys.REGULARIZATION_LOSSES`."""
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self.losses.append(loss)
            tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Collect an update, or a list of updates, in `tf.GraphKeys.UPDATE_OPS`."""
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self.updates.append(update)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of this shape."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for the inputs."""
        return inputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as a call of the layer."""
        return self(inputs, *args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for the inputs. The first call makes the variables."""
        scope = kwargs.pop('scope', None)
        if self._scope is None:
            self._open(scope)
        reuse = True if self.built else self._reuse
        with tf.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False), tf.name_scope(self._name_scope):
            inputs = tf.nest.map_structure(_tensor, inputs)
            if self._dtype is None:
                self._dtype = tf.nest.flatten(inputs)[0].dtype.base_dtype
            if not self.built:
                self.build(tf.nest.map_structure(lambda each: each.get_shape(), inputs))
                self.built = True
            outputs = self.call(inputs, *args, **kwargs)
            if self.activity_regularizer is not None:
                with tf.name_scope('ActivityRegularizer'):
                    for output in tf.nest.flatten(outputs):
                        loss = self.activity_regularizer(output)
                        self.add_loss(loss / tf.cast(tf.shape(output)[0], loss.dtype))
            return outputs

    def _open(self, scope: Any) -> None:
        """Enter the scope for the first time: its name becomes unique, unless it was given or is reused."""
        chosen = scope if self._given_scope is None else self._given_scope
        if self._reuse:
            opened = tf.variable_scope(self._base_name if chosen is None else chosen, reuse=self._reuse)
        else:
            opened = tf.variable_scope(chosen, default_name=self._base_name)
        with opened as self._scope:
            # Tensors are named in the scope of the first call, also by later calls.
            self._name_scope = self._scope.original_name_scope


def _among(variable: Any, variables: List[Any]) -> bool:
    return any(variable is other for other in variables)


def _tensor(value: Any) -> Any:
    return value if tf.is_tensor(value) or isinstance(value, tf.TensorArray) else tf.convert_to_tensor(value)


class Weighted(Layer):
    """The arguments that layers with a kernel and a bias share, after their own.

    Args:
        activation: A function for the outputs.
        use_bias: Whether there is a bias.
        kernel_initializer: What makes the first values of the kernel; so for the bias, with `bias_`.
        kernel_regularizer: A function that gives a loss for the kernel; so for the bias, with `bias_`.
        kernel_constraint: A function for the kernel after a step of training; so for the bias, with `bias_`.
        **kwargs: The arguments of `Layer`.
    """

    @taking(
        'self, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=ZEROS, '
        'kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, '
        'bias_constraint=None, trainable=True, name=None, **kwargs',
        ZEROS=ZEROS,
    )
    def __init__(self, given: Given) -> None:
        of_layer = dict(trainable=given.trainable, name=given.name, activity_regularizer=given.activity_regularizer)
        super().__init__(**of_layer, **given.kwargs)
        self.activation, self.use_bias = given.activation, given.use_bias
        self._kernel, self._bias = options_of(given, 'kernel'), options_of(given, 'bias')


def options_of(given: Given, weight: str) -> Dict[str, Any]:
    """The arguments of `add_weight` for a weight: `kernel_initializer` is its `initializer`."""
    return {key: vars(given).get(f'{weight}_{key}') for key in ('initializer', 'regularizer', 'constraint')}


def channels(shape: Any, axis: int, function: str) -> int:
    """The size of an axis of the inputs, for the shape of a variable.

    Raises:
        ValueError: It is not known.
    """
    size = shape.with_rank_at_least(1).as_list()[axis]
    if size is None:
        raise ValueError(
            f'{function}: the size of axis {axis} of the inputs has to be known, and their shape is {shape}; '
            'use x.set_shape or tf.reshape first.'
        )
    return int(size)


def arguments_of(cls: type) -> List[str]:
    """The names of the arguments of a layer, in their order. A class with `*more` gives those to the next class."""
    names: List[str] = []
    for base in cls.__mro__:
        own = inspect.signature(base).parameters.values()
        names += [parameter.name for parameter in own if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        if '__init__' in vars(base) and not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in own):
            break
    return list(dict.fromkeys(names))


def function_of(cls: type, names: Sequence[str] = ()) -> Callable[..., Any]:
    """The function of `tf.layers` that makes a layer and calls it.

    Args:
        cls: The class of the layer.
        names: Its arguments behind `inputs`, in their order; without them, those of the class and `reuse`.

    Returns:
        The function. Its `name` is the scope as it is, without a number. `reuse` says whether its variables are there.
    """
    names = names or [*arguments_of(cls), 'reuse']

    def function(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) > len(names) or set(names[: len(args)]) & set(kwargs):
            raise TypeError(f'tf.layers.{function.__name__}: an argument was given twice, or there are too many.')
        kwargs.update(zip(names, args))
        called = {'training': kwargs.pop('training')} if 'training' in kwargs else {}
        name, reuse = kwargs.pop('name', None), kwargs.pop('reuse', None)
        return cls(name=name, _scope=name, _reuse=reuse, **kwargs)(inputs, **called)

    function.__name__ = function.__qualname__ = snake_case(cls.__name__)
    function.__doc__ = f'`tf.layers.{function.__name__}(inputs, {", ".join(names)})`: {cls.__doc__}'
    return function
