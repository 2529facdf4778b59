"""The old arguments of `pd.read_csv` and `read_table`, which pandas 1.3 to 3.0 removed."""

from typing import Any, Callable, Dict, List

ORDER = 'path sep delimiter header names index_col usecols squeeze prefix mangle_dupe_cols dtype engine'.split()
IGNORED = 'infer_datetime_format mangle_dupe_cols tupleize_cols verbose buffer_lines compact_ints use_unsigned'.split()


def reading(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper of a function that reads a table of text."""

    def wrapper(read: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            if len(args) > len(ORDER):
                raise TypeError(
                    f'pd.{name} takes {len(ORDER)} arguments by position, got {len(args)}; name the others.'
                )
            kwargs.update(zip(ORDER[1:], args[1:]))
            args = args[:1]
            for ignored in IGNORED:
                kwargs.pop(ignored, None)
            warned = kwargs.pop('warn_bad_lines', True)
            if not kwargs.pop('error_bad_lines', True):
                kwargs['on_bad_lines'] = 'warn' if warned else 'skip'
            if kwargs.pop('delim_whitespace', False):
                kwargs['sep'] = r'\s+'
            squeeze, prefix = kwargs.pop('squeeze', False), kwargs.pop('prefix', None)
            keep, parser = kwargs.pop('keep_date_col', False), kwargs.pop('date_parser', None)
            dates = kwargs.get('parse_dates')
            several = isinstance(dates, dict) or (isinstance(dates, list) and any(isinstance(d, list) for d in dates))
            if several or (parser is not None and dates):
                table = _read_with_dates(read, args, kwargs, parser, keep)
            else:
                table = read(*args, **kwargs)
            if prefix is not None and kwargs.get('header', 'infer') is None and kwargs.get('names') is None:
                table.columns = [f'{prefix}{column}' for column in table.columns]
            return table.iloc[:, 0] if squeeze and table.shape[1] == 1 else table

        return called

    return wrapper


def _read_with_dates(read: Callable[..., Any], args: Any, kwargs: Dict[str, Any], parser: Any, keep: bool) -> Any:
    """A table whose dates stand in several columns, or are read by a function of the program."""
    if kwargs.get('chunksize') or kwargs.get('iterator'):
        raise TypeError(
            'pd.read_csv cannot read parts with dates of several columns or with date_parser since pandas 3.0; read '
            'the whole file, without chunksize.'
        )
    dates, index = kwargs.pop('parse_dates'), kwargs.pop('index_col', None)
    if dates is True:
        dates = [0 if index is None else index]
    wanted = list(dates.items()) if isinstance(dates, dict) else [(None, date) for date in dates]
    wanted = [(name, part if isinstance(part, (list, tuple)) else [part]) for name, part in wanted]
    # A converter keeps the text as it stands in the file, with its leading zeros.
    converters = dict(kwargs.pop('converters', None) or {})
    converters.update({column: str for _, part in wanted for column in part if column not in converters})
    table = read(*args, converters=converters, index_col=False if index is False else None, **kwargs)
    columns = list(table.columns)
    old: List[Any] = []
    new: List[Any] = []
    for name, part in wanted:
        labels = [columns[column] if isinstance(column, int) and column not in columns else column for column in part]
        values = _dates([table[label].astype(str) for label in labels], parser)
        if len(labels) == 1 and name is None:
            table[labels[0]] = values
        else:
            new.append(('_'.join(str(label) for label in labels) if name is None else name, values))
            old += labels
    if not keep:
        table = table.drop(columns=old)
    for place, (name, values) in enumerate(new):
        table.insert(place, name, values)
    if index is None or index is False:
        return table
    columns = list(table.columns)
    keys = index if isinstance(index, list) else [index]
    labels = [columns[key] if isinstance(key, int) and key not in columns else key for key in keys]
    return table.set_index(labels if isinstance(index, list) else labels[0])


def _dates(texts: List[Any], parser: Any) -> Any:
    """The dates in some columns of text. A parser takes arrays, joined texts, or the texts of a row."""
    import pandas

    joined = texts[0]
    for text in texts[1:]:
        joined = joined + ' ' + text
    if parser is None:
        return pandas.to_datetime(joined)
    for attempt in (
        lambda: parser(*[text.values.astype(object) for text in texts]),
        lambda: parser(joined.values.astype(object)),
        lambda: [parser(text) for text in joined],
    ):
        try:
            return pandas.Series(pandas.to_datetime(attempt()), index=joined.index)
        except Exception:  # noqa: BLE001, S112 - of the parser of the program; the last way raises what it raises
            continue
    return pandas.Series(pandas.to_datetime([parser(*row) for row in zip(*texts)]), index=joined.index)
