"""`sklearn.cross_validation`, `grid_search` and `learning_curve`, which scikit-learn 0.20 removed."""

from types import ModuleType
from typing import Any, Callable, Iterator, NamedTuple

from .giving import give


class _Folds:
    """An iterator of (train, test) that knows its samples, as before scikit-learn 0.18."""

    def __init__(self, splitter: Any, samples: int, y: Any = None, groups: Any = None) -> None:
        self._splitter, self.n, self.y, self._groups = splitter, samples, y, groups

    def _arguments(self) -> Any:
        import numpy

        return numpy.zeros((self.n, 1)), self.y, self._groups

    def __iter__(self) -> Iterator[Any]:
        return iter(self._splitter.split(*self._arguments()))

    def __len__(self) -> int:
        return int(self._splitter.get_n_splits(*self._arguments()))

    def __repr__(self) -> str:
        return f'{type(self._splitter).__name__}(n={self.n}, {len(self)} splits)'


def cross_validation(module: ModuleType) -> None:
    """`sklearn.cross_validation`: folds that know their samples, and `train_test_split`, `cross_val_score`."""
    from sklearn import model_selection as new

    def by_number(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda n, *args, **kwargs: _Folds(make(*args, **kwargs), n)

    def by_classes(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda y, *args, **kwargs: _Folds(make(*args, **kwargs), len(y), y)

    def by_labels(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda labels, *args, **kwargs: _Folds(make(*args, **kwargs), len(labels), None, labels)

    def folds(kind: Any) -> Callable[..., Any]:
        def make(n_folds: int = 3, shuffle: bool = False, random_state: Any = None) -> Any:
            return kind(n_folds, shuffle=shuffle, random_state=random_state if shuffle else None)

        return make

    def shuffles(kind: Any) -> Callable[..., Any]:
        def make(n_iter: int = 10, test_size: Any = 0.1, train_size: Any = None, random_state: Any = None) -> Any:
            return kind(n_iter, test_size=test_size, train_size=train_size, random_state=random_state)

        return make

    names = {
        name: getattr(new, name) for name in ('train_test_split', 'cross_val_score', 'cross_val_predict', 'check_cv')
    }
    names.update(
        KFold=by_number(folds(new.KFold)),
        ShuffleSplit=by_number(shuffles(new.ShuffleSplit)),
        LeaveOneOut=by_number(new.LeaveOneOut),
        LeavePOut=by_number(new.LeavePOut),
        StratifiedKFold=by_classes(folds(new.StratifiedKFold)),
        StratifiedShuffleSplit=by_classes(shuffles(new.StratifiedShuffleSplit)),
        LabelKFold=by_labels(lambda n_folds=3: new.GroupKFold(n_folds)),
        LeaveOneLabelOut=by_labels(new.LeaveOneGroupOut),
    )
    give(module, names)


class Score(NamedTuple):
    """One entry of `grid_scores_`."""

    parameters: Any
    mean_validation_score: float
    cv_validation_scores: Any


def grid_search(module: ModuleType) -> None:
    """`sklearn.grid_search`: searches that take `fit_params` and keep `grid_scores_`."""
    from sklearn import model_selection as new

    def with_scores(kind: Any) -> Any:
        class Search(kind):
            """A search of scikit-learn with `grid_scores_`."""

            def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
                super().fit(X, y, **dict(getattr(self, '_fit_params_of_launcher', None) or {}, **fit_params))
                return self

            @property
            def grid_scores_(self) -> Any:
                import numpy

                found = self.cv_results_
                parts = numpy.array([found[f'split{k}_test_score'] for k in range(self.n_splits_)]).T
                means = found['mean_test_score']
                return [Score(*entry) for entry in zip(found['params'], means, parts)]

        def made(*args: Any, fit_params: Any = None, iid: bool = True, **kwargs: Any) -> Any:
            order = ('scoring', 'n_jobs')
            first = args[:2]
            kwargs.update(zip(order, args[2:]))
            search = Search(*first, **kwargs)
            search._fit_params_of_launcher = fit_params
            return search

        Search.__name__ = Search.__qualname__ = kind.__name__
        return made

    names = {name: with_scores(getattr(new, name)) for name in ('GridSearchCV', 'RandomizedSearchCV')}
    names.update(ParameterGrid=new.ParameterGrid, ParameterSampler=new.ParameterSampler)
    give(module, names)


def learning_curve(module: ModuleType) -> None:
    """`sklearn.learning_curve`: `learning_curve` and `validation_curve`."""
    from sklearn import model_selection as new

    give(module, {name: getattr(new, name) for name in ('learning_curve', 'validation_curve')})
