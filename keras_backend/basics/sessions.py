"""Sessions of TensorFlow that are given to an engine without sessions: programs set memory and threads with them."""

from typing import Any, Set

_told: Set[str] = set()


class Nothing:
    """An operation of a stand-in for TensorFlow that has nothing to do, such as giving variables their first values."""


class SessionOfSettings:
    """`tf.Session(config=...)` of a program that needs no more of TensorFlow: memory and threads, and no graph to run.

    The stand-in for TensorFlow of `keras_backend.keras3` gives it.
    """

    def __init__(self, target: str = '', graph: Any = None, config: Any = None) -> None:
        self.config = config

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        from ..errors import UnsupportedByEngine  # here, because few programs come here

        raise UnsupportedByEngine(
            f'get_session().{name}',
            'chosen',
            'this session of the program sets memory and threads, and computes nothing',
            'for sessions that compute, type: KERAS_BACKEND=tensorflow, where TensorFlow is installed',
        )

    def close(self) -> None:
        """Nothing is held, so nothing is freed."""

    def as_default(self) -> 'SessionOfSettings':
        """The session itself, for `with`."""
        return self

    def __enter__(self) -> 'SessionOfSettings':
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def is_of_tensorflow(session: Any) -> bool:
    """Whether `session` is a session of TensorFlow, or stands for one."""
    if isinstance(session, SessionOfSettings):
        return True
    return type(session).__module__.partition('.')[0] == 'tensorflow' and hasattr(session, 'run')


def without_sessions(title: str) -> None:
    """Log one line, once: the session changes nothing."""
    if title not in _told:
        _told.add(title)
        import logging  # here: it takes time, and few programs come here

        logging.getLogger('keras_backend').warning(
            '%s runs without sessions: K.set_session changes nothing, and memory and threads are what they are.', title
        )
