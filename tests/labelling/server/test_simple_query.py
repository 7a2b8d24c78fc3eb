"""A simple query string is read as Argilla's engines read it, and any text can be asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.server.simple_query import Both, Node, Not, OneField, Term, parse


def shown(node: Node | None) -> str:
    """The tree with all its parentheses; terms of one field in brackets."""
    if node is None:
        return ""
    if isinstance(node, Not):
        return f"-{shown(node.part)}"
    if isinstance(node, OneField):
        return "[" + " ".join(term.text + "*" * term.prefix for term in node.terms) + "]"
    return f"({shown(node.left)} {'|' if node.either else '+'} {shown(node.right)})"


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("a b", "([a] + [b])"),
        ("a b | c d", "((([a] + [b]) | [c]) + [d])"),  # from left to right
        ("a (b | c)", "([a] + ([b] | [c]))"),
        ("-a", "-[a]"),
        ("--a", "[a]"),
        ("- a", "[a]"),
        ("a-b", "[a b]"),  # both, in one field
        ("a -(b c)", "([a] + -([b] + [c]))"),
        ('"a b" c*', "([a b] + [c*])"),
        ("\\-a \\*", "[a]"),
        ("don't 3.5 x_y a.b 1,2", "(((([don't] + [3.5]) + [x_y]) + [a.b]) + [1,2])"),
        ("(a", "[a]"),
        ('a) "b', "([a] + [b])"),
        ('"a (b" c)', "([a (b] + [c])"),
        ("a~1", "[a]"),
        ('"a b"~2 c', "([a b] + [c])"),
        ("a + | b", "([a] + [b])"),
        ("cafe\u0301s", "[cafe\u0301s]"),
        ("* % _ ()", ""),
    ],
)
def test_trees(query: str, tree: str) -> None:
    assert shown(parse(query)) == tree


@given(st.text(alphabet="ab \"-|+()*~\\'.é1", max_size=60))
def test_any_text_can_be_asked(query: str) -> None:
    try:
        terms = list(_terms(parse(query)))
    except ValueError as error:
        assert "search for fewer words" in str(error)  # noqa: PT017
        return
    assert all(any(sign.isalnum() for sign in term.text) for term in terms)


def _terms(node: Node | None) -> list[Term]:
    if isinstance(node, Both):
        return _terms(node.left) + _terms(node.right)
    if isinstance(node, Not):
        return _terms(node.part)
    return list(node.terms) if node else []


@pytest.mark.parametrize("query", ["a " * 51, "a|" * 51, "x" * 1001, "(" * 999 + "ab"])
def test_a_query_that_is_too_long_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match="search for fewer words"):
        parse(query)


def test_parentheses_may_be_many() -> None:
    assert shown(parse("(" * 400 + "a" + ")" * 400)) == "[a]"
