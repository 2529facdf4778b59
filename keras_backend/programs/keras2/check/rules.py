"""The rules: what stops an old program or changes its numbers, why, and what to do.

`rules.json` has the words. One table serves three: `--check` tells a rule where it finds it in a program,
docs/legacy-errors.md has a row for each rule with a message, in the same words, and the errors at run time have the
messages.
"""

from ....basics.tables import beside
from ...launcher.check import rules
from ...launcher.check.rules import Rule

_GROUPS = {group: tuple(Rule(**row) for row in rows) for group, rows in beside(__file__, 'rules.json').items()}
# The rules about Keras and TensorFlow that `--check` sees in a program.
OF_READING = _GROUPS['found in a program']
# The rules that only a run shows: they have a row in docs/legacy-errors.md, and `--check` does not tell them.
OF_RUNS = _GROUPS['shown by a run']

_OF_KERAS_2 = (*OF_READING, *OF_RUNS, *_GROUPS['of other libraries'])
rules.RULES.update((rule.name, rule) for rule in _OF_KERAS_2)
RULES = {**{rule.name: rule for rule in rules.OF_ALL_PROGRAMS}, **{rule.name: rule for rule in _OF_KERAS_2}}
plain, finding = rules.plain, rules.finding
