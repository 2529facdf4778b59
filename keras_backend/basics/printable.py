"""Text that somebody else wrote, for a terminal: names in a model file, messages of another library."""


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
