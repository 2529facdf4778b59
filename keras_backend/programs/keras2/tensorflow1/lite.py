"""`tf.lite` and `tf.contrib.lite`: the converter of TensorFlow 1, for models of Keras 2 and their files."""

from importlib import import_module
from typing import Any, Dict, List, Optional, Sequence

from .itself import tf


class TFLiteConverter(tf.lite.TFLiteConverter):
    """The converter of sessions and frozen graphs. It takes models of the Keras of the program, too."""

    @classmethod
    def from_keras_model_file(
        cls,
        model_file: str,
        input_arrays: Optional[Sequence[str]] = None,
        input_shapes: Optional[Dict[str, Any]] = None,
        output_arrays: Optional[Sequence[str]] = None,
        custom_objects: Optional[Dict[str, Any]] = None,
    ) -> Any:
        """The converter of a model in a file, as it predicts. The graph and the session of the program stay.

        Args:
            model_file: The path.
            input_arrays, output_arrays: Names of operations, instead of the inputs and the outputs of the model.
            input_shapes: Shapes of inputs, by these names.
            custom_objects: As of `load_model`.
        """
        K: Any = import_module('keras.backend')
        with tf.Graph().as_default():
            K.set_learning_phase(0)
            model = import_module('keras.models').load_model(model_file, custom_objects, compile=False)
            return _converter(cls, model, input_arrays, input_shapes, output_arrays)

    @classmethod
    def from_keras_model(cls, model: Any) -> Any:
        """The converter of a model, as TensorFlow 2 names it."""
        return _converter(cls, model)

    def convert(self) -> bytes:
        """The content of the file."""
        try:
            content: bytes = super().convert()
        except Exception as error:  # the converter has no public class for its errors
            if 'TensorList' not in str(error):
                raise
            raise ValueError(
                'TFLiteConverter: the model has a loop over steps, which TensorFlow Lite cannot say as Keras 2 makes '
                'it. Write unroll=True in its recurrent layers; or save the model, and type: '
                'python -m keras_backend model FILE.h5 --save NEW.tflite'
            ) from error
        return content


def _converter(
    cls: Any,
    model: Any,
    input_arrays: Optional[Sequence[str]] = None,
    input_shapes: Optional[Dict[str, Any]] = None,
    output_arrays: Optional[Sequence[str]] = None,
) -> Any:
    graph = model.outputs[0].graph
    inputs, outputs = _tensors(graph, input_arrays, model.inputs), _tensors(graph, output_arrays, model.outputs)
    for name, shape in (input_shapes or {}).items():
        (tensor,) = _tensors(graph, [name], [])
        tensor.set_shape(shape)
    with graph.as_default():
        session = import_module('keras.backend').get_session()
        return cls.from_session(session, inputs, outputs)


def _tensors(graph: Any, names: Optional[Sequence[str]], others: List[Any]) -> List[Any]:
    return [graph.get_tensor_by_name(f'{name}:0') for name in names] if names else list(others)


def toco_convert(input_data: Any, input_tensors: Sequence[Any], output_tensors: Sequence[Any], **options: Any) -> bytes:
    """The content of the file of a frozen graph, which is given as a GraphDef or its bytes.

    Args:
        **options: Attributes of `TFLiteConverter`, such as `allow_custom_ops`.

    Raises:
        TypeError: The converter has no such attribute.
    """
    definition = input_data if isinstance(input_data, tf.GraphDef) else tf.GraphDef.FromString(input_data)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(definition, name='')
        ends = [[graph.get_tensor_by_name(t.name) for t in tensors] for tensors in (input_tensors, output_tensors)]
        converter = TFLiteConverter.from_session(session, *ends)
    for name, value in options.items():
        if not hasattr(converter, name):
            raise TypeError(
                f'toco_convert: {name}={value!r} is no option of the converter of TensorFlow 2; leave it out.'
            )
        setattr(converter, name, value)
    return converter.convert()  # type: ignore[no-any-return]
