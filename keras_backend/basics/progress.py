"""A line on the terminal that says what goes on, for work that takes long. Nothing is written where nobody watches."""

import sys
from types import TracebackType
from typing import Optional, TextIO, Type


class Progress:
    """One line on a terminal, written over by the next and removed at the end.

        with Progress() as progress:
            progress.show('step 1 of 10')

    `stream` is where it is written if it is a terminal; None means standard error.
    """

    def __init__(self, stream: Optional[TextIO] = None) -> None:
        self._stream = stream or sys.stderr
        self._watched = self._stream is not None and self._stream.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        """Write a text over the one before."""
        if self._watched:
            self._stream.write('\r' + text.ljust(self._width))
            self._stream.flush()
            self._width = len(text)

    def clear(self) -> None:
        """Remove the text."""
        if self._width:
            self.show('')
            self._stream.write('\r')
            self._stream.flush()

    def __enter__(self) -> 'Progress':
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.clear()
