"""Which functions are inlined before LLVM optimises."""

import pytest
from llvmlite.binding import parse_assembly

from branchwise.core.machine.compiler import _inline_first
from branchwise.core.simulation import simulate, steering

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
    path = [*kernel.__module__.split("."), kernel.__name__]
    symbol = "".join(f"{len(name)}{name}" for name in path)
    assert not [
        name for name in inlined_first(MODULE.replace("10branchwise4core6once", symbol)) if symbol in name
    ]


def test_searches_with_listed_outcomes_of_chance_are_left_to_llvm():
    assert inlined_first(MODULE.replace("core6once", "core10simulation6chance4once")) == []


def test_kernels_that_are_called_once_are_inlined_before_anything_is_optimised():
    assert inlined_first(MODULE) == [
        "_ZN10branchwise4core6onceB2v1",
        "_ZN10branchwise4core6quoted$3c$B2v2",
    ]
