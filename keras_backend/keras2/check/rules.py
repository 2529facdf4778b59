"""The rules: what stops an old program or changes its numbers, why, and what to do.

One table serves three. `--check` tells a rule where it finds it in a program. docs/legacy-errors.md has a row for each
rule with a message, in the same words. The errors at run time have the messages.
"""

import re
from typing import Dict, Optional

from . import rules_of_libraries, rules_of_reading, rules_of_runs
from .finding import Finding, Place
from .rule import Rule

RULES: Dict[str, Rule] = {
    rule.name: rule for rule in (*rules_of_reading.RULES, *rules_of_runs.RULES, *rules_of_libraries.RULES)
}


def plain(text: str) -> str:
    """Markdown as text: a link is its words, and the page that it leads to."""
    return re.sub(r'\[([^\]]*)\]\(([^)]*)\)', r'\1 (docs/\2)', text)


def finding(
    rule: str, place: Place, reason: Optional[str] = None, advice: Optional[str] = None, severity: Optional[str] = None
) -> Finding:
    """A finding by the words of its rule, or by words for the very program."""
    words = RULES[rule]
    return Finding(
        place.path,
        place.line,
        rule,
        reason or plain(words.reason),
        advice or plain(words.advice),
        severity or words.severity,
        place.cell,
    )
