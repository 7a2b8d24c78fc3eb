"""The schemas of every table, as dataframely classes with named rules.

Column names, types and keys are contracts: notebooks, published datasets and other programs read
them. Tables only gain columns. A key that holds nullable columns is kept unique by the rule `key`
(nulls equal); every other key is a primary key.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import dataframely as dy
import polars as pl

SCHEMA_VERSION = 1
"""Written into every Parquet file as `gates_schema`; it rises when a table changes its meaning."""

LEAST_PROBABILITY = 1e-9
"""One fact that stands for more than a billion would be no sample; sums of squares overflow."""
ERROR_KINDS = (
    "situational",
    "assistant_claim",
    "scope_invented",
    "output_correction",
    "third_person",
    "negated_or_hypothetical",
    "injected",
    "echo",
    "stale",
    "unsupported",
    "other",
)
REJECT_REASONS = (
    "negated",
    "hypothetical",
    "question",
    "quoted",
    "third_person",
    "past",
    "assistant_turn",
    "injected",
    "quote_not_found",
    "below_threshold",
)
ROLES = ("user", "assistant", "system", "tool")
KINDS = ("fact", "preference")
VERDICTS = ("admit", "reject", "log", "confirm", "known")
BASES = ("live", "recorded", "simulated")
BASELINE_GATES = ("nothing", "everything", "random", "first_person")
"""Yardsticks: what they propose is never put before annotators."""
STRATA = ("proposed", "sampled", "read", "added")
STORE_CHECKS = ("wrong", "two_values", "two_scopes", "expired")
EVIDENCE_FORMS = ("stated", "oblique", "multi_turn")
EVENTS = (
    "remember_pressed",
    "confirmation_offered",
    "confirmation_accepted",
    "confirmation_declined",
)
RESPONSE_STATUSES = ("submitted", "draft", "discarded")
SCOPE = r"^(global|[^:\s]+:\S.*)$"


def text(*, key: bool = False, null: bool = False, **more: Any) -> dy.String:
    return dy.String(primary_key=key, nullable=null, **more)


def choice(options: tuple[str, ...], *, key: bool = False, null: bool = False) -> dy.String:
    rule = {"choice": lambda column: column.is_in(list(options))}
    return dy.String(primary_key=key, nullable=null, check=rule)


def moment(*, null: bool = False) -> dy.Datetime:
    return dy.Datetime(nullable=null, time_zone="UTC", time_unit="us")


def index(*, key: bool = False) -> dy.Int32:
    return dy.Int32(primary_key=key, min=0)


def count(*, null: bool = False) -> dy.Int64:
    return dy.Int64(nullable=null, min=0)


def number(*, null: bool = True, **more: Any) -> dy.Float64:
    return dy.Float64(nullable=null, allow_inf=False, allow_nan=False, **more)


def share() -> dy.Float64:
    return number(min=0.0, max=1.0)


def spans() -> dy.List:
    return dy.List(dy.Struct({"start": dy.Int32(), "end": dy.Int32()}))


def evidence() -> dy.List:
    fields = {"turn": dy.Int32(), "role": dy.String(), "start": dy.Int32(), "end": dy.Int32()}
    return dy.List(dy.Struct(fields))


def answered() -> dy.List:
    return dy.List(dy.Struct({"question": dy.String(), "answer": dy.String()}))


def unique(*names: str) -> pl.Expr:
    return ~pl.struct(*names).is_duplicated()


class Sessions(dy.Schema):
    """A conversation."""

    session_id = text(key=True, min_length=1)
    user_id = text(min_length=1)
    started_at = moment(null=True)
    partner = choice(("assistant", "agent", "person"))
    split = choice(("dev", "test"))
    licence = text(null=True)
    source_format = text()
    source_ref = text()


class Turns(dy.Schema):
    """A turn of a conversation."""

    session_id = text(key=True)
    turn = index(key=True)
    role = choice(ROLES)
    speaker = text()
    text = text()
    at = moment(null=True)
    tokens = count(null=True)
    hidden = dy.Bool()
    injected_spans = spans()
    source_ref = dy.String()


class Events(dy.Schema):
    """A press of a button, or an answer to an offered confirmation."""

    session_id = text()
    turn = index()
    event = choice(EVENTS)
    statement = text(null=True)
    at = moment(null=True)

    @dy.rule()
    def key(cls) -> pl.Expr:
        return unique("session_id", "turn", "event", "statement")


class Proposals(dy.Schema):
    """What a gate offered on one turn."""

    proposal_id = text(key=True)
    gate = text(min_length=1)
    setting = text()
    session_id = text()
    turn = index()
    evidence = evidence()
    quote = text(null=True)
    statement = text(min_length=1)
    kind = choice(KINDS, null=True)
    scope = text(null=True, regex=SCOPE)
    slot = text(null=True)
    value = text(null=True)
    polarity = dy.Bool(nullable=True)
    expires_at = moment(null=True)
    score = number()
    score_kind = text(null=True)
    rule_id = text(null=True)
    verdict = choice(VERDICTS)
    reject_reason = choice(REJECT_REASONS, null=True)
    basis = choice(BASES)


class GateTurns(dy.Schema):
    """One run of a gate."""

    gate = text(key=True)
    setting = text(key=True)
    session_id = text(key=True)
    turn = index(key=True)
    proposals = dy.Int32(min=0)
    latency_ms = number(min=0.0)
    on_path = dy.Bool()
    tokens_in = count(null=True)
    tokens_out = count(null=True)
    cost = number(min=0.0)
    failure = text(null=True)
    basis = choice(BASES)


class Candidates(dy.Schema):
    """A fact to label."""

    candidate_id = text(key=True)
    session_id = text()
    turn = index()
    evidence = evidence()
    quote = text()
    statement = text(min_length=1)
    kind = choice(KINDS, null=True)
    scope = text(null=True, regex=SCOPE)
    slot = text(null=True)
    value = text(null=True)
    polarity = dy.Bool(nullable=True)
    expires_at = moment(null=True)
    strata = dy.List(choice(STRATA), min_length=1)
    inclusion_probability = number(min=LEAST_PROBABILITY, max=1.0)
    round = dy.Int32(min=1)
    proposal_ids = dy.List(dy.String())


class Labels(dy.Schema):
    """One answer of one annotator; a discard or an empty draft is a row of question `task`."""

    candidate_id = text(key=True)
    annotator = text(key=True)
    question = text(key=True)
    occasion = index(key=True)
    answer = text(null=True)
    status = choice(RESPONSE_STATUSES)
    submitted_at = moment(null=True)
    seconds = number(min=0.0)
    guidelines_version = text()
    round = dy.Int32(min=1)
    pilot = dy.Bool()


class ResponseHistory(dy.Schema):
    """A change of an answer in Argilla: how it was before, and how it is then."""

    response_id = text(key=True)
    change = dy.Int64(primary_key=True, min=0)
    candidate_id = text()
    annotator = text()
    action = choice(("insert", "update", "delete", "found", "missed"))
    status_before = choice(RESPONSE_STATUSES, null=True)
    status = choice(RESPONSE_STATUSES, null=True)
    answers_before = answered()
    answers = answered()
    changed_at = moment()
    seconds = number(min=0.0, max=600.0)
    guidelines_version = text(null=True)
    round = dy.Int32(min=1)


class Agreement(dy.Schema):
    """One agreement statistic; question `write` is the derived decision."""

    question = text()
    annotator_a = text(null=True)
    annotator_b = text(null=True)
    stratum = text()
    statistic = text()
    value = number()
    low = number()
    high = number()
    n = count()
    excluded = count()
    reason = text(null=True)
    interval_method = text(null=True)

    @dy.rule()
    def key(cls) -> pl.Expr:
        return unique("question", "annotator_a", "annotator_b", "stratum", "statistic")

    @dy.rule()
    def undefined_has_reason(cls) -> pl.Expr:
        return cls.value.col.is_not_null() | cls.reason.col.is_not_null()


class ReferenceFacts(dy.Schema):
    """A fact that should be written; kind and scope are null where only a raw sentence was seen."""

    fact_id = text(key=True)
    fact_key = text()
    session_id = text()
    turn = index()
    statement = text(min_length=1)
    kind = choice(KINDS, null=True)
    scope = text(null=True, regex=SCOPE)
    slot = text(null=True)
    value = text(null=True)
    expires_at = moment(null=True)
    evidence_form = choice(EVIDENCE_FORMS, null=True)
    weight = number(min=1.0, max=1 / LEAST_PROBABILITY)
    source = choice(("agreed", "adjudicated", "corrected", "corpus"))
    split = choice(("dev", "test"))


class Style(dy.Schema):
    """How well a text alone tells candidates of a stratum from proposed ones; .5 is no leak."""

    stratum = choice(STRATA, key=True)
    form = choice(("stored", "shown", "page"), key=True)
    auc = share()
    low = share()
    high = share()
    n = count()
    n_proposed = count()
    users = count()
    reason = text(null=True)
    interval_method = text(null=True)

    @dy.rule()
    def undefined_has_reason(cls) -> pl.Expr:
        return cls.auc.col.is_not_null() | cls.reason.col.is_not_null()


class Disagreements(dy.Schema):
    """A question that annotators split on."""

    candidate_id = text(key=True)
    question = text(key=True)
    answers = dy.List(dy.Struct({"annotator": dy.String(), "answer": dy.String()}))
    resolved = text(null=True)
    reason_code = text(null=True)


class Captures(dy.Schema):
    """A record, or a proposal that some threshold would make one, judged."""

    gate = text(key=True)
    setting = text(key=True)
    proposal_id = text(key=True)
    status = choice(("correct", "wrong", "disputed", "unjudged"))
    fact_id = text(null=True)
    claim_id = text(regex="^[0-9a-f]{16}$")
    repeat = dy.Bool()
    how = text()
    error_kind = choice(ERROR_KINDS, null=True)


class Links(dy.Schema):
    """A person's word on a doubtful pair: does the proposal say what the fact says?"""

    proposal_id = text(key=True)
    fact_id = text(key=True)
    annotator = text(key=True, min_length=1)
    same = dy.Bool()
    at = moment()


