"""Blocks of K in tasks of asyncio, which take turns inside of them."""

import asyncio
import re
import sys

import pytest

from ._check import covers


@covers('name_scope')
@pytest.mark.skipif(sys.version_info < (3, 7), reason='Python 3.6 does not tell tasks apart')
def test_name_scopes_of_tasks(K):
    """A task that waits inside of a block keeps its own scope, and leaves nothing behind."""

    async def build(own, others):
        names = []
        with K.name_scope(own):
            for _ in range(3):
                await others()
                names.append(K.identity(K.constant(1.0), name='made').name)
                with K.name_scope('inner'):
                    await others()
                    names.append(K.identity(K.constant(1.0), name='made').name)
        return names

    async def both():
        async def others():
            await asyncio.sleep(0)

        return await asyncio.gather(build('first', others), build('second', others))

    loop = asyncio.new_event_loop()
    try:
        first, second = loop.run_until_complete(both())
    finally:
        loop.close()
    for own, names in (('first', first), ('second', second)):
        assert all([name.startswith(f'{own}/') for name in names]), names
        # TensorFlow numbers a scope that is opened again in the same scope: inner, inner_1, inner_2.
        inside = [re.match(f'{own}/inner(_[0-9]+)?/', name) is not None for name in names]
        assert inside == [False, True] * 3, names
    assert '/' not in K.identity(K.constant(1.0), name='after').name
