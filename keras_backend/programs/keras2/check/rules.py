"""The rules: what stops an old program or changes its numbers, why, and what to do.

One table serves three. `--check` tells a rule where it finds it in a program. docs/legacy-errors.md has a row for each
rule with a message, in the same words. The errors at run time have the messages.
"""

from ...launcher.check import rules
from . import rules_of_libraries, rules_of_reading, rules_of_runs

_OF_KERAS_2 = (*rules_of_reading.RULES, *rules_of_runs.RULES, *rules_of_libraries.RULES)
rules.RULES.update((rule.name, rule) for rule in _OF_KERAS_2)
RULES = {**{rule.name: rule for rule in rules.OF_ALL_PROGRAMS}, **{rule.name: rule for rule in _OF_KERAS_2}}
plain, finding = rules.plain, rules.finding
