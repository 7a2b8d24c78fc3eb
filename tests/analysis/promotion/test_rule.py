"""A rule that cannot be meant is refused with a sentence; equal rules have equal JSON."""

import json
from dataclasses import asdict

import pytest

from analysis.promotion import RECOMMENDED, PromotionRule
from analysis.promotion.rule import claims_named, from_mapping
from labelling.tables import InputError


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"min_observations": 0}, "min_observations is 0; expected 1 or more"),
        ({"min_observations": "3"}, "min_observations is '3'"),
        ({"min_observations": True}, "min_observations is True"),
        ({"same_topic": 1}, "same_topic is 1"),
        ({"window_days": -1}, "window_days is -1"),
        ({"min_length_ratio": float("nan")}, "min_length_ratio is nan"),
        ({"contradiction": "vote"}, "expected one of hold, majority, ignore"),
        ({"opposites": [["a", "a"]]}, "two different claims"),
        ({"opposites": [["a", "b", "c"]]}, "two different claims"),
        ({"opposites": ["ab"]}, "opposites is"),
        ({"generalising": [""]}, "every quote has it"),
        ({"too_short": ["wants_concise"]}, "too_long and in too_short"),
        ({"min_observation": 3}, "'min_observation'; expected of: min_observations"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(values, told):
    with pytest.raises(InputError, match=told):
        from_mapping(values, "rule.toml")


def test_a_rule_comes_back_from_its_json():
    for rule in (PromotionRule(), RECOMMENDED):
        assert from_mapping(json.loads(rule.as_json), "json") == rule
        assert from_mapping(asdict(rule), "fields").as_json == rule.as_json


def test_it_names_its_claims_and_every_opponent():
    rule = PromotionRule(opposites=(("a", "b"), ("b", "a"), ("a", "c")))
    assert rule.opponents() == [("a", "b"), ("a", "c"), ("b", "a"), ("c", "a")]
    assert claims_named(rule) == {"a", "b", "c", "wants_concise", "wants_verbose"}
