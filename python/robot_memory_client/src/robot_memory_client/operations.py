"""The operations of the node, one method each, and what they answer.

Made by `UPDATE_REFERENCE=1 cargo test --test it reference`: change the declarations instead.
Fields of answers are described in docs/reference/services.md. A field of an answer that is not given is None, or an
empty text; times are texts in RFC 3339.
"""

from datetime import datetime
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union, cast

VERSION = '0.2.0'
"""Of the node that this client was made with."""

Json = Union[str, Mapping[str, Any], Sequence[Any]]
"""An object or a list, or a text that is one; an empty text: not given."""

Time = Union[datetime, int]
"""With its time zone, or in nanoseconds since 1970."""


Kind = Literal['fact', 'perception', 'summary']


PerceptionType = Literal['visual', 'tactile', 'auditory', 'proprioceptive', 'procedural']


Level = Literal['core', 'knowledge', 'working']


Category = Literal[
    'constraint',
    'preference',
    'worldview',
    'tradeoff',
    'root_cause',
    'decision',
    'pattern',
    'postmortem',
    'gotcha',
    'observation',
    'code',
]


MemType = Literal['preference', 'fact', 'procedure', 'lesson', 'decision', 'task_log', 'knowledge']


Status = Literal['active', 'superseded', 'invalidated', 'archived']


Source = Literal[
    'user_direct',
    'group_chat',
    'web_scrape',
    'agent_output',
    'migration',
    'consolidation',
    'sensor',
    'operator',
    'fleet',
]


Trust = Literal['low', 'medium', 'high']


class Memory(TypedDict):
    """One memory: a row of the store."""

    id: int
    content: str
    human_summary: str
    type: Kind
    perception_type: Optional[PerceptionType]
    session_id: str
    turn_id: str
    collection: str
    level: Level
    scope: str
    category: Optional[Category]
    mem_type: MemType
    status: Status
    superseded_by: Optional[int]
    parent_id: Optional[int]
    agent: str
    source: Source
    trust: Trust
    confidence: float
    decay_rate: float
    importance: float
    tags: List[str]
    scope_files: List[str]
    scope_entities: List[str]
    context: Any
    data: Any
    metadata: Any
    access_count: int
    created_at: str
    updated_at: str
    last_accessed: Optional[str]
    decayed_until: Optional[str]
    restored_at: Optional[str]
    known_at: Optional[str]


MapRelation = Literal['same_map', 'other_map', 'unknown_map']


class Why(TypedDict):
    """Why a memory stands where it does in an answer."""

    word_rank: int
    vector_rank: int
    picture_rank: int
    word_score: float
    similarity: Optional[float]
    picture_similarity: Optional[float]
    coverage: float
    relevance: float
    evidence: float
    word_gain: float
    code_gain: float
    neighbor_gain: float
    source_weight: float
    trust_weight: float
    matched_words: List[str]
    told_by: List[str]
    told_at: Optional[str]
    independent_count: int
    transfer: List[str]
    confirmed_by: List[str]
    contradicted_by: List[str]
    from_site: bool
    signature_distance: Optional[float]


class Hit(Memory):
    """A memory in an answer, with its place there."""

    score: float
    similar_count: int
    spatial_distance: Optional[float]
    map_relation: Optional[MapRelation]
    context_before: str
    context_after: str
    conflicts_with: List[int]
    why: Why


Mode = Literal['hybrid', 'bm25_only', 'vec_only', 'spatial_only', 'filter_only', 'signature']


class KeyCount(TypedDict):
    """How many of a key there are."""

    key: str
    count: int


SiteState = Literal['answered', 'late', 'unreachable', 'failed', 'skipped']


class RecallResponse(TypedDict):
    """What was found."""

    memories: List[Hit]
    total: int
    mode: Mode
    approximate: bool
    counts: List[KeyCount]
    anchor_memory_id: int
    understood: str
    better_collections: List[str]
    other_map_count: int
    unresolved_frames: List[str]
    site: Optional[SiteState]
    site_fault: str
    query_ms: float
    plan: str


class _SpatialSort(TypedDict):
    """What is always there."""

    field: str
    target: List[float]
    max_distance: float


class SpatialSort(_SpatialSort, total=False):
    """Nearest first by Euclidean distance, in the field's unit (REP-103: metres, radians)."""

    frame: str
    std_dev_field: str


SupersededRule = Literal[
    'consolidation',
    'newest_preference',
    'newest_procedure',
    'newest_knowledge',
    'better_source',
    'newest_instruction',
    'compaction',
    'branch_merge',
]


LimitOp = Literal['<=', '<', '>=', '>', '==', '!=']


class _Limit(TypedDict):
    """What is always there."""

    op: LimitOp
    value: float


class Limit(_Limit, total=False):
    """A bound that a constraint sets to a parameter of an action."""

    path: str
    unit: str
    object: str
    place: str
    task: str


class TurnSource(TypedDict):
    """Where a memory was said."""

    turn_id: str
    session_id: str
    branch_id: str
    turn_no: int
    sentence_number: int
    pointer: str
    sentence: str


LedgerChange = Literal[
    'faded',
    'archived',
    'restored',
    'superseded',
    'merged',
    'rescoped',
    'completed',
    'renewed',
    'promoted',
    'credited',
    'blamed',
    'tested',
    'judged',
]


class LedgerEntry(TypedDict):
    """What changed a memory, and when. What repeats is one entry."""

    change: LedgerChange
    cause: str
    agent: str
    value_before: str
    value_after: str
    repetitions: int
    began_at: str
    changed_at: str


class MemoryChange(TypedDict):
    """One entry of a memory's audit trail."""

    operation: str
    agent: str
    changed_at: str
    content: str
    context: Any


class _StoredMemory(Memory):
    """What is always there."""

    invalidated_reason: str
    invalidated_at: Optional[str]
    superseded_rule: Optional[SupersededRule]
    told_at: Optional[str]
    independent_count: int
    fades: bool
    retention: float
    half_life_days: float
    archives_at: Optional[str]
    embedding_model: str


class StoredMemory(_StoredMemory, total=False):
    """A memory with all that the store keeps of it."""

    superseded_why: str
    supersedes: List[int]
    children: List[int]
    limits: List[Limit]
    turns: List[TurnSource]
    told_by: List[str]
    transfer: List[str]
    ledger: List[LedgerEntry]
    history: List[MemoryChange]
    embedding: List[float]


Nearness = Literal['object', 'kind', 'task']


class BriefedNumber(TypedDict):
    """A number of several attempts: where it lay when they succeeded, and when they failed."""

    path: str
    unit: str
    success_count: int
    success_range: List[float]
    failure_count: int
    failure_range: List[float]


class FailureReason(TypedDict):
    """One way in which attempts failed."""

    reason: str
    count: int
    last_at: str
    attempt_ids: List[int]


class BriefedAttempts(TypedDict):
    """What attempts of one nearness come to."""

    nearness: Nearness
    objects: List[str]
    success_count: int
    failure_count: int
    unknown_count: int
    success_rate: float
    success_rate_interval: List[float]
    real_count: int
    oldest_at: str
    newest_at: str
    numbers: List[BriefedNumber]
    failures: List[FailureReason]
    success_ids: List[int]
    failure_ids: List[int]


class SimilarAttempt(TypedDict):
    """An attempt that is similar to what is about to be done."""

    attempt_id: int
    nearness: Nearness
    object: str
    outcome: str
    reason: str
    params: str
    measured: str
    distance_m: Optional[float]
    created_at: str
    is_outdated: bool


LessonState = Literal['hypothesis', 'tested', 'demoted']


LessonJudgment = Literal['pinned', 'rejected']


Side = Literal['above', 'below']


class Lesson(TypedDict):
    """A bound beyond which attempts fail."""

    lesson_id: int
    nearness: Nearness
    state: LessonState
    judgment: Optional[LessonJudgment]
    path: str
    unit: str
    side: Side
    bound: float
    works_from: float
    beyond_failure_count: int
    beyond_count: int
    within_failure_count: int
    within_count: int
    confirmed_count: int
    refuted_count: int
    state_at: str
    failure_ids: List[int]
    success_ids: List[int]
    sentence_en: str
    sentence_zh: str


