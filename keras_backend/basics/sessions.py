"""Sessions of TensorFlow that are given to an engine without sessions: programs set memory and threads with them."""

from typing import Any, Set

_told: Set[str] = set()


def is_of_tensorflow(session: Any) -> bool:
    """Whether `session` is a session of TensorFlow."""
    return type(session).__module__.partition('.')[0] == 'tensorflow' and hasattr(session, 'run')


def without_sessions(title: str) -> None:
    """Log one line, once: the session changes nothing."""
    if title not in _told:
        _told.add(title)
        import logging  # here: it takes time, and few programs come here

        logging.getLogger('keras_backend').warning(
            '%s runs without sessions: K.set_session changes nothing, and memory and threads are what they are.', title
        )
