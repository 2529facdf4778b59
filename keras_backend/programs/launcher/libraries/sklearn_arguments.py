"""Arguments of scikit-learn that 0.22 to 1.9 renamed, removed or take by keyword alone, and defaults that changed.

The rows are in sklearn_arguments.json, from the signatures of 0.19 beside those of 1.9.
"""

import inspect
from types import ModuleType
from typing import Any, Callable, Dict, List, Mapping

from ....basics.tables import beside
from ..cures import around
from .giving import give, joined, version, wrap

_TABLE: Dict[str, Any] = beside(__file__, 'sklearn_arguments.json')
MODULES: List[str] = _TABLE['modules']
# The first arguments have kept their order where no row of "orders" says another.
SAME_ORDER = 6


def arguments(module: ModuleType) -> str:
    """Take the arguments of scikit-learn by position and by their old names, and old names of losses and criteria."""
    if _version() < (0, 22):
        return ''
    done = []
    for name, owner, attribute in _public(module):
        row = f'{module.__name__.partition(".")[2]}.{name}'
        done.append(wrap(owner, attribute, _old(row, owner is not module)))
    return joined(*done)


def defaults_before_022(module: ModuleType) -> str:
    """Give the defaults of scikit-learn 0.21: `cv=3`, `n_estimators=10`, `gamma='auto'`, folds of equal classes."""
    if _version() < (0, 22):
        return ''
    rows = _TABLE['defaults_before_0.22']
    done = []
    for name, owner, attribute in _public(module):
        given = rows.get(f'{module.__name__.partition(".")[2]}.{name}')
        if given:
            done.append(wrap(owner, attribute, _with_defaults(given)))
    if module.__name__ == 'sklearn.model_selection':
        splitter: Any = module.StratifiedKFold
        splitter._make_test_folds = _folds_by_class
        done.append('StratifiedKFold')
    return joined(*done)


def _version() -> Any:
    import sklearn

    return version(sklearn)


def _public(module: ModuleType) -> List[Any]:
    """(name, what has the function, the name of the function there) of each class and function of a module."""
    found: List[Any] = []
    for name, value in sorted(vars(module).items()):
        if name.startswith('_') or not str(getattr(value, '__module__', '')).startswith(module.__name__):
            continue
        if inspect.isclass(value) and inspect.isfunction(value.__init__):
            found.append((name, value, '__init__'))
        elif inspect.isfunction(value):
            found.append((name, module, name))
    return found


