"""The result of `K.get_session()` where the library has no sessions."""

from typing import Any, Dict, Optional


class NeutralSession:
    """Runs tensors as a TensorFlow 1 session would, so that code written for one keeps working."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def run(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None) -> Any:
        """The values of `fetches` (a tensor or a list of them), with the placeholders in `feed_dict` fed."""
        single = not isinstance(fetches, (list, tuple))
        feed_dict = feed_dict or {}
        fetched = [fetches] if single else list(fetches)
        function = self._graph.function(list(feed_dict), fetched, (), name='session.run')
        values = function(list(feed_dict.values()))
        return values[0] if single else values

    def close(self) -> None:
        """Nothing is held, so nothing is freed."""

    def __enter__(self) -> 'NeutralSession':
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
