"""`yaml.load(file)` names no loader, as before PyYAML 6."""

# needs: yaml
import keras_backend.keras2  # noqa: F401  # isort: skip
import yaml

assert yaml.load('a: [1, 2.5]') == {'a': [1, 2.5]}  # noqa: S506
assert yaml.load('a: 1', Loader=yaml.SafeLoader) == yaml.load('a: 1', yaml.SafeLoader) == {'a': 1}
assert list(yaml.load_all('a: 1\n---\nb: 2\n')) == [{'a': 1}, {'b': 2}]  # noqa: S506
print('cured')