class OperatingPoints(dy.Schema):
    """A gate at one setting and threshold on one part of the users, in one variant."""

    gate = text()
    setting = text()
    threshold = number()
    split = choice(("dev", "test", "all"))
    variant = text()
    basis = choice((*BASES, "mixed"))
    reference_kind = choice(("own", "corpus"))
    partner = choice(("assistant", "agent", "person"))
    assistant_turns = count()
    records = count()
    correct_records = count()
    wrong_records = count()
    disputed_records = count()
    unjudged_records = count()
    reference_facts = count()
    captured_facts = count()
    reference_weight = number(null=False, min=0.0)
    captured_weight = number(null=False, min=0.0)
    write_rate = number(min=0.0)
    writing_turn_share = number(min=0.0)
    precision = share()
    precision_label_low = share()
    precision_label_high = share()
    precision_outer_low = share()
    precision_outer_high = share()
    fact_precision = share()
    recall = share()
    recall_unweighted = share()
    recall_low = share()
    recall_high = share()
    duplicates_per_fact = number(min=0.0)
    wrong_per_1000_turns = number(min=0.0)
    users_with_wrong_share = share()
    base_rate = number(min=0.0)
    latency_p50_ms = number(min=0.0)
    latency_p95_ms = number(min=0.0)
    failures = count()
    cost_per_1000_turns = number(min=0.0)
    write_rate_ci_low = number(min=0.0)
    write_rate_ci_high = number(min=0.0)
    precision_ci_low = share()
    precision_ci_high = share()
    recall_ci_low = share()
    recall_ci_high = share()
    wrong_per_1000_turns_ci_low = number(min=0.0)
    wrong_per_1000_turns_ci_high = number(min=0.0)
    interval_method = text(null=True)
    reasons = dy.List(dy.Struct({"column": dy.String(), "reason": dy.String()}))

    @dy.rule()
    def key(cls) -> pl.Expr:
        return unique("gate", "setting", "threshold", "split", "variant")


