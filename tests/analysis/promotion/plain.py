"""Promotion written out as the chapter's code and the definitions say it: slow, with no tables.

A log is a list of dictionaries with the columns of `observations`, `at` a datetime in UTC.
"""


def promote(log, rule, day):
    """(user_id, claim) -> (guard or None, reason or None, the rows that count)."""
    rows = _distinct(log)
    found = {}
    for user, claim in {(o["user_id"], o["obs"]) for o in rows if o["at"].date() <= day}:
        mine = [o for o in rows if o["user_id"] == user and _live(o, day, rule)]
        found[user, claim] = _decide(claim, mine, rule)
    return found


def _distinct(log):
    first = {}
    for o in sorted(log, key=lambda o: o["at"]):
        first.setdefault((o["user_id"], o["obs"], o["session"], o["turn"]), o)
    return list(first.values())


def _live(o, day, rule):
    return 0 <= (day - o["at"].date()).days <= rule.window_days


def _decide(claim, live, rule):
    obs = [o for o in live if o["obs"] == claim]
    others = [[o for o in live if o["obs"] == b] for a, b in rule.opponents() if a == claim]
    said = _last_said(obs, live, rule)
    if not obs:
        return "window", None, obs
    if said is not None:
        if not rule.generalising_skips_contradiction and _contradicted(obs, others, rule):
            return "contradicted", None, obs
        later = [_last_said(other, live, rule) for other in others]
        if rule.later_generalisation_wins and any(x is not None and x > said for x in later):
            return "superseded", None, obs
        return None, "explicit_generalisation", obs
    for guard, fails in (
        ("min_observations", len(obs) < rule.min_observations),
        ("min_sessions", len({o["session"] for o in obs}) < rule.min_sessions),
        ("contradicted", _contradicted(obs, others, rule)),
        ("explained_by_output", rule.explained_by_output and _explained(claim, obs, rule)),
        ("same_topic", rule.same_topic and _one_topic(obs)),
    ):
        if fails:
            return guard, None, obs
    return None, "repeated_across_sessions", obs


def _last_said(obs, live, rule):
    """The place in time of the last row in which the user did the generalising."""
    said = [o for o in obs if any(g in o["quote"].lower() for g in rule.generalising)]
    return max((live.index(o) for o in said), default=None)


def _contradicted(obs, others, rule):
    mine = len({o["session"] for o in obs})
    theirs = [len({o["session"] for o in other}) for other in others if other]
    if rule.contradiction == "ignore":
        return False
    return bool(theirs) and (rule.contradiction == "hold" or not all(mine > n for n in theirs))


def _explained(claim, obs, rule):
    lengths = [o["prior_output_tokens"] for o in obs if o["prior_output_tokens"] is not None]
    if claim not in (*rule.too_long, *rule.too_short):
        return False
    if len(lengths) < 2 or max(lengths) < rule.min_length_ratio * min(lengths):
        return True
    if claim in rule.too_long:
        return min(lengths) > rule.short_output_tokens
    return max(lengths) < rule.long_output_tokens


def _one_topic(obs):
    topics = [o["topic"] for o in obs if o["topic"] is not None]
    return len(topics) >= 2 and len(set(topics)) == 1
