"""`Imputer` and the old arguments of `OneHotEncoder`, which scikit-learn 0.22 and 1.4 removed."""

import functools
import inspect
from typing import Any, Callable

from .giving import joined, wrap


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


def _fit(fit: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, X: Any, y: Any = None) -> Any:
        parts = _parts(self, X)
        return fit(self, X if parts is None else parts[0], y)

    return called


def _transform(transform: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, X: Any) -> Any:
        parts = _parts(self, X)
        return transform(self, X) if parts is None else _together(self, transform(self, parts[0]), parts[1])

    return called


def _fit_transform(fit_transform: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, X: Any, y: Any = None, **kwargs: Any) -> Any:
        if '_columns_of_launcher' not in self.__dict__:
            return fit_transform(self, X, y, **kwargs)
        return self.fit(X, y).transform(X)

    return called
