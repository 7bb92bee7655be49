"""Plain trees: what JSON says of nested values."""

import json

import pytest

from fornax._tree import PlainTree, Trees, describe

VALUE = ({"b": "*", "a": ["*", None]}, (), "*")


def test_there_and_back():
    tree = PlainTree(json.loads(json.dumps(describe(VALUE))))
    given = ({"a": [1, None], "b": 2}, (), 3)
    assert tree.leaves(given) == [1, 2, 3]
    assert tree.build([1, 2, 3]) == given
    assert describe(None) is None and PlainTree(None).build([]) is None


def test_other_containers_have_no_description():
    assert describe(({1, 2},)) is None
    assert describe({1: "*"}) is None


@pytest.mark.parametrize("wrong", [(), 7, ({"a": [1, None]}, (), 3), ({"a": [1, 4], "b": 2}, (), 3), [{}, (), 1]])
def test_wrong_shapes(wrong):
    with pytest.raises(TypeError, match="argument"):
        PlainTree(describe(VALUE)).leaves(wrong)


def test_trees_of_a_file():
    text = json.dumps([describe(((["*", "*"], "*"), {})), describe({"y": "*"}), [0, 2]])
    trees = Trees.of_text(text, 2, 1)
    assert trees.inputs(([1, 2], 3), {}) == [1, 3] and trees.outputs([4]) == {"y": 4}
    assert Trees.of_text(trees.text(), 2, 1).inputs(([1, 2], 3), {}) == [1, 3]
    # What does not fit the function, or is no description, is as if it were not there.
    for wrong in (text[:-1], "[]", "7", "[[], [], []]", '["*", "*", null]', "[" * 100000, '[["dict", 7], "*", null]'):
        assert Trees.of_text(wrong, 2, 1) == Trees()
    assert Trees.of_text(text, 3, 1) == Trees.of_text(text, 2, 2) == Trees()
