"""The cases: a module for each topic of the contract. They need NumPy and nothing else, on Python 3.6 and later."""

import importlib

TOPICS = (
    'c_values c_tensors c_control c_reduction c_elementwise c_shape c_linalg c_conv c_nn c_random c_ctc c_settings'
).split()


def cases_of(topic):
    """The cases of a module."""
    return importlib.import_module(f'original_cases.{topic}').TOPIC.cases


def all_cases():
    """All of them, in the order in which they stand in the record."""
    cases = []
    for topic in TOPICS:
        cases += cases_of(topic)
    ids = [case.id for case in cases]
    assert len(set(ids)) == len(ids), 'two cases have the same id'
    return cases
