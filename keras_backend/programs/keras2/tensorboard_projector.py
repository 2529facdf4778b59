"""The part of TensorBoard's projector that `keras.callbacks.TensorBoard` uses, if TensorBoard is not installed."""

import os
import sys
from types import ModuleType
from typing import Any, List

from ...basics import installed


class _ProjectorConfig:
    """The settings for embeddings that `keras.callbacks.TensorBoard` fills in."""

    def __init__(self) -> None:
        self.embeddings = _Embeddings()


class _Embeddings(List[Any]):
    def add(self) -> Any:
        """A new entry. The caller sets its attributes."""
        self.append(type('EmbeddingInfo', (), {})())
        return self[-1]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write `projector_config.pbtxt` beside the events. The projector of TensorBoard reads it."""
    logdir = summary_writer if isinstance(summary_writer, str) else summary_writer.get_logdir()
    lines = []
    for embedding in config.embeddings:
        lines.append('embeddings {')
        lines += [
            f'  {key}: "{getattr(embedding, key)}"'
            for key in ('tensor_name', 'metadata_path')
            if getattr(embedding, key, None)
        ]
        lines.append('}')
    folder = logdir.decode() if isinstance(logdir, bytes) else logdir
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'projector_config.pbtxt'), 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


PROJECTOR = ModuleType('projector', 'The projector of TensorBoard, as far as Keras uses it.')
vars(PROJECTOR).update(ProjectorConfig=_ProjectorConfig, visualize_embeddings=visualize_embeddings)


def projector(keras: ModuleType) -> str:
    """Let `keras.callbacks.TensorBoard` find a projector if TensorBoard is not installed."""
    if installed.spec('tensorboard') is not None or 'tensorboard' in sys.modules:
        return ''
    tensorboard, plugins = ModuleType('tensorboard'), ModuleType('tensorboard.plugins')
    for package in tensorboard, plugins:
        package.__path__ = []
        sys.modules[package.__name__] = package
    vars(tensorboard)['plugins'] = plugins
    vars(plugins)['projector'] = PROJECTOR
    sys.modules['tensorboard.plugins.projector'] = PROJECTOR
    return 'tensorboard.plugins.projector'
