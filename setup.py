"""pip before 19, as Python 3.6 brings it along, does not know the build system of pyproject.toml and reads this."""

raise SystemExit(
    'keras_backend needs pip 19 or later. Type: python -m pip install --upgrade pip\nThen type your command again.'
)