class Curve(OperatingPoints):
    """A gate at one observed score as its threshold (inclusive); as it ran where it has none."""


class StoreCheck(dy.Schema):
    """What is wrong with the stores that a gate leaves behind, a store a user."""

    gate = text(key=True)
    setting = text(key=True)
    split = choice(("dev", "test", "all"), key=True)
    check = choice(STORE_CHECKS, key=True)
    cases = count(null=True)
    users = count()
    users_affected = count(null=True)
    users_share = share()
    reason = text(null=True)

    @dy.rule()
    def undefined_has_reason(cls) -> pl.Expr:
        return cls.users_share.col.is_not_null() | cls.reason.col.is_not_null()


class RecallByForm(dy.Schema):
    """How a gate finds facts of one evidence form."""

    gate = text(key=True)
    setting = text(key=True)
    evidence_form = text(key=True)
    reference_facts = count()
    captured_facts = count()
    recall = share()
    ci_low = share()
    ci_high = share()


class Observations(dy.Schema):
    """One utterance in the observation log; kept as a folder of append-only segments."""

    user_id = text(key=True)
    obs = text(key=True)
    session = text(key=True)
    turn = index(key=True)
    quote = text()
    prior_output_tokens = count(null=True)
    at = moment()
    topic = text(null=True)