def _old(row: str, is_class: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for a function, or for the `__init__` of a class, whose row this is."""
    given: Mapping[str, Any] = _TABLE['defaults'].get(row, {})
    first = 1 if is_class else 0

    def old_arguments_of_sklearn(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(function).parameters
        kinds = [parameter.kind for parameter in parameters.values()]
        by_position = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) - first
        order = _TABLE['orders'].get(row, list(parameters)[first:][:SAME_ORDER])
        if row in _TABLE['named_only']:
            order = []
        takes_all = inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds

        def called(*args: Any, **kwargs: Any) -> Any:
            own, args = args[:first], args[first:]
            if not takes_all:
                if row in _TABLE['orders'] or by_position < len(args) <= len(order):
                    kept = min(by_position, _common(order, list(parameters)[first:]))
                    if kept < len(args) <= len(order):
                        kwargs.update(zip(order[kept:], args[kept:]))
                        args = args[:kept]
                _rename(row, parameters, kwargs)
            for name, value in given.items():
                if list(parameters).index(name) - first >= len(args):
                    kwargs.setdefault(name, value)
            return function(*own, *args, **kwargs)

        return called

    return old_arguments_of_sklearn


def _common(order: List[str], names: List[str]) -> int:
    """The number of first names that two lists share."""
    return next((i for i, pair in enumerate(zip(order, names)) if pair[0] != pair[1]), min(len(order), len(names)))


def _rename(row: str, parameters: Mapping[str, Any], kwargs: Dict[str, Any]) -> None:
    for old, new in _TABLE['renamed'].items():
        if old in kwargs and old not in parameters and new in parameters:
            kwargs[new] = kwargs.pop(old)
    for name in _TABLE['unused']:
        if name in kwargs and name not in parameters:
            del kwargs[name]
    for name, values in _TABLE['off'].items():
        if name in kwargs and name not in parameters and kwargs[name] in values:
            del kwargs[name]
    # Before 1.2 scikit-learn took the old losses and criteria, and not all of the new ones.
    today = _version() >= (1, 2)
    for name, table in _TABLE['values'].items():
        if name in parameters and isinstance(kwargs.get(name), str) and (today or name in ('scoring', 'class_weight')):
            kwargs[name] = table.get(kwargs[name], kwargs[name])
    if today and kwargs.get('max_features') == 'auto':
        kwargs['max_features'] = 'sqrt' if row.endswith('Classifier') else 1.0


def _with_defaults(given: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def old_defaults_of_sklearn(function: Callable[..., Any]) -> Callable[..., Any]:
        names = list(inspect.signature(function).parameters)

        def called(*args: Any, **kwargs: Any) -> Any:
            for name, value in given.items():
                if name in names and names.index(name) >= len(args):
                    kwargs.setdefault(name, value)
                    if name == 'cv' and kwargs['cv'] is None:
                        kwargs['cv'] = value
            return function(*args, **kwargs)

        return called

    return old_defaults_of_sklearn


def _folds_by_class(self: Any, X: Any, y: Any = None) -> Any:
    """The fold of each sample: each class is cut by a `KFold` of its own, as before scikit-learn 0.22."""
    import numpy
    from sklearn.model_selection import KFold
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import column_or_1d

    kinds = 'binary', 'multiclass'
    if type_of_target(y) not in kinds:
        raise ValueError(f'Supported target types are: {kinds}. Got {type_of_target(y)!r} instead.')
    y = column_or_1d(y)
    classes, counts = numpy.unique(y, return_counts=True)
    if counts.max() < self.n_splits:
        raise ValueError(f'n_splits={self.n_splits} cannot be greater than the number of members in each class.')
    seed: Any = self.random_state if self.shuffle else None
    seed = check_random_state(seed) if self.shuffle and not isinstance(seed, int) else seed
    cuts = [
        KFold(self.n_splits, shuffle=self.shuffle, random_state=seed).split(numpy.zeros(max(count, self.n_splits)))
        for count in counts
    ]
    folds = numpy.zeros(len(y), dtype=int)
    for fold, splits in enumerate(zip(*cuts)):
        for label, (_, rows) in zip(classes, splits):
            of_class = folds[y == label]
            of_class[rows[rows < len(of_class)]] = fold
            folds[y == label] = of_class
    return folds


# -- metrics -----------------------------------------------------------------------------------------------------------


def curves(metrics: ModuleType) -> str:
    """Begin curves where they began, take `log_loss(eps=)`, `auc(reorder=)` and `make_scorer(needs_proba=)`."""
    if _version() < (0, 22):
        return ''
    done = [wrap(metrics, 'roc_curve', _finite_threshold), wrap(metrics, 'precision_recall_curve', _to_full_recall)]
    done += [wrap(metrics, 'log_loss', _clipped), wrap(metrics, 'auc', _reordered)]
    if _version() >= (1, 4):
        done.append(wrap(metrics, 'make_scorer', _needs))
    scorers = {name: metrics.get_scorer(name) for name in getattr(metrics, 'get_scorer_names', list)()}
    return joined(*done, give(metrics, {'SCORERS': scorers}))


@around
def _finite_threshold(roc_curve: Any, *args: Any, **kwargs: Any) -> Any:
    """The first threshold is the largest score and 1, as before scikit-learn 1.3."""
    import numpy

    false, true, thresholds = roc_curve(*args, **kwargs)
    if len(thresholds) > 1 and numpy.isinf(thresholds[0]):
        thresholds[0] = thresholds[1] + 1
    return false, true, thresholds


@around
def _to_full_recall(precision_recall_curve: Any, *args: Any, **kwargs: Any) -> Any:
    """The curve begins at the largest threshold with a recall of 1, as before scikit-learn 1.1."""
    precision, recall, thresholds = precision_recall_curve(*args, **kwargs)
    start = max(int((recall == 1).sum()) - 1, 0)
    return precision[start:], recall[start:], thresholds[start:]


@around
def _clipped(log_loss: Any, y_true: Any, *args: Any, **kwargs: Any) -> Any:
    import numpy

    eps = kwargs.pop('eps', None)
    if len(args) > 1 and isinstance(args[1], float):
        eps, args = args[1], args[:1] + args[2:]
    if eps is None:
        return log_loss(y_true, *args, **kwargs)
    name = next((name for name in ('y_pred', 'y_proba') if name in kwargs), None)
    predicted = numpy.clip(args[0] if name is None else kwargs.pop(name), eps, 1 - eps)
    if predicted.ndim == 2:
        predicted = predicted / predicted.sum(axis=1, keepdims=True)
    return log_loss(y_true, predicted, *args[1:], **kwargs)


@around
def _reordered(auc: Any, x: Any, y: Any, reorder: bool = False) -> Any:
    import numpy

    if reorder:
        order = numpy.lexsort((y, x))
        x, y = numpy.asarray(x)[order], numpy.asarray(y)[order]
    return auc(x, y)


@around
def _needs(make_scorer: Any, score_func: Any, *args: Any, **kwargs: Any) -> Any:
    needs_proba, needs_threshold = kwargs.pop('needs_proba', False), kwargs.pop('needs_threshold', False)
    if args and isinstance(args[0], bool):
        kwargs['greater_is_better'], args = args[0], args[1:]
    if needs_proba or needs_threshold:
        kwargs['response_method'] = 'predict_proba' if needs_proba else ('decision_function', 'predict_proba')
    return make_scorer(score_func, *args, **kwargs)


def feature_names(module: ModuleType) -> str:
    """Give vectorizers and encoders `get_feature_names()` back, and Gaussian naive Bayes `sigma_`."""
    if _version() < (1, 0):
        return ''
    done = []
    for name, owner, _ in _public(module):
        if inspect.isclass(owner) and hasattr(owner, 'get_feature_names_out'):
            done.append(give(owner, {'get_feature_names': lambda self: self.get_feature_names_out().tolist()}))
        if name == 'GaussianNB' and not hasattr(owner, 'sigma_'):
            done.append(give(owner, {'sigma_': property(lambda self: self.var_, doc='The variances.')}))
    return joined(*done)