class ChangePoint(TypedDict):
    """From when on something else works."""

    path: str
    unit: str
    attempt_id: int
    at: str
    before_range: List[float]
    after_range: List[float]
    sentence_en: str
    sentence_zh: str


class Procedure(TypedDict):
    """Steps that were tried in this order."""

    nearness: Nearness
    steps: str
    success_count: int
    failure_count: int
    success_rate_interval: List[float]
    newest_at: str
    success_ids: List[int]
    failure_ids: List[int]


class Contradiction(TypedDict):
    """Two memories about this that cannot both hold, and neither of which yields."""

    memory_id: int
    content: str
    other_id: int
    other_content: str
    reason: str


AllowedBy = Literal['nothing', 'checked', 'undecided', 'no_constraint']


class CheckedLimit(TypedDict):
    """A constraint that was held against an action."""

    memory_id: int
    content: str
    source: Source
    trust: Trust
    scope: str
    told_by: List[str]
    transfer: List[str]
    path: str
    op: Optional[LimitOp]
    bound: float
    unit: str
    given: Optional[float]
    reason: str


class BriefResponse(TypedDict):
    """What is known."""

    is_known: bool
    nearness: Optional[Nearness]
    attempts: List[BriefedAttempts]
    similar: List[SimilarAttempt]
    lessons: List[Lesson]
    changes: List[ChangePoint]
    procedures: List[Procedure]
    contradictions: List[Contradiction]
    allowed: bool
    allowed_by: AllowedBy
    violations: List[CheckedLimit]
    undecided: List[CheckedLimit]
    sentence_en: str
    sentence_zh: str
    query_ms: float


NameMatch = Literal['same', 'kind', 'broader', 'seldom', 'alike']


ObjectState = Literal['present', 'gone']


class ObjectPlace(TypedDict):
    """A thing, and where it was seen last."""

    object_id: int
    label: str
    labels: Dict[str, int]
    name_match: NameMatch
    state: ObjectState
    position_m: List[float]
    orientation: List[float]
    frame: str
    map_id: str
    sigma_m: float
    is_seen_from: bool
    is_elsewhere: bool
    robot_position_m: List[float]
    first_seen: str
    last_seen: str
    age_secs: float
    looked_at: str
    count: int
    confidence: float
    distance_m: Optional[float]
    moved_at: Optional[str]
    moved_from_m: List[float]
    topic: str
    thumbnail: str


class LocateResponse(TypedDict):
    """Where such things are."""

    is_known: bool
    is_map_known: bool
    places: List[ObjectPlace]
    total: int
    sentence_en: str
    sentence_zh: str
    query_ms: float


class CheckActionResponse(TypedDict):
    """Whether the action is allowed."""

    allowed: bool
    allowed_by: AllowedBy
    violations: List[CheckedLimit]
    undecided: List[CheckedLimit]
    undecided_count: int
    checked_count: int
    constraint_count: int
    query_ms: float


class LevelContent(TypedDict):
    """What a level holds."""

    level: Level
    description: str
    memory_count: int
    collection_count: int


class ListLevelsResponse(TypedDict):
    """The levels."""

    levels: List[LevelContent]


class ListCollectionsResponse(TypedDict):
    """The collections."""

    collections: List[KeyCount]
    memory_count: int


SessionStatus = Literal['open', 'ended']


class Session(TypedDict):
    """One episode of the robot's work."""

    session_id: str
    collection: str
    status: SessionStatus
    interrupted: bool
    agent: str
    context: Any
    outcome_score: Optional[float]
    memory_count: int
    started_at: str
    ended_at: Optional[str]


class ListSessionsResponse(TypedDict):
    """A page of episodes."""

    sessions: List[Session]
    total: int
    has_more: bool


BranchStatus = Literal['open', 'won', 'lost']


class Branch(TypedDict):
    """An attempt within an episode."""

    branch_id: str
    status: BranchStatus
    turn_count: int
    last_turn_no: int
    merged_into: List[str]


class GetSessionResponse(TypedDict):
    """The episode."""

    session: Session
    by_type: Dict[str, int]
    by_category: Dict[str, int]
    branches: List[Branch]


Happening = Literal[
    'session_begin',
    'attempt_begin',
    'event',
    'memory',
    'attempt_end',
    'session_end',
]


class TimelineEntry(TypedDict):
    """One thing that happened."""

    stamp: str
    what: Happening
    memory_id: int
    session_id: str
    trigger: str
    duration_secs: float
    outcome: str
    score: Optional[float]
    text: str


class TimelineResponse(TypedDict):
    """A page of what happened."""

    entries: List[TimelineEntry]
    total: int
    next_cursor: str


class JobScope(TypedDict):
    """Which memories a job is about."""

    scope: str
    scope_id: str


JobType = Literal[
    'ingest_turn',
    'compact_macro',
    'maintenance',
    'rebuild_scope',
    'embed',
    'import',
    'backup',
]


JobStatus = Literal[
    'pending',
    'leased',
    'running',
    'retry_waiting',
    'succeeded',
    'dead_letter',
    'cancelled',
]


class JobProgress(TypedDict):
    """How far a job has come."""

    step: str
    done: int
    total: int


class Job(JobScope, JobProgress):
    """Work that no caller waits for. Times are milliseconds of the machine's clock since 1970."""

    id: int
    job_type: JobType
    status: JobStatus
    turn_id: str
    based_on_revision: int
    payload: Any
    result: Any
    attempt_count: int
    max_attempts: int
    available_at: str
    lease_owner: str
    lease_until: Optional[str]
    last_error: str
    agent: str
    created_at: str
    updated_at: str
    finished_at: Optional[str]


class ShownJob(Job):
    """A job, and why it is where it is."""

    waits_for: str


class ListJobsResponse(TypedDict):
    """A page of jobs."""

    jobs: List[ShownJob]
    total: int
    has_more: bool
    limit: int
    offset: int
    sort_by: str
    sort_order: str


JobResponse = ShownJob


class ScopeState(JobScope):
    """What is known of a scope's jobs. Times are milliseconds of the machine's clock since 1970."""

    revision: int
    lease_owner: str
    lease_until: Optional[str]
    last_processed_turn_no: Optional[int]
    last_compaction_at: Optional[str]
    updated_at: str


class ListScopesResponse(TypedDict):
    """A page of scopes."""

    scopes: List[ScopeState]
    total: int
    has_more: bool
    limit: int
    offset: int
    sort_by: str
    sort_order: str


ContrastKind = Literal['number', 'value']


class Contrast(TypedDict):
    """One way in which attempts that succeeded differed from those that failed."""

    path: str
    kind: ContrastKind
    unit: str
    value: str
    statement: str
    effect: float
    effect_low: float
    success_count: int
    failure_count: int
    success_with_value: int
    failure_with_value: int
    success_range: List[float]
    failure_range: List[float]


class CompareResponse(TypedDict):
    """What differed."""

    success_count: int
    failure_count: int
    unknown_count: int
    success_rate: float
    success_rate_interval: List[float]
    contrasts: List[Contrast]
    success_ids: List[int]
    failure_ids: List[int]
    summary: str


StatusLevel = Literal['ok', 'warn', 'error']


class ComponentStatus(TypedDict):
    """How one part is doing."""

    name: str
    level: StatusLevel
    state: str
    message: str


class BackupInfo(TypedDict):
    """One verified copy of the store."""

    name: str
    made_at: str
    bytes: int
    memory_count: int
    schema_version: int
    is_verified: bool
    is_foreign: bool


