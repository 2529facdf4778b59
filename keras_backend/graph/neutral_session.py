"""What `K.get_session()` returns where the library has no sessions."""


class NeutralSession:
    """Runs tensors as a TensorFlow 1 session would, so that code written for one keeps working."""

    def __init__(self, engine):
        self._engine = engine

    def run(self, fetches, feed_dict=None):
        """The values of `fetches` (a tensor or a list of them), with the placeholders in `feed_dict` fed."""
        single = not isinstance(fetches, (list, tuple))
        feed_dict = feed_dict or {}
        function = self._function(list(feed_dict), [fetches] if single else list(fetches))
        values = function(list(feed_dict.values()))
        return values[0] if single else values

    def _function(self, inputs, outputs):
        from .function import Function

        return Function(self._engine, inputs, outputs, name='session.run')

    def close(self):
        """Nothing is held, so nothing is freed."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
