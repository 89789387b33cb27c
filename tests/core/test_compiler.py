"""Which functions are inlined before LLVM optimises."""

import pytest
from llvmlite.binding import parse_assembly

import branchwise as bw
from branchwise.core.machine import compiler
from branchwise.core.machine.compiler import _inline_first, symbol_of
from branchwise.core.simulation import chance, simulate, steering
from branchwise.games.pig import Pig

ONCE = "_ZN10branchwise4core6once"

MODULE = """
define internal i32 @_ZN10branchwise4core6onceB2v1() {
  ret i32 1
}

define internal i32 @"_ZN10branchwise4core6quoted$3c$B2v2"() {
  ret i32 2
}

define internal i32 @_ZN10branchwise4core5twiceB2v3() {
  ret i32 3
}

define internal i32 @_ZN10branchwise4core5apartB2v4() noinline {
  ret i32 4
}

define internal i32 @_ZN10branchwise7compile5rules3Nim4ruleB2v5() {
  ret i32 5
}

define i32 @_ZN10branchwise4core5entryB2v6() {
  %1 = call i32 @_ZN10branchwise4core6onceB2v1()
  %2 = call noundef i32 @"_ZN10branchwise4core6quoted$3c$B2v2"()
  %3 = tail call i32 @_ZN10branchwise4core5twiceB2v3()
  %4 = call i32 @_ZN10branchwise4core5twiceB2v3()
  %5 = call i32 @_ZN10branchwise4core5apartB2v4()
  %6 = call i32 @_ZN10branchwise7compile5rules3Nim4ruleB2v5()
  ret i32 %6
}
"""


def inlined_first(text):
    module = parse_assembly(text)
    _inline_first(module)
    return [
        function.name
        for function in module.functions
        if any(b"alwaysinline" in attributes for attributes in function.attributes)
    ]


@pytest.mark.parametrize("kernel", [simulate._follow_guide, steering.leave_out])
def test_what_only_steered_searches_run_stays_out_of_the_code_that_all_run(kernel):
    symbol = symbol_of(kernel.__module__, kernel.__name__)
    assert not [name for name in inlined_first(MODULE.replace(ONCE, symbol)) if name.startswith(symbol)]


def test_searches_with_listed_outcomes_of_chance_are_left_to_llvm():
    assert inlined_first(MODULE.replace(ONCE, symbol_of(chance.__name__, "draw_outcome"))) == []


def test_marked_kernels_reach_llvm_under_the_names_that_are_looked_for(monkeypatch, tmp_path):
    class ShortPig(Pig):
        target = 5

    seen = set()

    def look(module):
        _inline_first(module)
        seen.update(
            (one.name, any(b"noinline" in each for each in one.attributes)) for one in module.functions
        )

    monkeypatch.setenv("BRANCHWISE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_inline_first", look)
    bw.MCTS(seed=1).search(ShortPig(), simulations=10)
    for kernel in (simulate._follow_guide, steering.leave_out):
        symbol = symbol_of(kernel.__module__, kernel.__name__)
        assert {apart for name, apart in seen if name.startswith(symbol)} >= {True}
    assert any(name.startswith(symbol_of(chance.__name__)) for name, _ in seen)


def test_kernels_that_are_called_once_are_inlined_before_anything_is_optimised():
    assert inlined_first(MODULE) == [
        "_ZN10branchwise4core6onceB2v1",
        "_ZN10branchwise4core6quoted$3c$B2v2",
    ]