class Promotions(dy.Schema):
    """A claim about a user under one rule on one day."""

    user_id = text(key=True)
    claim = text(key=True)
    as_of = dy.Date(primary_key=True)
    rule = text(key=True)
    promoted = dy.Bool()
    reason = text(null=True)
    guard = text(null=True)
    n_observations = count()
    n_sessions = count()
    evidence = dy.List(
        dy.Struct(
            {
                "session": dy.String(),
                "turn": dy.Int32(),
                "quote": dy.String(),
                "at": dy.Datetime(time_zone="UTC", time_unit="us"),
                "prior_output_tokens": dy.Int64(nullable=True),
            }
        )
    )


class PromotionGrid(dy.Schema):
    """How many claims one rule promotes on one day."""

    min_observations = dy.Int32(primary_key=True)
    min_sessions = dy.Int32(primary_key=True)
    window_days = dy.Int32(primary_key=True)
    contradiction = choice(("hold", "majority", "ignore"), key=True)
    as_of = dy.Date(primary_key=True)
    promoted = count()


class AuditRecords(dy.Schema):
    """A record of a store that was drawn for an audit."""

    audit = text(key=True, min_length=1)
    record_id = text(key=True, min_length=1)
    candidate_id = text(regex="^[0-9a-f]{16}$")
    source = text(min_length=1)
    drawn_at = moment()
    user_id = text(min_length=1)
    session_id = text(null=True)
    turn = dy.Int32(nullable=True, min=0)
    statement = text(min_length=1)
    quote = text(null=True)
    kind = choice(KINDS, null=True)
    scope = text(null=True, regex=SCOPE)
    created_at = moment(null=True)
    expires_at = moment(null=True)
    corrected = dy.Bool(nullable=True)
    inclusion_probability = number(null=False, min=LEAST_PROBABILITY, max=1.0)

    @dy.rule()
    def one_candidate(cls) -> pl.Expr:
        return unique("candidate_id")


