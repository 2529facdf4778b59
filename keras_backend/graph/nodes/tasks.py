"""Functions that call each other as deep as a user nests loops and choices, without nesting Python's calls.

Such a function is a generator, a *task*. It yields another task where it would call it, and gets its result:

    def depth(region):
        return 0 if region is None else 1 + (yield depth(region.parent))

    run(depth(region))
"""

from typing import Any, Generator, List, Optional

Task = Generator[Any, Any, Any]


def run(task: Task) -> Any:
    """The result of a task."""
    open_tasks: List[Task] = [task]
    value: Any = None
    error: Optional[BaseException] = None
    while True:
        last = open_tasks[-1]
        try:
            further = last.send(value) if error is None else last.throw(error)
        except StopIteration as stop:
            open_tasks.pop()
            if not open_tasks:
                return stop.value
            value, error = stop.value, None
        except BaseException as raised:
            # the task that asked leaves its blocks, too
            open_tasks.pop()
            if not open_tasks:
                raise
            value, error = None, raised
        else:
            open_tasks.append(further)
            value = error = None