class StatusResponse(TypedDict):
    """How the memory is doing. Counts by a key are in order of the key."""

    level: StatusLevel
    components: List[ComponentStatus]
    memory_count: int
    by_status: Dict[str, int]
    by_type: Dict[str, int]
    by_level: Dict[str, int]
    by_scope: Dict[str, int]
    by_mem_type: Dict[str, int]
    by_category: Dict[str, int]
    jobs: Dict[str, int]
    open_sessions: int
    missing_vectors: int
    conflict_count: int
    store_bytes: int
    index_bytes: int
    clip_bytes: int
    backup_bytes: int
    free_bytes: int
    queued_writes: int
    queued_bytes: int
    replayed_writes: int
    rejected_writes: int
    last_daily_at: Optional[str]
    last_weekly_at: Optional[str]
    next_daily_at: Optional[str]
    next_weekly_at: Optional[str]
    last_backup_at: Optional[str]
    backups: List[BackupInfo]
    schema_version: int
    version: str


LearnStatus = Literal['created', 'duplicate', 'queued']


DuplicateMethod = Literal['exact', 'jaccard', 'cosine']


class LearnResponse(TypedDict):
    """What became of it."""

    status: LearnStatus
    truncated: bool
    memory_id: int
    existing_id: int
    method: Optional[DuplicateMethod]
    similarity: float
    category: Category
    confidence: float
    tags: List[str]
    scope_files: List[str]
    limits: List[Limit]
    superseded_ids: List[int]
    similar_to: List[int]
    has_embedding: bool


SaveStatus = Literal['created', 'queued']


class SavePerceptionResponse(TypedDict):
    """Where it went."""

    status: SaveStatus
    memory_id: int
    perception_type: PerceptionType
    collection: str
    truncated: bool
    has_embedding: bool


class ForgetResponse(TypedDict):
    """What was withdrawn."""

    status: str
    memory_id: int
    content: str
    reason: str


class UpdateResponse(TypedDict):
    """What became of it."""

    status: str
    memory_id: int
    old_content: str
    new_content: str
    truncated: bool
    category: Optional[Category]
    confidence: float
    tags: List[str]
    scope_files: List[str]
    limits: List[Limit]
    superseded_ids: List[int]
    has_embedding: bool


class DeleteMemoryResponse(TypedDict):
    """What was deleted."""

    status: str
    memory_id: int
    clip_deleted: bool
    backups_until: Optional[str]


class ClearMemoriesResponse(TypedDict):
    """What was deleted."""

    deleted_count: int
    clips_deleted_count: int
    backups_until: Optional[str]


UnlearnAction = Literal['forgotten', 'remade', 'removed', 'kept']


class UnlearnedMemory(TypedDict):
    """What is done with one memory."""

    memory_id: int
    kind: Kind
    action: UnlearnAction
    why: str
    text: str
    new_text: str


class UnlearnResponse(TypedDict):
    """What was done, or would be."""

    plan: str
    forgotten_count: int
    remade_count: int
    removed_count: int
    kept_count: int
    memories: List[UnlearnedMemory]


class BeginAttemptResponse(TypedDict):
    """The attempt."""

    attempt_id: int
    began_at: str


Verdict = Literal['success', 'failure', 'cancelled', 'unknown']


class EndAttemptResponse(TypedDict):
    """The attempt."""

    attempt_id: int
    outcome: Verdict
    duration_secs: float
    event_ids: List[int]
    credited_ids: List[int]
    blamed_ids: List[int]


class JudgeLessonResponse(TypedDict):
    """The lesson as it stands now."""

    lesson_id: int
    state: LessonState
    judgment: Optional[LessonJudgment]


class AdoptResponse(TypedDict):
    """What became of it."""

    memory_id: int
    existing_id: int
    truncated: bool
    transfer: List[str]


class StartSessionResponse(TypedDict):
    """The episode that began."""

    session_id: str
    collection: str
    active_memories_count: int


class EndSessionResponse(TypedDict):
    """What ending it did."""

    status: str
    session_id: str
    memory_count: int
    by_type: Dict[str, int]
    by_category: Dict[str, int]
    decayed_count: int
    merged_groups: int
    superseded_count: int
    compression_ratio: float
    avg_similarity: float
    promoted_count: int
    archived_count: int
    related_memories: List[Hit]


CommitTurnStatus = Literal['committed', 'known']


class CommitTurnResponse(JobScope):
    """Where it went."""

    status: CommitTurnStatus
    turn_id: str
    job_id: int
    created: bool


class MergeBranchResponse(TypedDict):
    """What was merged."""

    status: str
    session_id: str
    branch_id: str
    into: str
    merged_ids: List[int]
    duplicate_count: int
    superseded_ids: List[int]
    kept_ids: List[int]
    lost_branches: List[str]


class QueuedResponse(JobScope):
    """The job that was queued."""

    job_id: int
    created: bool


CompactReason = Literal[
    'micro_count_threshold',
    'micro_token_threshold',
    'turn_gap_threshold',
    'forced',
]


class CompactScopeResponse(JobScope):
    """The job that was queued, and what it will compact."""

    job_id: int
    created: bool
    reason: CompactReason
    source_micro_ids: List[int]
    coverage_start_turn_no: Optional[int]
    coverage_end_turn_no: Optional[int]


class RestoreMemoryResponse(TypedDict):
    """The memory as it is recalled again."""

    memory_id: int
    status: Status
    level: Level
    has_embedding: bool


class BackupResponse(TypedDict):
    """The job that was queued."""

    job_id: int
    created: bool


class RestoreBackupResponse(TypedDict):
    """What is stored now."""

    name: str
    memory_count: int
    kept_as: str
    is_foreign: bool


class CaptureResponse(TypedDict):
    """What was kept."""

    event_id: str
    memory_ids: List[int]


