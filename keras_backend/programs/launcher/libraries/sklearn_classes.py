"""Modules and classes of scikit-learn that 0.20 to 1.4 removed: `cross_validation`, `grid_search`, `Imputer`."""

import functools
import inspect
from types import ModuleType
from typing import Any, Callable, Iterator, NamedTuple

from ..cures import around
from .giving import give, joined, wrap

# -- cross_validation, grid_search, learning_curve ---------------------------------------------------------------------
# `sklearn.cross_validation`, `grid_search` and `learning_curve`, which scikit-learn 0.20 removed.


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
    import numpy
    from sklearn import model_selection as new

    def with_scores(kind: Any) -> Any:
        class Search(kind):
            """A search of scikit-learn with `grid_scores_`."""

            def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
                super().fit(X, y, **dict(getattr(self, '_fit_params_of_launcher', None) or {}, **fit_params))
                return self

            @property
            def grid_scores_(self) -> Any:
                results = self.cv_results_
                scores = numpy.array([results[f'split{k}_test_score'] for k in range(self.n_splits_)]).T
                means = results['mean_test_score']
                return [Score(*entry) for entry in zip(results['params'], means, scores)]

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


# -- Imputer, OneHotEncoder --------------------------------------------------------------------------------------------
# `Imputer` and the old arguments of `OneHotEncoder`, which scikit-learn 0.22 and 1.4 removed.


@functools.lru_cache(maxsize=None)
def imputer_class() -> Any:
    """The class `Imputer` of scikit-learn 0.21, over `SimpleImputer`."""
    import numpy
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.impute import SimpleImputer

    class Imputer(TransformerMixin, BaseEstimator):
        """`sklearn.preprocessing.Imputer`: missing values become the mean, median or most frequent value.

        Parameters
        ----------
        missing_values : 'NaN' or number
            The values that are missing.
        strategy : {'mean', 'median', 'most_frequent'}
            The value in their place.
        axis : {0, 1}
            0 for a value of the column, 1 for one of the row.
        verbose, copy : int, bool
            As in scikit-learn.
        """

        def __init__(
            self,
            missing_values: Any = 'NaN',
            strategy: str = 'mean',
            axis: int = 0,
            verbose: int = 0,
            copy: bool = True,
        ) -> None:
            self.missing_values = missing_values
            self.strategy = strategy
            self.axis = axis
            self.verbose = verbose
            self.copy = copy

        def _simple(self) -> Any:
            nan = isinstance(self.missing_values, str) or self.missing_values != self.missing_values
            return SimpleImputer(
                missing_values=numpy.nan if nan else self.missing_values, strategy=self.strategy, copy=self.copy
            )

        def fit(self, X: Any, y: Any = None) -> Any:
            """Work out the values of the columns."""
            if self.axis not in (0, 1):
                raise ValueError(f'Imputer takes axis=0 or axis=1, got {self.axis!r}; pass one of these.')
            if self.axis == 0:
                self._fitted = self._simple().fit(X)
                self.statistics_ = self._fitted.statistics_
            return self

        def transform(self, X: Any) -> Any:
            """Put the values in the place of the missing ones."""
            if self.axis == 0:
                return self._fitted.transform(X)
            return self._simple().fit_transform(numpy.asarray(X).T).T

    Imputer.__module__ = 'sklearn.preprocessing.imputation'
    Imputer.__qualname__ = 'Imputer'
    return Imputer


def encode_columns(encoder: Any) -> str:
    """Let `OneHotEncoder` take `sparse=`, `n_values='auto'` and `categorical_features=` as before 0.22 and 1.4."""
    done = joined(
        wrap(encoder, '__init__', _init),
        wrap(encoder, 'fit', _fit),
        wrap(encoder, 'transform', _transform),
        wrap(encoder, 'fit_transform', _fit_transform),
    )
    return done


def _init(init: Callable[..., Any]) -> Callable[..., Any]:
    known = inspect.signature(init).parameters

    def called(
        self: Any, *args: Any, n_values: Any = None, categorical_features: Any = None, sparse: Any = None, **kwargs: Any
    ) -> None:
        if args or n_values not in (None, 'auto'):
            raise TypeError(
                f'OneHotEncoder cannot take n_values={(args or (n_values,))[0]!r} since scikit-learn 0.22; pass '
                'categories=[range(n)] for each column.'
            )
        if sparse is not None:
            kwargs['sparse_output' if 'sparse_output' in known else 'sparse'] = sparse
        init(self, **kwargs)
        if categorical_features is not None and not isinstance(categorical_features, str):
            self.__dict__['_columns_of_launcher'] = categorical_features

    return called


def _parts(self: Any, X: Any) -> Any:
    """(the columns to be encoded, the others), or None if all columns are encoded."""
    import numpy

    columns = self.__dict__.get('_columns_of_launcher')
    if columns is None:
        return None
    X = numpy.asarray(X)
    columns = numpy.asarray(columns)
    chosen = numpy.zeros(X.shape[1], bool)
    chosen[columns] = True
    return X[:, chosen], X[:, ~chosen]


def _together(self: Any, encoded: Any, others: Any) -> Any:
    import numpy
    from scipy import sparse

    others = others.astype(float)
    if sparse.issparse(encoded):
        return sparse.hstack([encoded, sparse.csr_matrix(others)]).tocoo()
    return numpy.hstack([encoded, others])


@around
def _fit(fit: Any, self: Any, X: Any, y: Any = None) -> Any:
    columns = _parts(self, X)
    return fit(self, X if columns is None else columns[0], y)


@around
def _transform(transform: Any, self: Any, X: Any) -> Any:
    columns = _parts(self, X)
    return transform(self, X) if columns is None else _together(self, transform(self, columns[0]), columns[1])


@around
def _fit_transform(fit_transform: Any, self: Any, X: Any, y: Any = None, **kwargs: Any) -> Any:
    if '_columns_of_launcher' not in self.__dict__:
        return fit_transform(self, X, y, **kwargs)
    return self.fit(X, y).transform(X)
