"""What is written to a terminal: text that somebody else wrote, and a line on what goes on."""

import sys
from types import TracebackType
from typing import Optional, TextIO, Type

# -- text --------------------------------------------------------------------------------------------------------------
# Text that somebody else wrote, for a terminal: names in a model file, messages of another library.


def printable(text: str, lines: bool = False) -> str:
    """The text with its control letters, direction marks and other unseen letters as escapes: ESC becomes `\\x1b`.

    A terminal obeys such letters: they can hide text, change its direction, or forge a line. lines: whether the ends of
    lines and tabs stay, as in a message of several lines.
    """
    if text.isprintable():
        return text
    kept = '\n\t' if lines else ''
    return ''.join([letter if letter.isprintable() or letter in kept else _escaped(letter) for letter in text])


def _escaped(letter: str) -> str:
    return letter.encode('unicode_escape').decode('ascii')


# -- progress ----------------------------------------------------------------------------------------------------------
# A line on the terminal that says what goes on, for work that takes long. Nothing is written where nobody watches.


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