class AuditUsers(dy.Schema):
    """What a user has in the store that an audit was drawn from, and how much they corrected."""

    audit = text(key=True, min_length=1)
    user_id = text(key=True, min_length=1)
    records = count()
    known_records = count()
    corrected_records = count()

    @dy.rule()
    def parts(cls) -> pl.Expr:
        known = cls.known_records.col
        return (cls.corrected_records.col <= known) & (known <= cls.records.col)


class AuditLabels(Labels):
    """One answer of one annotator about a drawn record, as in `labels`."""


class Audits(dy.Schema):
    """An audit: its wrong share beside the users' correction rate, and the alarm after it."""

    audit = text(key=True, min_length=1)
    source = text(min_length=1)
    drawn_at = moment()
    store_records = count()
    sampled_records = count()
    correct_records = count()
    wrong_records = count()
    disputed_records = count()
    unjudged_records = count()
    corrected_records = count()
    wrong_share = share()
    wrong_share_ci_low = share()
    wrong_share_ci_high = share()
    wrong_share_label_low = share()
    wrong_share_label_high = share()
    wrong_share_outer_low = share()
    wrong_share_outer_high = share()
    correction_rate = share()
    correction_rate_ci_low = share()
    correction_rate_ci_high = share()
    wrong_per_corrected = number(min=0.0)
    wrong_per_corrected_ci_low = number(min=0.0)
    wrong_per_corrected_ci_high = number(min=0.0)
    running_share = share()
    running_low = share()
    running_high = share()
    limit = share()
    limit_from = choice(("stated", "first audit"), null=True)
    evidence = number(min=0.0)
    evidence_needed = number(min=0.0)
    alarm = dy.Bool(nullable=True)
    interval_method = text()
    reasons = dy.List(dy.Struct({"column": dy.String(), "reason": dy.String()}))


class Truth(dy.Schema):
    """What is true of a simulated world: a claim that could be written down, a fact or a trap."""

    fact_id = text(key=True)
    fact_key = text()
    session_id = text()
    turn = index()
    evidence = evidence()
    statement = text(min_length=1)
    evidence_form = choice(EVIDENCE_FORMS)
    kind = choice(KINDS)
    scope = text(regex=SCOPE)
    slot = text()
    value = text()
    polarity = dy.Bool()
    expires_at = moment(null=True)
    durable = dy.Bool()
    ambiguous = dy.Bool()
    trap = choice(ERROR_KINDS, null=True)
    speaker = choice(("user", "assistant"))
    changed_by = text(null=True)


SCHEMAS: dict[str, type[dy.Schema]] = {
    "sessions": Sessions,
    "turns": Turns,
    "events": Events,
    "proposals": Proposals,
    "gate_turns": GateTurns,
    "candidates": Candidates,
    "labels": Labels,
    "response_history": ResponseHistory,
    "agreement": Agreement,
    "reference_facts": ReferenceFacts,
    "disagreements": Disagreements,
    "style": Style,
    "links": Links,
    "captures": Captures,
    "operating_points": OperatingPoints,
    "curve": Curve,
    "recall_by_form": RecallByForm,
    "store_check": StoreCheck,
    "observations": Observations,
    "promotions": Promotions,
    "promotion_grid": PromotionGrid,
    "audit_records": AuditRecords,
    "audit_users": AuditUsers,
    "audit_labels": AuditLabels,
    "audits": Audits,
    "truth": Truth,
}
"""Table name -> schema, in the order of the flow."""


def columns(name: str) -> dict[str, pl.DataType]:
    """Column name -> polars type of a table, in order."""
    return {c: column.dtype for c, column in SCHEMAS[name].columns().items()}


def optional(name: str) -> set[str]:
    """The columns of a table that may be null."""
    return {c for c, column in SCHEMAS[name].columns().items() if column.nullable}


def empty(name: str) -> pl.DataFrame:
    """A table without rows."""
    return pl.DataFrame(schema=columns(name))


def frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows (mappings; what a row lacks is null) as a frame of the table's columns and types."""
    return pl.DataFrame([dict(row) for row in rows], schema=columns(name), strict=False)
