"""Collections of garbage are rare while many objects are made, and nothing of a program's own changes."""

import gc
import weakref

import pytest

from branchwise.common.gc_pause import rare_collections


class Circle:
    """An object that can refer to itself."""


@pytest.fixture
def usual_collections():
    """Let Python collect garbage as often as by default."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_objects_that_were_made_there_are_not_looked_at_again_at_the_end(usual_collections):
    collections = []
    gc.collect()
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        with rare_collections():
            made = [[number] for number in range(10_000)]
        more = [[number] for number in range(100)]
    finally:
        gc.callbacks.pop()
    assert collections == []
    assert gc.get_freeze_count() == 0
    assert gc.is_tracked(made[0])
    assert gc.is_tracked(more[0])
    assert gc.get_threshold() == (700, 10, 10)


def test_garbage_that_were_made_there_is_collected_later(usual_collections):
    with rare_collections():
        circle = Circle()
        circle.itself = circle
        freed = weakref.ref(circle)
        del circle
    gc.collect()
    assert freed() is None


def test_objects_that_a_program_has_frozen_stay_frozen(usual_collections):
    own = Circle()
    gc.freeze()
    try:
        with rare_collections():
            pass
        assert gc.get_freeze_count() > 0
        assert not any(each is own for each in gc.get_objects())  # which lists all but the frozen ones
    finally:
        gc.unfreeze()
    assert any(each is own for each in gc.get_objects())