class Operations:
    """The operations. What is not given has the default of the service."""

    def _call(
        self, operation: str, repeatable: bool, fields: Sequence[Tuple[str, Any, Any]]
    ) -> Any:
        """Call an operation with the fields, each with its default, that differ from it.

        `repeatable`: it may be called again when it is not known whether it was done.
        """
        raise NotImplementedError

    def recall(
        self,
        *,
        query: str = '',
        collection: str = '',
        n: int = 5,
        min_confidence: float = 0.3,
        session_id: str = '',
        context_filter: Json = '',
        spatial_sort: Optional[SpatialSort] = None,
        levels: Sequence[str] = (),
        types: Sequence[str] = (),
        collections: Sequence[str] = (),
        scope: str = '',
        agent: str = '',
        min_similarity: float = 0.0,
        min_relevance: float = 0.0,
        diversity: bool = True,
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        order: str = '',
        around_memory_id: int = 0,
        anchor_filter: str = '',
        anchor_nth: int = 1,
        before_count: int = 0,
        after_count: int = 0,
        before_secs: float = 0.0,
        after_secs: float = 0.0,
        group_by: str = '',
        nth: int = 0,
        read_phrases: bool = True,
        like_memory_id: int = 0,
        window_name: str = '',
        window: Sequence[float] = (),
        window_channels: int = 0,
        window_rate_hz: float = 0.0,
        frame: str = '',
        map_id: str = '',
        count_by: str = '',
        utc_offset_secs: int = 0,
        ranking: str = '',
        exact: bool = False,
        include_data: bool = False,
        include_site: bool = False,
        explain: bool = False,
    ) -> RecallResponse:
        """Return the memories that match a query, a spatial sort, a filter, or a combination of them.

        Errors: not_found: no such session, or no such example.

        Args:
            query: natural language, English or Chinese; may be empty when a spatial sort or a
                filter is given
            collection: empty = the parameter default_collection
            n: 1 to 100
            min_confidence: 0 to 1
            session_id: only memories of this session
            context_filter: JSON object: dotted path -> value, or -> {$lt|$lte|$gt|$gte|$ne: value};
                at most 10 conditions, all must hold
            spatial_sort: see [SpatialSort]
            levels: core | knowledge | working; none = all
            types: fact | perception | summary; none = all
            collections: instead of collection; ["*"] = all
            scope: as for Learn, or all | cross:<group>: that group, the caller's own scope and
                global; empty = the parameter default_scope
            agent: who calls; empty = whose token it is
            min_similarity: -1 to 1; 0 = no limit
            min_relevance: only memories whose why.relevance is at least this, 0 to 1; 0 = no limit,
                0.5 = no memories unless the list more likely than not has an answer; needs a query;
                of no effect where a phrase is understood
            diversity: of near-identical memories return the best, with the number of the others
                (similar_count); not with ranking rrf, an order or a spatial sort
            since: only memories created at or after; None = no limit
            until: only memories created before; None = no limit
            order: newest | oldest; empty = best first (nearest, or newest, without a query)
            around_memory_id: the anchor: return memories created before and after this memory,
                without a query and an order those next to it in order of time; 0 = unused
            anchor_filter: instead: JSON object as in context_filter; the anchor is the newest
                memory that meets it
            anchor_nth: the nth newest memory that meets anchor_filter
            before_count: at most so many memories before the anchor; 0 = no limit by number
            after_count: at most so many memories after the anchor; 0 = no limit by number
            before_secs: memories at most so long before the anchor; 0 = no limit by time. When one
                side has a limit, a side without one is not searched
            after_secs: memories at most so long after the anchor
            group_by: with order: return only the nth memory of each group, spelled as count_by
            nth: with order: only the nth memory of each group, of all without group_by; 0 = the
                first of each group
            read_phrases: read explicit phrases of order and time in the query ("just before the
                last protective stop"); the response shows in understood what was read
            like_memory_id: return memories with a signature similar to that of this memory, nearest
                first; 0 = unused. Instead of query and spatial_sort
            window_name: return memories with a signature similar to that of this window, of the
                kind: wrench | joints | taxels | imu | plain; empty = unused
            window: its samples: all channels of the first sample, all channels of the second, ...
            window_channels: channels per sample; 0 = 6 for wrench and imu, else 1
            window_rate_hz: sample rate; 0 = unknown
            frame: only rows with this context.spatial.frame
            map_id: only rows with this context.spatial.map_id
            count_by: fill counts: hour | day | session | topic | on (joint or channel)
            utc_offset_secs: offset from UTC in seconds for the days and hours of count_by and
                group_by, -50400 to 50400
            ranking: empty or default | rrf = plain reciprocal rank fusion, k = 60
            exact: compare with every stored vector on disk, not with the index in memory
            include_data: fill data and metadata of perceptions
            include_site: also ask the memory of the site for what robots of the fleet told
                (docs/site.md); waits up to 200 ms; not with session_id, spatial_sort, an example,
                an anchor, group_by, nth, count_by or include_data
            explain: fill plan
        """
        answer = self._call(
            'recall',
            True,
            [
                ('query', query, ''),
                ('collection', collection, ''),
                ('n', n, 5),
                ('min_confidence', min_confidence, 0.3),
                ('session_id', session_id, ''),
                ('context_filter', context_filter, ''),
                ('spatial_sort', spatial_sort, None),
                ('levels', levels, ()),
                ('types', types, ()),
                ('collections', collections, ()),
                ('scope', scope, ''),
                ('agent', agent, ''),
                ('min_similarity', min_similarity, 0.0),
                ('min_relevance', min_relevance, 0.0),
                ('diversity', diversity, True),
                ('since', since, None),
                ('until', until, None),
                ('order', order, ''),
                ('around_memory_id', around_memory_id, 0),
                ('anchor_filter', anchor_filter, ''),
                ('anchor_nth', anchor_nth, 1),
                ('before_count', before_count, 0),
                ('after_count', after_count, 0),
                ('before_secs', before_secs, 0.0),
                ('after_secs', after_secs, 0.0),
                ('group_by', group_by, ''),
                ('nth', nth, 0),
                ('read_phrases', read_phrases, True),
                ('like_memory_id', like_memory_id, 0),
                ('window_name', window_name, ''),
                ('window', window, ()),
                ('window_channels', window_channels, 0),
                ('window_rate_hz', window_rate_hz, 0.0),
                ('frame', frame, ''),
                ('map_id', map_id, ''),
                ('count_by', count_by, ''),
                ('utc_offset_secs', utc_offset_secs, 0),
                ('ranking', ranking, ''),
                ('exact', exact, False),
                ('include_data', include_data, False),
                ('include_site', include_site, False),
                ('explain', explain, False),
            ],
        )
        return cast(RecallResponse, answer)

    def get_memory(
        self,
        *,
        memory_id: int = 0,
        include_data: bool = False,
        include_embedding: bool = False,
        scope: str = '',
        agent: str = '',
    ) -> StoredMemory:
        """Return one memory of any status, with all stored information about it.

        Errors: not_found.

        Args:
            memory_id: greater than 0
            include_data: fill data and metadata of a perception
            include_embedding: fill embedding
            scope: only a memory that a search of this scope includes; empty = any that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'get_memory',
            True,
            [
                ('memory_id', memory_id, 0),
                ('include_data', include_data, False),
                ('include_embedding', include_embedding, False),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(StoredMemory, answer)

    def brief(
        self,
        *,
        task: str = '',
        object: str = '',
        place: str = '',
        position_m: Sequence[float] = (),
        frame: str = '',
        params: Json = '',
        collection: str = '',
        collections: Sequence[str] = (),
        session_id: str = '',
        scope: str = '',
        n: int = 5,
        agent: str = '',
    ) -> BriefResponse:
        """What is known that matters for something that is about to be done: attempts like it and how
        they ended, the parameters that worked and those that failed, and the constraints that
        bear on it.

        Attempts count whose task and outcome are fields of their context (task.name, task.success):
        those of BeginAttempt and EndAttempt, and task logs that were learned so. When neither
        the object nor one of its kind and material is known, is_known is false.

        Args:
            task: what is to be done, as pick
            object: on what; empty = on anything
            place: where, by name
            position_m: where: x, y and perhaps z; empty = not given
            frame: of position_m, as context.spatial.frame of an attempt; empty = any
            params: JSON object of the planned parameters, as of CheckAction
            collection: empty = the session's, or the parameter default_collection
            collections: instead: several, or "*" = all
            session_id: the session in which it is done, or empty
            scope: where to look, as of Recall; empty = the parameter default_scope
            n: similar attempts in the answer at most, 1 to 100
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'brief',
            True,
            [
                ('task', task, ''),
                ('object', object, ''),
                ('place', place, ''),
                ('position_m', position_m, ()),
                ('frame', frame, ''),
                ('params', params, ''),
                ('collection', collection, ''),
                ('collections', collections, ()),
                ('session_id', session_id, ''),
                ('scope', scope, ''),
                ('n', n, 5),
                ('agent', agent, ''),
            ],
        )
        return cast(BriefResponse, answer)

    def locate(
        self,
        *,
        what: str = '',
        position_m: Sequence[float] = (),
        frame: str = '',
        distance_m_max: float = 0.0,
        since: Optional[Time] = None,
        map_id: str = '',
        n: int = 10,
        include_thumbnails: bool = False,
        scope: str = '',
        agent: str = '',
    ) -> LocateResponse:
        """Where things are that detectors saw: the places of what is asked for, the best first.

        A name is understood in English and Chinese, as of Recall. When no such thing was ever seen,
        is_known is false. A place in another map or frame than the robot's is_elsewhere: it
        comes last, and cannot be driven to. What was looked for at its place and not seen is
        gone: the place is where it was last.

        Args:
            what: in words; empty = everything
            position_m: near what: x, y and perhaps z; empty = anywhere
            frame: of position_m, and of the places that can be used; empty = any
            distance_m_max: from position_m at most; 0 = no limit
            since: only what was seen at or after; None = no limit
            map_id: the map in which the robot is now; empty = the parameter map_id
            n: places in the answer at most, 1 to 100
            include_thumbnails: whether pictures are wanted
            scope: where to look, as of Recall; empty = the parameter default_scope
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'locate',
            True,
            [
                ('what', what, ''),
                ('position_m', position_m, ()),
                ('frame', frame, ''),
                ('distance_m_max', distance_m_max, 0.0),
                ('since', since, None),
                ('map_id', map_id, ''),
                ('n', n, 10),
                ('include_thumbnails', include_thumbnails, False),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(LocateResponse, answer)

    def check_action(
        self,
        *,
        params: Json = '',
        task: str = '',
        object: str = '',
        place: str = '',
        collection: str = '',
        scope: str = '',
        agent: str = '',
    ) -> CheckActionResponse:
        """Compare a planned action with all constraints: is it allowed, and if not, which constraints
        forbid it?

        Errors: invalid_argument: also for incompatible units.

        Args:
            params: JSON object of the action's parameters: {"grip_force": {"value": 12.5, "unit":
                "N"}}
            task: task of the action; empty = unknown
            object: object of the action; empty = unknown
            place: place of the action; empty = unknown
            collection: constraints of this collection; empty = the parameter default_collection; *
                = all
            scope: constraints that a search of this scope includes; empty = the parameter
                default_scope
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'check_action',
            True,
            [
                ('params', params, ''),
                ('task', task, ''),
                ('object', object, ''),
                ('place', place, ''),
                ('collection', collection, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(CheckActionResponse, answer)

    def list_levels(
        self,
        *,
        collection: str = '',
        scope: str = '',
        agent: str = '',
    ) -> ListLevelsResponse:
        """List the levels and the number of memories in each.

        Args:
            collection: empty = all
            scope: only memories that a search of this scope includes; empty = all that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'list_levels',
            True,
            [
                ('collection', collection, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(ListLevelsResponse, answer)

    def list_collections(
        self,
        *,
        level: str = '',
        scope: str = '',
        agent: str = '',
    ) -> ListCollectionsResponse:
        """List the collections and the number of memories in each.

        Args:
            level: core | knowledge | working; empty = all
            scope: only memories that a search of this scope includes; empty = all that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'list_collections',
            True,
            [
                ('level', level, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(ListCollectionsResponse, answer)

    def list_sessions(
        self,
        *,
        collection: str = '',
        status: str = '',
        limit: int = 50,
        offset: int = 0,
        agent: str = '',
    ) -> ListSessionsResponse:
        """List sessions, newest first.

        Args:
            collection: empty = all
            status: open | ended; empty = both
            limit: 1 to 100
            offset: see int
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'list_sessions',
            True,
            [
                ('collection', collection, ''),
                ('status', status, ''),
                ('limit', limit, 50),
                ('offset', offset, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(ListSessionsResponse, answer)

    def get_session(
        self,
        *,
        session_id: str = '',
        agent: str = '',
    ) -> GetSessionResponse:
        """Return one session.

        Errors: not_found.

        Args:
            session_id: see str
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'get_session',
            True,
            [
                ('session_id', session_id, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(GetSessionResponse, answer)

    def timeline(
        self,
        *,
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        session_id: str = '',
        collection: str = '',
        collections: Sequence[str] = (),
        scope: str = '',
        kinds: Sequence[str] = (),
        triggers: Sequence[str] = (),
        order: str = '',
        n: int = 100,
        cursor: str = '',
        agent: str = '',
    ) -> TimelineResponse:
        """Say what happened, in order of time: begins and ends of sessions and attempts, events and
        other memories in one list.

        An attempt is a fact whose context has task.outcome, as of BeginAttempt; its end is known
        with task.duration_secs. An event is a perception whose context has event.trigger.
        Entries of the same time are in the order of what, then of their ids. Sessions and
        memories that the caller may not see are not there, and not counted.

        Args:
            since: only what happened at or after; None = no limit
            until: only what happened before; None = no limit
            session_id: only this session and what is of it; empty = all
            collection: empty = the parameter default_collection, or with session_id all
            collections: instead of collection; ["*"] = all
            scope: which memories, as of Recall; empty = the parameter default_scope. Sessions have
                no scope
            kinds: session | attempt | event | memory (any other one); none = all, with triggers
                event
            triggers: only events of these triggers, as impact; none = all
            order: newest | oldest; empty = oldest
            n: entries at most, 1 to 1000
            cursor: next_cursor of the page before, which this one goes on behind whatever came or
                went meanwhile; empty = the first page
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'timeline',
            True,
            [
                ('since', since, None),
                ('until', until, None),
                ('session_id', session_id, ''),
                ('collection', collection, ''),
                ('collections', collections, ()),
                ('scope', scope, ''),
                ('kinds', kinds, ()),
                ('triggers', triggers, ()),
                ('order', order, ''),
                ('n', n, 100),
                ('cursor', cursor, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(TimelineResponse, answer)

    def list_jobs(
        self,
        *,
        scope: str = '',
        scope_id: str = '',
        job_type: str = '',
        status: str = '',
        turn_id: str = '',
        created_from: int = 0,
        created_to: int = 0,
        available_from: int = 0,
        available_to: int = 0,
        sort_by: str = 'created_at',
        sort_order: str = 'desc',
        limit: int = 50,
        offset: int = 0,
        agent: str = '',
    ) -> ListJobsResponse:
        """List background jobs. Times are milliseconds since 1970 of the wall clock.

        Args:
            scope: global | group | dm | agent | session | branch | turn | unscoped | fleet | all;
                empty = any
            scope_id: with scope; a branch is JSON ["<session>","<branch>"]; empty = any
            job_type: ingest_turn | compact_macro | maintenance | rebuild_scope | embed | import |
                backup; empty = any
            status: pending | leased | running | retry_waiting | succeeded | dead_letter |
                cancelled; empty = any
            turn_id: the turn that it belongs to; empty = any
            created_from: queued at or after; 0 = no limit
            created_to: queued at or before; 0 = no limit
            available_from: available at or after; 0 = no limit
            available_to: available at or before; 0 = no limit
            sort_by: created_at | updated_at | available_at
            sort_order: asc | desc
            limit: 1 to 100
            offset: see int
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'list_jobs',
            True,
            [
                ('scope', scope, ''),
                ('scope_id', scope_id, ''),
                ('job_type', job_type, ''),
                ('status', status, ''),
                ('turn_id', turn_id, ''),
                ('created_from', created_from, 0),
                ('created_to', created_to, 0),
                ('available_from', available_from, 0),
                ('available_to', available_to, 0),
                ('sort_by', sort_by, 'created_at'),
                ('sort_order', sort_order, 'desc'),
                ('limit', limit, 50),
                ('offset', offset, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(ListJobsResponse, answer)

    def get_job(
        self,
        *,
        job_id: int = 0,
        agent: str = '',
    ) -> JobResponse:
        """Return one background job.

        Errors: not_found.

        Args:
            job_id: greater than 0
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'get_job',
            True,
            [
                ('job_id', job_id, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(JobResponse, answer)

    def list_scopes(
        self,
        *,
        scope: str = '',
        scope_id: str = '',
        sort_by: str = 'updated_at',
        sort_order: str = 'desc',
        limit: int = 50,
        offset: int = 0,
        agent: str = '',
    ) -> ListScopesResponse:
        """List the job state of each scope. Times are milliseconds since 1970 of the wall clock.

        Args:
            scope: global | group | dm | agent | session | branch | turn | unscoped | fleet | all;
                empty = any
            scope_id: with scope; a branch is JSON ["<session>","<branch>"]; empty = any
            sort_by: updated_at | revision | last_compaction_at | last_processed_turn_no
            sort_order: asc | desc; unset values are lowest
            limit: 1 to 100
            offset: see int
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'list_scopes',
            True,
            [
                ('scope', scope, ''),
                ('scope_id', scope_id, ''),
                ('sort_by', sort_by, 'updated_at'),
                ('sort_order', sort_order, 'desc'),
                ('limit', limit, 50),
                ('offset', offset, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(ListScopesResponse, answer)

    def compare(
        self,
        *,
        task: str = '',
        object: str = '',
        collection: str = '',
        collections: Sequence[str] = (),
        context_filter: Json = '',
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        scope: str = '',
        n: int = 10,
        agent: str = '',
    ) -> CompareResponse:
        """Return the differences between successful and failed attempts at a task.

        Args:
            task: the task, by context.task.name or by the words of the memories; empty = any
            object: only attempts on this object; empty = any
            collection: empty = the parameter default_collection
            collections: instead of collection; ["*"] = all
            context_filter: conditions on the context, JSON, as for Recall
            since: None = no limit
            until: see [Time]
            scope: as for Recall; empty = the parameter default_scope
            n: maximum number of contrasts, 1 to 100
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'compare',
            True,
            [
                ('task', task, ''),
                ('object', object, ''),
                ('collection', collection, ''),
                ('collections', collections, ()),
                ('context_filter', context_filter, ''),
                ('since', since, None),
                ('until', until, None),
                ('scope', scope, ''),
                ('n', n, 10),
                ('agent', agent, ''),
            ],
        )
        return cast(CompareResponse, answer)

    def status(
        self,
        *,
        agent: str = '',
    ) -> StatusResponse:
        """Return counts, the health of each part, sizes, and times of the last maintenance and backup.

        Args:
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'status',
            True,
            [
                ('agent', agent, ''),
            ],
        )
        return cast(StatusResponse, answer)

    def learn(
        self,
        *,
        insight: str = '',
        context: Json = '',
        collection: str = '',
        session_id: str = '',
        turn_id: str = '',
        level: str = '',
        scope: str = '',
        agent: str = '',
        source: str = '',
        trust: str = '',
        mem_type: str = '',
        importance: Optional[float] = None,
        parent_id: int = 0,
        idempotency_key: str = '',
    ) -> LearnResponse:
        """Store one statement: a fact, a rule, a lesson.

        Category, tags, file paths and confidence are inferred from the words, English or Chinese.
        Confidence is 0.80, and 0.05 more for each of a file path, code, a causal word, and a
        context of more than 20 characters; at most 0.95.

        Errors: not_found: no such parent; invalid_state: no such session, or it has ended, or the
        same constraint exists with other bounds; refused.

        Args:
            insight: 1 to 300 characters; longer text is cut between words, and the response sets
                truncated
            context: JSON object, by convention with the keys params, spatial, robot, task, env
            collection: empty = the session's, or the parameter default_collection
            session_id: UUID of an open session, or empty
            turn_id: the turn of the session, or empty
            level: core | knowledge | working (of a session); empty = knowledge
            scope: who may read it: global | group:<id> | dm | agent:<name> | session:<id> |
                branch:<session>/<branch> | turn:<id> | unscoped; empty = the parameter
                default_scope
            agent: who calls; empty = whose token it is
            source: user_direct | group_chat | web_scrape | agent_output | migration | consolidation
                | sensor | operator | fleet; empty = operator, or agent_output when agent is given
            trust: high | medium | low; empty = by source
            mem_type: preference | fact | procedure | lesson | decision | task_log | knowledge;
                empty = by category
            importance: 0 to 1; 0.5 unless has_importance
            parent_id: parent one level up: a core memory for a knowledge one, a knowledge memory
                for a working one; 0 = none
            idempotency_key: a repeated call with the same key returns the first response
        """
        answer = self._call(
            'learn',
            True,
            [
                ('insight', insight, ''),
                ('context', context, ''),
                ('collection', collection, ''),
                ('session_id', session_id, ''),
                ('turn_id', turn_id, ''),
                ('level', level, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
                ('source', source, ''),
                ('trust', trust, ''),
                ('mem_type', mem_type, ''),
                ('importance', importance, None),
                ('parent_id', parent_id, 0),
                ('idempotency_key', idempotency_key, ''),
            ],
        )
        return cast(LearnResponse, answer)

    def save_perception(
        self,
        *,
        description: str = '',
        perception_type: str = '',
        data: Json = '',
        metadata: Json = '',
        context: Json = '',
        collection: str = '',
        session_id: str = '',
        turn_id: str = '',
        level: str = '',
        scope: str = '',
        agent: str = '',
        source: str = '',
        trust: str = '',
        mem_type: str = '',
        importance: Optional[float] = None,
        parent_id: int = 0,
        idempotency_key: str = '',
    ) -> SavePerceptionResponse:
        """Store a perception: a contact, an image, a trajectory.

        Errors: as for Learn. Perceptions are not compared with stored memories.

        Args:
            description: 5 to 300 characters; longer text is cut between words, and the response
                sets truncated
            perception_type: visual | tactile | auditory | proprioceptive | procedural
            data: JSON: readings, trajectory, detections
            metadata: JSON object: format, sampling rate, units
            context: JSON object, as for Learn
            collection: empty = the session's, or the parameter default_collection
            session_id: see str
            turn_id: see str
            level: see str
            scope: see str
            agent: who calls; empty = whose token it is
            source: empty = sensor
            trust: see str
            mem_type: empty = procedure for procedural perceptions, else task_log
            importance: see [float]
            parent_id: parent one level up: a core memory for a knowledge one, a knowledge memory
                for a working one; 0 = none
            idempotency_key: see str
        """
        answer = self._call(
            'save_perception',
            True,
            [
                ('description', description, ''),
                ('perception_type', perception_type, ''),
                ('data', data, ''),
                ('metadata', metadata, ''),
                ('context', context, ''),
                ('collection', collection, ''),
                ('session_id', session_id, ''),
                ('turn_id', turn_id, ''),
                ('level', level, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
                ('source', source, ''),
                ('trust', trust, ''),
                ('mem_type', mem_type, ''),
                ('importance', importance, None),
                ('parent_id', parent_id, 0),
                ('idempotency_key', idempotency_key, ''),
            ],
        )
        return cast(SavePerceptionResponse, answer)

    def forget(
        self,
        *,
        memory_id: int = 0,
        reason: str = '',
        scope: str = '',
        agent: str = '',
    ) -> ForgetResponse:
        """Withdraw a wrong memory. It is kept for audit and not recalled again.

        Errors: not_found; invalid_state: already forgotten; refused.

        Args:
            memory_id: greater than 0
            reason: 1 to 300 characters
            scope: only a memory that a search of this scope includes; empty = any that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'forget',
            False,
            [
                ('memory_id', memory_id, 0),
                ('reason', reason, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(ForgetResponse, answer)

    def update(
        self,
        *,
        memory_id: int = 0,
        new_content: str = '',
        context: Json = '',
        scope: str = '',
        agent: str = '',
    ) -> UpdateResponse:
        """Change the content of an active memory. The former content stays in the audit trail.

        Errors: not_found; invalid_state: not active, or another row has exactly this content;
        refused.

        Args:
            memory_id: greater than 0
            new_content: 1 to 300 characters; longer text is cut between words, and the response
                sets truncated
            context: JSON object; empty = unchanged
            scope: only a memory that a search of this scope includes; empty = any that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'update',
            False,
            [
                ('memory_id', memory_id, 0),
                ('new_content', new_content, ''),
                ('context', context, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(UpdateResponse, answer)

    def delete_memory(
        self,
        *,
        memory_id: int = 0,
        scope: str = '',
        agent: str = '',
    ) -> DeleteMemoryResponse:
        """Permanently delete one memory, with its perception, audit trail and clip. Forget keeps it
        for audit.

        Errors: not_found.

        Args:
            memory_id: greater than 0; of any status
            scope: only a memory that a search of this scope includes; empty = any that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'delete_memory',
            False,
            [
                ('memory_id', memory_id, 0),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(DeleteMemoryResponse, answer)

    def clear_memories(
        self,
        *,
        level: str = '',
        collection: str = '',
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        scope: str = '',
        agent: str = '',
    ) -> ClearMemoriesResponse:
        """Permanently delete all memories of a level and collection, or those of a time range. level
        and collection are required.

        With level working and the parameter default_collection as collection it also deletes the
        objects of Locate that were last seen in that range; deleted_count counts them.

        Args:
            level: core | knowledge | working
            collection: see str
            since: only memories created at or after; None = no limit
            until: only memories created before; None = no limit
            scope: only memories that a search of this scope includes; empty = all that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'clear_memories',
            False,
            [
                ('level', level, ''),
                ('collection', collection, ''),
                ('since', since, None),
                ('until', until, None),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(ClearMemoriesResponse, answer)

    def unlearn(
        self,
        *,
        memory_ids: Sequence[int] = (),
        session_id: str = '',
        stream: str = '',
        context_filter: Json = '',
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        collection: str = '',
        scope: str = '',
        dry_run: bool = True,
        plan: str = '',
        reason: str = '',
        agent: str = '',
    ) -> UnlearnResponse:
        """Forget memories, and with them what was made of them: short and long summaries, experiences,
        lessons, summaries of weeks.

        A dry run, the default, changes nothing and says what would be done. The call that does it
        gives back its plan, and is refused with invalid_state and the new plan if anything else
        would be done by now. All is done at once, or nothing. Memories that meet all given
        fields are forgotten as by forget. Memories made of them are made again of what else
        they rest on, or deleted where nothing else is left.

        Errors: not_found: of memory_ids; invalid_state: the plan is another one by now; refused.

        Args:
            memory_ids: only these, of any type, at most 1000; none = all facts, perceptions and
                short summaries of turns
            session_id: only memories of this session; empty = all
            stream: only memories whose context.event.stream is this; empty = all
            context_filter: JSON object of conditions on the context, as of recall; empty = all
            since: only memories made at or after, events that began then; None = no limit
            until: only memories made before; None = no limit
            collection: only memories of this collection; empty = all. One of the fields so far must
                be given
            scope: only memories that a search of this scope includes; empty = all that the agent
                may read
            dry_run: change nothing, and say what would be done
            plan: plan of a dry run with the same fields; needed if dry_run is false
            reason: 1 to 300 characters; may be empty in a dry run
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'unlearn',
            False,
            [
                ('memory_ids', memory_ids, ()),
                ('session_id', session_id, ''),
                ('stream', stream, ''),
                ('context_filter', context_filter, ''),
                ('since', since, None),
                ('until', until, None),
                ('collection', collection, ''),
                ('scope', scope, ''),
                ('dry_run', dry_run, True),
                ('plan', plan, ''),
                ('reason', reason, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(UnlearnResponse, answer)

    def begin_attempt(
        self,
        *,
        task: str = '',
        object: str = '',
        place: str = '',
        params: Json = '',
        context: Json = '',
        collection: str = '',
        session_id: str = '',
        scope: str = '',
        agent: str = '',
        idempotency_key: str = '',
    ) -> BeginAttemptResponse:
        """Note that a task is about to be tried. The attempt is a memory (a task_log) from now on,
        which EndAttempt gives its outcome. One that the node's end left open is shown as
        interrupted, and can still be ended.

        Errors: invalid_state: no such session, or it has ended; refused.

        Args:
            task: what is to be done, as pick; at most 60 characters
            object: on what; empty = on nothing that has a name
            place: where, by name; a position goes into context.spatial.object_position
            params: JSON object of the planned parameters, as {"force_n": 12}; empty = none
            context: JSON object with spatial, robot, env and whatever else is known; task and
                params are fields of their own
            collection: empty = the session's, or the parameter default_collection
            session_id: UUID of an open session, or empty
            scope: who may see it; empty = the parameter default_scope
            agent: who calls; empty = whose token it is
            idempotency_key: a repeated call with the same key is answered as the first one
        """
        answer = self._call(
            'begin_attempt',
            True,
            [
                ('task', task, ''),
                ('object', object, ''),
                ('place', place, ''),
                ('params', params, ''),
                ('context', context, ''),
                ('collection', collection, ''),
                ('session_id', session_id, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
                ('idempotency_key', idempotency_key, ''),
            ],
        )
        return cast(BeginAttemptResponse, answer)

    def end_attempt(
        self,
        *,
        attempt_id: int = 0,
        outcome: str = '',
        score: Optional[float] = None,
        reason: str = '',
        measured: Json = '',
        params: Json = '',
        steps: Json = '',
        used_ids: Sequence[int] = (),
        agent: str = '',
        idempotency_key: str = '',
    ) -> EndAttemptResponse:
        """Note how an attempt ended. Memories that it used are credited with a success, or blamed for
        a failure, in their ledger; a success confirms them.

        Errors: not_found: no such memory; invalid_state: the memory is no attempt that is open;
        forbidden: another agent began it; refused.

        Args:
            attempt_id: from BeginAttempt
            outcome: success | failure | cancelled | unknown
            score: 0 to 1: how well it went
            reason: why it ended so, as slipped; at most 300 characters
            measured: JSON object of what was measured, as {"force_n": 11.8}
            params: JSON object of the parameters that were used in the end; empty = the planned
                ones
            steps: JSON array of what was done, in order, at most 64: of each step its name, and
                perhaps params, anchor, pose (position_m x, y, z and orientation x, y, z, w,
                relative to the anchor), duration_secs, verdict
            used_ids: memories that were used, at most 100
            agent: who calls; empty = whose token it is
            idempotency_key: a repeated call with the same key is answered as the first one
        """
        answer = self._call(
            'end_attempt',
            True,
            [
                ('attempt_id', attempt_id, 0),
                ('outcome', outcome, ''),
                ('score', score, None),
                ('reason', reason, ''),
                ('measured', measured, ''),
                ('params', params, ''),
                ('steps', steps, ''),
                ('used_ids', used_ids, ()),
                ('agent', agent, ''),
                ('idempotency_key', idempotency_key, ''),
            ],
        )
        return cast(EndAttemptResponse, answer)

    def judge_lesson(
        self,
        *,
        lesson_id: int = 0,
        judgment: str = '',
        reason: str = '',
        agent: str = '',
    ) -> JudgeLessonResponse:
        """Let a person's word on a lesson stand, whatever attempts say: pinned, it is believed at the
        bound that it has now; rejected, it is not believed. Its ledger has who said it.

        Errors: not_found: no such memory; invalid_state: the memory is no active lesson; forbidden;
        refused.

        Args:
            lesson_id: from Brief or Recall
            judgment: pinned | rejected; empty = let attempts decide again
            reason: why, at most 300 characters
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'judge_lesson',
            False,
            [
                ('lesson_id', lesson_id, 0),
                ('judgment', judgment, ''),
                ('reason', reason, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(JudgeLessonResponse, answer)

    def adopt(
        self,
        *,
        memory_id: int = 0,
        scope: str = '',
        agent: str = '',
    ) -> AdoptResponse:
        """Make what other robots told a memory of this robot's own, for which the caller stands as for
        what it learns. It goes back to their experience all the same: others do not count it as
        one more, and a revocation of that removes it.

        Errors: not_found: no such memory; invalid_state: other robots did not tell it; forbidden;
        refused.

        Args:
            memory_id: of scope fleet, from Recall
            scope: of the new memory, as of Learn; empty = the parameter default_scope
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'adopt',
            False,
            [
                ('memory_id', memory_id, 0),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(AdoptResponse, answer)

    def start_session(
        self,
        *,
        collection: str = '',
        context: Json = '',
        agent: str = '',
    ) -> StartSessionResponse:
        """Begin a session.

        Its memories inherit parts of the session's context, such as env and robot.

        Errors: refused.

        Args:
            collection: empty = the parameter default_collection
            context: JSON object: robot, env, task; memories of the session inherit the keys that
                their own context does not have, except params, spatial and task
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'start_session',
            False,
            [
                ('collection', collection, ''),
                ('context', context, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(StartSessionResponse, answer)

    def end_session(
        self,
        *,
        session_id: str = '',
        outcome_score: Optional[float] = None,
        agent: str = '',
    ) -> EndSessionResponse:
        """End a session: let confidence fade, merge duplicates, promote or archive working memories,
        and return related memories of other sessions.

        Facts with the same meaning are merged, inside one scope, if the session has three or more
        mergeable facts: confidence below 0.95, not a constraint, postmortem, gotcha, lesson,
        decision or task_log. Of a group the fact with the highest confidence is kept, then the
        most recalled, then the newest; a fact is never superseded by one of lower trust.

        Errors: not_found; invalid_state: it has already ended.

        Args:
            session_id: see str
            outcome_score: 0 = failed, 1 = succeeded
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'end_session',
            False,
            [
                ('session_id', session_id, ''),
                ('outcome_score', outcome_score, None),
                ('agent', agent, ''),
            ],
        )
        return cast(EndSessionResponse, answer)

    def commit_turn(
        self,
        *,
        session_id: str = '',
        branch_id: str = 'main',
        turn_no: int = 0,
        turn_id: str = '',
        text: str = '',
        data: Json = '',
        agent: str = '',
    ) -> CommitTurnResponse:
        """Store a turn, a finished step of a session. The turn is stored at once; a background job,
        whose id is in the response, extracts memories from it.

        Errors: not_found: no such session; invalid_state: it has ended, or the turn exists with
        other content; refused.

        Args:
            session_id: UUID of an open session
            branch_id: the branch of the session that the turn belongs to
            turn_no: the turn's place in the branch, from 1; gaps are allowed
            turn_id: id of the turn, also in memories of this turn; empty = generated
            text: what happened, as English or Chinese text
            data: what happened, as a JSON object: skill, object, place, parameters, result
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'commit_turn',
            False,
            [
                ('session_id', session_id, ''),
                ('branch_id', branch_id, 'main'),
                ('turn_no', turn_no, 0),
                ('turn_id', turn_id, ''),
                ('text', text, ''),
                ('data', data, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(CommitTurnResponse, answer)

    def merge_branch(
        self,
        *,
        session_id: str = '',
        branch_id: str = '',
        into: str = '',
        agent: str = '',
    ) -> MergeBranchResponse:
        """Merge the winning branch of a session into the session's scope or into global.

        Errors: not_found; invalid_state: another branch won.

        Args:
            session_id: UUID
            branch_id: the winning branch
            into: session:<id> of the same session, or global; empty = session:<id>
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'merge_branch',
            False,
            [
                ('session_id', session_id, ''),
                ('branch_id', branch_id, ''),
                ('into', into, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(MergeBranchResponse, answer)

    def retry_job(
        self,
        *,
        job_id: int = 0,
        agent: str = '',
    ) -> JobResponse:
        """Queue a job again that is in dead_letter or cancelled; its number of attempts is reset.

        Errors: not_found; invalid_state: it is neither in dead_letter nor cancelled, or the same
        work is queued.

        Args:
            job_id: greater than 0
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'retry_job',
            False,
            [
                ('job_id', job_id, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(JobResponse, answer)

    def cancel_job(
        self,
        *,
        job_id: int = 0,
        agent: str = '',
    ) -> JobResponse:
        """Cancel a job that is pending or in retry_waiting.

        Errors: not_found; invalid_state: a worker has claimed it, or it has finished.

        Args:
            job_id: greater than 0
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'cancel_job',
            False,
            [
                ('job_id', job_id, 0),
                ('agent', agent, ''),
            ],
        )
        return cast(JobResponse, answer)

    def rebuild_scope(
        self,
        *,
        scope: str = '',
        scope_id: str = '',
        trigger_turn_id: str = '',
        force_compaction: bool = True,
        agent: str = '',
    ) -> QueuedResponse:
        """Queue the job that indexes and orders the memories of a scope again, with the current model.

        Errors: not_found: no such turn; invalid_state: no workers, or nothing is stored there.

        Args:
            scope: global | group | dm | agent | session | branch | turn | unscoped | fleet
            scope_id: a branch is JSON ["<session>","<branch>"]; empty for global, dm, unscoped and
                fleet
            trigger_turn_id: the turn that caused the request; empty = none
            force_compaction: also compact summaries afterwards, if there are enough
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'rebuild_scope',
            False,
            [
                ('scope', scope, ''),
                ('scope_id', scope_id, ''),
                ('trigger_turn_id', trigger_turn_id, ''),
                ('force_compaction', force_compaction, True),
                ('agent', agent, ''),
            ],
        )
        return cast(QueuedResponse, answer)

    def compact_scope(
        self,
        *,
        scope: str = '',
        scope_id: str = '',
        trigger_turn_id: str = '',
        force: bool = True,
        agent: str = '',
    ) -> CompactScopeResponse:
        """Queue the job that compacts short summaries of a scope into a long one.

        Errors: not_found: no such turn; invalid_state: no workers, or nothing to compact.

        Args:
            scope: global | group | dm | agent | session | branch | turn | unscoped | fleet
            scope_id: a branch is JSON ["<session>","<branch>"]; empty for global, dm, unscoped and
                fleet
            trigger_turn_id: the turn that caused the request; empty = none
            force: also below the thresholds
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'compact_scope',
            False,
            [
                ('scope', scope, ''),
                ('scope_id', scope_id, ''),
                ('trigger_turn_id', trigger_turn_id, ''),
                ('force', force, True),
                ('agent', agent, ''),
            ],
        )
        return cast(CompactScopeResponse, answer)

    def run_maintenance(
        self,
        *,
        mode: str = 'daily',
        scope: str = '',
        scope_id: str = '',
        dry_run: bool = False,
        agent: str = '',
    ) -> QueuedResponse:
        """Queue a maintenance job for one scope, or for every scope, one after the other.

        Errors: invalid_state: no workers, or nothing is stored there.

        Args:
            mode: daily | weekly; weekly includes all steps of daily
            scope: global | group | dm | agent | session | branch | turn | unscoped | fleet; empty
                or all = every scope
            scope_id: a branch is JSON ["<session>","<branch>"]; empty for global, dm, unscoped,
                fleet and all
            dry_run: run on a temporary copy of the store, and report the changes that a real run
                would make
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'run_maintenance',
            False,
            [
                ('mode', mode, 'daily'),
                ('scope', scope, ''),
                ('scope_id', scope_id, ''),
                ('dry_run', dry_run, False),
                ('agent', agent, ''),
            ],
        )
        return cast(QueuedResponse, answer)

    def restore_memory(
        self,
        *,
        memory_id: int = 0,
        reason: str = '',
        scope: str = '',
        agent: str = '',
    ) -> RestoreMemoryResponse:
        """Make an archived memory active again; its age counts from now.

        Errors: not_found; invalid_state: it is not archived; refused.

        Args:
            memory_id: greater than 0
            reason: stored in its ledger as the cause; empty = none
            scope: only a memory that a search of this scope includes; empty = any that the agent
                may read
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'restore_memory',
            False,
            [
                ('memory_id', memory_id, 0),
                ('reason', reason, ''),
                ('scope', scope, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(RestoreMemoryResponse, answer)

    def backup(
        self,
        *,
        agent: str = '',
    ) -> BackupResponse:
        """Queue the job that writes a verified copy of the store into the folder of backups, without
        blocking other writes.

        Errors: invalid_state: no workers.

        Args:
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'backup',
            False,
            [
                ('agent', agent, ''),
            ],
        )
        return cast(BackupResponse, answer)

    def restore_backup(
        self,
        *,
        name: str = '',
        agent: str = '',
    ) -> RestoreBackupResponse:
        """Replace the content of the store by a backup. The present content is saved as another
        backup.

        Errors: not_found: no such backup; invalid_state: it cannot be restored.

        Args:
            name: of a backup, as Status lists them; latest = the backup of this store with the
                latest content
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'restore_backup',
            False,
            [
                ('name', name, ''),
                ('agent', agent, ''),
            ],
        )
        return cast(RestoreBackupResponse, answer)

    def capture(
        self,
        *,
        reason: str = '',
        streams: Sequence[str] = (),
        before_secs: float = 5.0,
        after_secs: float = 1.0,
        agent: str = '',
    ) -> CaptureResponse:
        """Store the current samples of the streams as events, independent of triggers. Responds when
        they are stored.

        Errors: invalid_state: the node has no streams; refused.

        Args:
            reason: the reason, which becomes searchable text; 1 to 200 characters
            streams: names of streams; empty = all
            before_secs: seconds before now, as far as they are buffered; 0 to 60
            after_secs: seconds from now on; 0 to 60
            agent: who calls; empty = whose token it is
        """
        answer = self._call(
            'capture',
            False,
            [
                ('reason', reason, ''),
                ('streams', streams, ()),
                ('before_secs', before_secs, 5.0),
                ('after_secs', after_secs, 1.0),
                ('agent', agent, ''),
            ],
        )
        return cast(CaptureResponse, answer)
