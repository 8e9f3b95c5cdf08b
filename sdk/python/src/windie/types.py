"""Types of the gateway's API document. Made by scripts/make_types.py: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

JsonObject = dict[str, Any]
JsonSchema = dict[str, Any]
JsonValue = Any
ErrorCode = str


class AcceptTools(TypedDict):
    """AcceptTools"""

    changes: str
    """The changes of the server that were shown. If its tools are others by now, none is accepted."""


class AcceptedTools(TypedDict):
    """AcceptedTools"""

    accepted: list[str]
    """What the server calls the tools that had changed."""


class AgentAccepted(TypedDict):
    """AgentAccepted"""

    accepted: bool
    seq: int
    """The last event of the session so far."""
    sessionId: str
    toolManifest: NotRequired[WSManifestResult]
    """Of hello: which tools were taken, and why others were not."""


class AgentClientMessage(TypedDict):
    """AgentClientMessage"""

    accept: NotRequired[list[str]]
    """Of hello: the types of messages beyond the document that the client knows. With approval.request it is asked before what can change something is called."""
    afterSeq: NotRequired[int]
    """Of hello: the seq of the last message that the client has; 0 for all."""
    approvalId: NotRequired[str]
    """Of approval.decision: the approval.request."""
    approved: NotRequired[bool]
    """Of approval.decision: whether the call may be made."""
    arguments: NotRequired[JsonValue]
    """Of approval.decision: to call the tool with in place of the model's."""
    clientId: NotRequired[str]
    """Of hello: a name that the client keeps when it comes back, so that it gets the calls that it had."""
    clientVersion: NotRequired[str]
    """Of hello: what the client is. At most 128 bytes."""
    content: NotRequired[str]
    """Of user.message: what the user says."""
    gatewayTools: NotRequired[list[str]]
    """Of hello: names of the gateway's own tools, or patterns as ocr_*, that the model may call besides. Without it: none."""
    images: NotRequired[list[ImageSource]]
    """Of user.message and tool.result."""
    isError: NotRequired[bool]
    """Of tool.result: the tool could not do it, and output says why."""
    messageId: NotRequired[str]
    """Of user.message: a name for it. One of the same name, sent again, is the same message."""
    onBusy: NotRequired[AgentClientMessageOnBusy]
    """Of user.message: what to do with it while another is worked on. Without it: reject."""
    operatingSystem: NotRequired[str]
    """Of hello: of the client's machine."""
    output: NotRequired[JsonValue]
    """Of tool.result: text, or any JSON."""
    reason: NotRequired[str]
    """Of approval.decision: why not, for the model."""
    sessionId: NotRequired[str]
    """The session, as in the path."""
    toolCallId: NotRequired[str]
    """Of tool.result: the call."""
    toolManifest: NotRequired[JsonValue]
    """Of hello: the tools that the client runs: a list, or an object whose tools is one. A tool has name, description and a JSON schema of its arguments: parameters, inputSchema, input_schema or schema; and it may have risk: safe, risky or forbidden."""
    turnId: NotRequired[str]
    """Of cancel: the turn to end, and no other. Without it: the open one, whichever it is."""
    type: AgentClientMessageType
    workspaceRoot: NotRequired[str]
    """Of hello: the folder at the client in which the tools work, absolute and without . and .. parts."""


AgentClientMessageOnBusy = Literal["reject", "queue", "interrupt"] | str


AgentClientMessageType = Literal["hello", "user.message", "tool.result", "cancel", "approval.decision"] | str


class AgentSession(TypedDict):
    """AgentSession"""

    sessionId: str


class AgentSessionInfo(TypedDict):
    """AgentSessionInfo"""

    running: NotRequired[bool]
    """A message is worked on."""
    seq: int
    """The last event so far."""
    sessionId: str
    title: NotRequired[str]
    """What the user said first, shortened."""
    usedAt: str
    workspaceRoot: NotRequired[str]


class AgentSessionList(TypedDict):
    """AgentSessionList"""

    next: NotRequired[str]
    """What to ask for the next page with, as after; empty on the last."""
    sessions: list[AgentSessionInfo]


class Artifact(TypedDict):
    """Artifact"""

    artifact_id: str
    content_type: str
    """Detected from the content."""
    expires_at: NotRequired[str]
    """Absent if it never expires."""
    sha256: str
    """Lower-case hex."""
    size_bytes: int
    url: str


class ArtifactList(TypedDict):
    """ArtifactList"""

    artifacts: list[ArtifactSummary]
    """The newest first."""
    next: NotRequired[str]
    """What to send as after for the next page; without it there is none."""


class ArtifactSummary(TypedDict):
    """ArtifactSummary"""

    artifact_id: str
    created_at: str
    expires_at: NotRequired[str]
    """From when on it is not there any more; absent if it is kept until it is deleted."""
    keep: bool
    """It was marked to be kept."""
    size_bytes: int
    """Length in bytes; 0 for one that was stored by an old gateway."""
    url: str
    """Where to fetch it."""


class AssignedRun(TypedDict):
    """AssignedRun"""

    agent_id: str
    attempt: int
    """1, or more where workers that had the run were lost."""
    control_mode: str
    conversation_ref: str
    files: list[RunFile]
    """To be fetched at /api/runs/{run_id}/files/{artifact_id}."""
    lease_epoch: int
    metadata: JsonObject
    query: str
    run_id: str
    turn_ref: NotRequired[str]
    """The turn that a worker before has begun: what that one called may have been done."""
    workspace_id: str


AuditDecision = Literal["none", "allowed", "forbidden", "approved", "edited", "denied", "expired"] | str


class AuditPage(TypedDict):
    """AuditPage"""

    next: NotRequired[str]
    """Send it as after for the page behind; absent when there is none."""
    records: list[AuditRecord]


class AuditRecord(TypedDict):
    """AuditRecord"""

    call_id: NotRequired[str]
    """Of a turn, the model's id of the call; else the request's X-Request-ID."""
    code: NotRequired[str]
    """The code of a failure."""
    decided_by: NotRequired[str]
    """The user who decided; absent for the rules."""
    decision: AuditDecision
    """Who let it be made: nobody was asked; the rules allow or forbid it; the user approved it, as it was or with other arguments, denied it, or did not answer."""
    digest: NotRequired[str]
    """SHA-256 of the tool's name and its arguments: alike for calls that are. Absent where the arguments were no JSON."""
    duration_ms: float
    """Milliseconds; 0 where nobody measured."""
    origin: NotRequired[OriginKind]
    """Who brought the tool; absent where the call did not get to one."""
    outcome: CallOutcome
    """What came of it. A call that was refused did not get to the tool; one that is unknown may have run."""
    parent: NotRequired[str]
    """The tool from within which it was called."""
    protocol: NotRequired[CallProtocol]
    """What it came by."""
    session_id: NotRequired[str]
    """The session that it belongs to. Of a prompt, its end is what the prompt's id begins with."""
    time: str
    """When it ended."""
    tokens: NotRequired[int]
    """Of a turn, what its model had taken by then, in all rounds."""
    tool: str
    usage: NotRequired[ToolUsage]
    """What the call took, where the tool runs in a sandbox that measures it."""
    user_id: str
    """On whose behalf it was made."""


class Box(TypedDict):
    """Box"""

    height: int
    width: int
    x: int
    y: int


CallOutcome = Literal["done", "failed", "refused", "denied", "canceled", "unknown"] | str


CallProtocol = Literal["http", "ws", "prompt", "mcp", "general", "openai", "host"] | str


CallRisk = Literal["safe", "risky"] | str


class Capabilities(TypedDict):
    """Capabilities"""

    plugins: list[str]
    """The ids of the built-in parts and of whoever else brought tools, sorted."""


class Check(TypedDict):
    """Check"""

    message: str
    """What is in use, or what is missing and how to get it."""
    name: str
    ok: bool


class Color(TypedDict):
    """Color"""

    hex: str
    name: str


class Colors(TypedDict):
    """Colors"""

    border: NotRequired[Color]
    fill: NotRequired[Color]
    """Background."""
    ink: NotRequired[Color]
    """Text or icon."""


class ConfigSnapshot(TypedDict):
    """ConfigSnapshot"""

    interaction_mode: str
    """agent; or chat, which has no tools."""
    model_mode: str
    """online, or local."""
    model_provider: str
    selected_model_id: str


class Control(TypedDict):
    """Control"""

    bbox: Box
    center: Point
    """Where to click."""
    color: NotRequired[str]
    """Most noticeable color."""
    icon: NotRequired[str]
    id: str
    """Element id."""
    label: NotRequired[str]
    region: int | None
    """Index in regions, or null."""
    role: str
    states: NotRequired[list[str]]


class ConversationPages(TypedDict):
    """ConversationPages"""

    conversations: list[ConversationSummary]
    """The most recently updated first."""
    next: NotRequired[str]
    """What to send as after for the next page; without it there is none."""


class ConversationSummary(TypedDict):
    """ConversationSummary"""

    createdAt: str
    id: str
    updatedAt: str
    """Start or end of the last prompt."""


class Decision(TypedDict):
    """Decision"""

    allowed_arguments: NotRequired[JsonValue]
    """What it was allowed with instead of its arguments, where who answered changed them."""
    arguments: JsonObject
    """What it is to be called with, exactly."""
    created_at: str
    expires_at: str
    """From when on it counts as denied."""
    id: str
    """The name to answer it by."""
    prompt_id: NotRequired[str]
    """The prompt that it belongs to."""
    reason: NotRequired[str]
    """What who answered said."""
    session_id: NotRequired[str]
    """The session of the general agent service, or the conversation of a WebSocket, that it belongs to."""
    state: DecisionState
    """How far it is. Only a pending one can be answered."""
    tool: str
    """The tool's id."""
    tool_call_id: NotRequired[str]
    """The call, as the prompt or the session names it."""
    via: NotRequired[DecisionProtocol]
    """The protocol that the call came by."""
    why: str
    """Why it was asked about."""


class DecisionAnswer(TypedDict):
    """DecisionAnswer"""

    approved: bool
    """Whether the call may be made: once, as it stands there, within ten minutes."""
    reason: NotRequired[str]
    """Why not, for the one who wants to make it."""


class DecisionList(TypedDict):
    """DecisionList"""

    decisions: list[Decision]
    """What waits for an answer, oldest first; of what does not, the newest first."""
    next: NotRequired[str]
    """What to send as after for the next page, which may be shorter than others; without it there is none."""


DecisionProtocol = Literal["mcp", "prompt", "ws", "general", "host"] | str


DecisionState = Literal["pending", "approved", "denied", "expired"] | str


class Deleted(TypedDict):
    """Deleted"""

    deleted: bool
    """It is gone, with all of its content."""
    removed: int
    """How much was removed: of a conversation its prompts, of memory its files, else 1."""


class DescribedColor(TypedDict):
    """DescribedColor"""

    hex: str
    name: str
    share: float


class DescribedLine(TypedDict):
    """DescribedLine"""

    bbox: Box
    region: int | None
    """Index in regions, or null."""
    text: str


class DescribedMore(TypedDict):
    """DescribedMore"""

    controls: int
    regions: int
    text: int


class DescribedPart(TypedDict):
    """DescribedPart"""

    bbox: Box
    color: NotRequired[Color]
    """Background."""
    columns: NotRequired[int]
    kind: DescribedPartKind
    parent: int | None
    """Index of its container in regions, or null."""
    rows: NotRequired[int]
    """Rows of a table, or items of a list."""
    title: NotRequired[str]


DescribedPartKind = Literal["header", "footer", "sidebar", "dialog", "toolbar", "table", "list", "form", "main"] | str


class Distinction(TypedDict):
    """Distinction"""

    above: NotRequired[str]
    """Text below it."""
    below: NotRequired[str]
    """Text above it."""
    left_of: NotRequired[str]
    """Next text on its line."""
    occurrence: int
    """Send this as occurrence to choose the candidate."""
    position: NotRequired[ScreenPosition]
    right_of: NotRequired[str]
    """Previous text on its line."""


class Element(TypedDict):
    """Element"""

    bbox: Box
    colors: NotRequired[Colors]
    icon: NotRequired[str]
    """Most likely icon."""
    id: str
    """Place on the image, from 0; containers come first."""
    label: NotRequired[str]
    """Text in or beside it."""
    parent: str | None
    """id of its container, or null."""
    role: str
    states: NotRequired[list[str]]


class ElementChanged(TypedDict):
    """ElementChanged"""

    after: Element
    before: Element
    what: list[ElementChangedWhat]


ElementChangedWhat = Literal["role", "label", "states", "color", "icon"] | str


class ElementChanges(TypedDict):
    """ElementChanges"""

    appeared: list[Element]
    changed: list[ElementChanged]
    more: int
    """Changes not listed."""
    vanished: list[Element]


ElementRole = Literal["button", "icon button", "link", "menu item", "tab", "field", "search box", "text area", "dropdown", "checkbox", "radio", "toggle", "slider", "progress bar", "avatar", "badge", "heading", "text", "icon", "image", "panel", "row", "toolbar", "sidebar", "dialog"] | str


class Embedding(TypedDict):
    """Embedding"""

    dimension: int
    """How many numbers a vector has."""
    embedding: list[float]
    """The vector; of the model in the process its length is 1."""
    embedding_space_version: str
    """All of this in one name. Keep it with each vector, and compare none of different names."""
    model_id: str
    model_name: str
    """The same as model_id."""
    provider_id: str
    """Who makes the vectors: local-sentence-transformer is the gateway itself."""


class EmbeddingRequest(TypedDict):
    """EmbeddingRequest"""

    model_name: NotRequired[str]
    """The model by its model_id, or default; a gateway has one."""
    text: str
    """The text. A model reads as much of it as it can: that in the process the first 256 tokens, some 180 words."""


class EmbeddingsHealth(TypedDict):
    """EmbeddingsHealth"""

    dimension: int
    """How many numbers a vector has."""
    embedding_space_version: str
    """All of this in one name. Keep it with each vector, and compare none of different names."""
    model_id: str
    model_name: str
    """The same as model_id."""
    provider_id: str
    """Who makes the vectors: local-sentence-transformer is the gateway itself."""
    status: Literal["healthy"]


class Error(TypedDict):
    """Error"""

    code: ErrorCode
    details: ErrorDetails
    """What the failure is about; empty when there is nothing to add."""
    message: str
    """What happened and what to do about it, for a person."""


class ErrorDetails(TypedDict):
    """ErrorDetails"""

    fields: NotRequired[list[FieldError]]
    """The fields that are wrong, all at once."""
    quota: NotRequired[QuotaUsage]
    """What is full, for QUOTA_EXCEEDED."""
    request_id: NotRequired[str]
    """What to search the server's log for."""
    resets_at: NotRequired[str]
    """When the budget of the next day begins, for BUDGET_EXCEEDED."""
    resolver_payload: NotRequired[ResolverPayload]
    """The rows to choose from, for AMBIGUOUS_MATCH and TEXT_NOT_FOUND."""
    retry_after: NotRequired[int]
    """After how many seconds to ask again, as Retry-After says, for RATE_LIMITED and BUDGET_EXCEEDED."""
    tool_request: NotRequired[V1ToolCall]
    """What the agent waits for, for TOOL_PENDING."""
    usage: NotRequired[ToolUsage]
    """What the call of a tool took before it failed, where that is measured."""


class ErrorResponse(TypedDict):
    """ErrorResponse"""

    error: Error


class Evidence(TypedDict):
    """Evidence"""

    by: NotRequired[str]
    """What meets the term; absent if nothing does."""
    met: float
    term: str


class Fallback(TypedDict):
    """Fallback"""

    code: str
    message: str


class FieldError(TypedDict):
    """FieldError"""

    message: str
    """What was expected."""
    path: str
    """Where the field is."""


class FunctionSchema(TypedDict):
    """FunctionSchema"""

    description: str
    name: str
    """As models know it: dots are underscores."""
    parameters: JsonSchema
    """JSON Schema of the arguments."""
    type: Literal["function"]


class GeneralAssistantDeltaEvent(TypedDict):
    """GeneralAssistantDeltaEvent"""

    data: V1Text
    event: Literal["assistant.delta"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralAssistantFinalEvent(TypedDict):
    """GeneralAssistantFinalEvent"""

    data: V1Text
    event: Literal["assistant.final"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralErrorEvent(TypedDict):
    """GeneralErrorEvent"""

    data: V1Error
    event: Literal["error"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralResyncEvent(TypedDict):
    """GeneralResyncEvent"""

    data: WSNothing
    event: Literal["resync"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralToolProgressEvent(TypedDict):
    """GeneralToolProgressEvent"""

    data: V1Progress
    event: Literal["tool.progress"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralToolRequestEvent(TypedDict):
    """GeneralToolRequestEvent"""

    data: V1ToolCall
    event: Literal["tool.request"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralToolResultAckEvent(TypedDict):
    """GeneralToolResultAckEvent"""

    data: V1ToolAck
    event: Literal["tool.result.ack"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralToolResultEvent(TypedDict):
    """GeneralToolResultEvent"""

    data: V1ToolResult
    event: Literal["tool.result"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class GeneralWarningEvent(TypedDict):
    """GeneralWarningEvent"""

    data: V1Warning
    event: Literal["warning"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class Grant(TypedDict):
    """Grant"""

    config: NotRequired[dict[str, str]]
    disabled: NotRequired[bool]
    isolation: NotRequired[str]
    limits: NotRequired[Limits]
    permissions: NotRequired[Permissions]
    risk: NotRequired[dict[str, str]]
    sha256: NotRequired[str]
    source: NotRequired[str]
    unmet_imports: NotRequired[str]


class Health(TypedDict):
    """Health"""

    checks: list[Check]
    """One line per part."""
    healthy: bool
    """Whether every part the gateway needs is working; of /ready also whether it takes requests."""
    uptime_ms: int
    """Milliseconds since the gateway started."""
    version: str
    """The gateway's version."""


class HistoryMessage(TypedDict):
    """HistoryMessage"""

    content: JsonValue
    """What it says: text, or anything. A user's text is an envelope, or bare."""
    correlation_id: NotRequired[str]
    """Taken, and of no effect."""
    message_type: NotRequired[str]
    """None, or user_query, assistant_response, tool_output or context_compaction. It changes nothing."""
    repo_instruction_messages: NotRequired[list[RepoInstruction]]
    """Of the repository there; the last of all messages count."""
    role: MessageRole
    screenshot_ref: NotRequired[str]
    """An artifact that the message has."""
    timestamp: NotRequired[str]
    """Taken, and of no effect."""
    tool_name: NotRequired[str]
    """Of a tool's."""
    workspace_path: NotRequired[str]
    """The folder that the user works in; the last of all messages counts."""


class ImageInfo(TypedDict):
    """ImageInfo"""

    artifact_id: str | None
    """null for an inline image."""
    content_type: str
    height: int
    source_id: str
    """artifact_id, or inline: and a SHA-256 prefix."""
    width: int
    """Pixels after Exif rotation. Coordinates refer to this size."""


class ImageSource(TypedDict):
    """ImageSource"""

    artifact_id: NotRequired[str | None]
    """An uploaded image. Give this or image_base64."""
    image_base64: NotRequired[str | None]
    """PNG, JPEG, GIF, WebP or BMP, as base64 or a base64 data URL."""


class InstallRegistration(TypedDict):
    """InstallRegistration"""

    install_id: str
    """What the operator calls the install."""
    install_token: str
    """What to bring with each request, as Authorization: Bearer. It is not told again."""
    success: bool
    """Always true: failures are errors."""
    user_id: str
    """The user that the install acts for; what to send as X-User-Id."""


class InstallRequest(TypedDict):
    """InstallRequest"""

    operating_system: str
    """What the client runs on, for lists that people read."""


InteractionMode = Literal["chat", "agent"] | str


class KeptKind(TypedDict):
    """KeptKind"""

    aged: int
    """What this gateway has removed by age since it began."""
    bytes: int
    """Bytes of content, about."""
    erased: int
    """What it has removed of users who were deleted."""
    items: int
    kind: str
    measured: bool
    """Whether items and bytes are known."""
    oldest_at: NotRequired[str]
    """Absent if there is none, or nobody knows."""
    prunable: bool
    """Whether it can be removed by age."""
    ttl_seconds: int
    """After which it is removed by itself; 0: never."""


class KeptList(TypedDict):
    """KeptList"""

    kinds: list[KeptKind]
    """All kinds of things that a gateway keeps of users."""


class KeptOfUser(TypedDict):
    """KeptOfUser"""

    bytes: int
    """0 where nobody counts them."""
    items: int
    kind: str
    max_bytes: int
    """How many bytes the user may keep; 0: any number."""
    max_items: int
    """How many the user may keep; 0: any number."""


class Limits(TypedDict):
    """Limits"""

    concurrent_calls: NotRequired[int]
    file_bytes: NotRequired[int]
    fuel: NotRequired[int]
    host_calls: NotRequired[int]
    http_bytes: NotRequired[int]
    http_requests: NotRequired[int]
    input_bytes: NotRequired[int]
    log_bytes: NotRequired[int]
    log_lines: NotRequired[int]
    memory_bytes: NotRequired[int]
    output_bytes: NotRequired[int]
    queued_calls: NotRequired[int]
    random_bytes: NotRequired[int]
    stack_depth: NotRequired[int]
    table_entries: NotRequired[int]
    wall_ms: NotRequired[int]


ListDecisionsState = Literal["pending", "approved", "denied", "expired", "any"] | str


class MCPServer(TypedDict):
    """MCPServer"""

    changes: NotRequired[str]
    """One hash of all that the changed tools are now; absent if none has changed. Whoever accepts them sends it."""
    name: str
    """What the file calls it; the group of its tools."""
    notes: list[str]
    """What is left out of its tools, and what the file says in vain."""
    problem: NotRequired[str]
    """Why it could not be used the last time."""
    state: MCPServerState
    """Whether its tools can be called. The next call starts one that is known; one that is broken is tried again by itself, within a minute."""
    tools: list[MCPServerTool]
    where: MCPServerWhere
    """Whether it is a program of this machine, or at a URL."""


class MCPServerList(TypedDict):
    """MCPServerList"""

    servers: list[MCPServer]
    """The MCP servers of the operator's file, by name."""


MCPServerState = Literal["ready", "known", "starting", "broken", "disabled"] | str


class MCPServerTool(TypedDict):
    """MCPServerTool"""

    changed: bool
    """It is not what it was when it was first seen, and is refused until the operator accepts it."""
    id: str
    """The tool's id at the gateway."""
    name: str
    """What the server calls it."""
    now: NotRequired[MCPToolDefinition]
    """Of a changed tool, what it is now. No model is shown that before it is accepted."""
    risk: MCPServerToolRisk
    was: NotRequired[MCPToolDefinition]
    """Of a changed tool, what was accepted, where that is known."""


MCPServerToolRisk = Literal["safe", "risky", "forbidden"] | str


MCPServerWhere = Literal["stdio", "http"] | str


class MCPToolDefinition(TypedDict):
    """MCPToolDefinition"""

    description: str
    input: NotRequired[JsonValue]
    """The JSON Schema of its arguments."""
    output: NotRequired[JsonValue]
    """The JSON Schema of its answer."""


MemoryKind = Literal["long_term", "daily", "other"] | str


MemoryTarget = Literal["long_term", "daily"] | str


MessageRole = Literal["user", "assistant", "tool"] | str


class Model(TypedDict):
    """Model"""

    capabilities: NotRequired[ModelCapabilities]
    context_window: NotRequired[int]
    """How long a conversation may be, in tokens."""
    default_model_id: NotRequired[str]
    """The id of the entry with the default mode."""
    default_reasoning_mode: NotRequired[str]
    description: NotRequired[str]
    display_name: str
    family_id: NotRequired[str]
    """The same for all entries of one model."""
    family_label: NotRequired[str]
    id: str
    """What selected_model_id is set to. A model with reasoning modes has one entry, and one id, for each."""
    input_price: NotRequired[str]
    """What the operator says it costs, for a person."""
    latency: NotRequired[str]
    """How soon an answer begins, as the operator says, for a person."""
    output_price: NotRequired[str]
    """What the operator says it costs, for a person."""
    provider: str
    """The id of the provider, as the operator calls it."""
    reasoning_mode: NotRequired[str]
    """How much this entry has the model think, as its provider calls it."""
    reasoning_modes: NotRequired[list[str]]
    """The modes that the model's entries have, least first."""
    runtime_model_id: NotRequired[str]
    """What the provider calls the model."""
    strengths: NotRequired[list[str]]
    """What the model is good at, in a word each."""
    supports_native_web_search: NotRequired[bool]
    """Whether the provider can search the web for the model. The gateway does not ask for it."""
    supports_thinking: NotRequired[bool]
    """Whether the model can think before it answers."""


class ModelCapabilities(TypedDict):
    """ModelCapabilities"""

    supports_native_web_search: bool


class ModelCatalogue(TypedDict):
    """ModelCatalogue"""

    config: ConfigSnapshot
    models: ModelList
    services: ServiceStates
    """What there is besides language models."""


class ModelList(TypedDict):
    """ModelList"""

    local: list[Model]
    """Models that run on the gateway's own machine or network."""
    online: list[Model]
    """Models of providers that want a key."""
    vision: list[Model]
    """Models that only look at images, wherever they run."""


class Mount(TypedDict):
    """Mount"""

    at: str
    path: NotRequired[str]
    write: NotRequired[bool]


class Move(TypedDict):
    """Move"""

    bbox: Box
    """Position after the move."""
    by: Point
    """Distance; y is negative after scrolling down."""


class OCRInspectRequest(TypedDict):
    """OCRInspectRequest"""

    image: ImageSource
    include_overlay: NotRequired[bool]
    """Draw and store an overlay."""
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    near: NotRequired[str]
    """Another text on the image, to choose among equal matches: the clearly nearest one wins. A match on the line of this text counts as nearer. Lists put the nearest first."""
    occurrence: NotRequired[int]
    """Which of the remaining equal matches, from 1 in reading order. find-text-candidates and inspect also list the others."""
    region: NotRequired[Region]
    """Only matches centered in this rectangle, which must overlap the image."""
    show_labels: NotRequired[bool]
    """Number the overlay's boxes."""
    text: NotRequired[str]
    """Text to find; without it, only rows are listed."""
    threshold: NotRequired[float]
    """Lowest score of a match."""


class OCRInspectResponse(TypedDict):
    """OCRInspectResponse"""

    accepted_matches: list[Row]
    """Rows with a score of at least threshold."""
    image: ImageInfo
    overlay: Overlay | None
    """The stored overlay, or null."""
    query: str | None
    ranked_matches: list[Row]
    """Best rows for the query, at any score."""
    resolution_error: ResolutionError | None
    """Why there is no single match."""
    resolved_match: Row | None
    """The single match, or null."""
    results: list[Row]
    """Rows in reading order; with a region, only rows in it."""
    threshold: float
    unreadable: NotRequired[list[Unreadable]]
    """Text in scripts that languages lacks. Absent if all text is readable."""


class OCRMatchesResponse(TypedDict):
    """OCRMatchesResponse"""

    image: ImageInfo
    matches: list[Row]
    query: str
    threshold: float


class OCROverlayRequest(TypedDict):
    """OCROverlayRequest"""

    candidate_id: NotRequired[str]
    """Draw only this row."""
    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    near: NotRequired[str]
    """Another text on the image, to choose among equal matches: the clearly nearest one wins. A match on the line of this text counts as nearer. Lists put the nearest first."""
    occurrence: NotRequired[int]
    """Which of the remaining equal matches, from 1 in reading order. find-text-candidates and inspect also list the others."""
    region: NotRequired[Region]
    """Only matches centered in this rectangle, which must overlap the image."""
    show_labels: NotRequired[bool]
    """Number the boxes."""
    text: NotRequired[str]
    """Draw only rows that match this text."""
    threshold: NotRequired[float]
    """Lowest score of a match."""


class OCRResolveCandidateRequest(TypedDict):
    """OCRResolveCandidateRequest"""

    candidate_id: str
    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""


class OCRResolveCandidateResponse(TypedDict):
    """OCRResolveCandidateResponse"""

    candidate_id: str
    image: ImageInfo
    match: Row


class OCRResolveTextResponse(TypedDict):
    """OCRResolveTextResponse"""

    image: ImageInfo
    match: Row
    query: str
    threshold: float


class OCRRunRequest(TypedDict):
    """OCRRunRequest"""

    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""


class OCRRunResponse(TypedDict):
    """OCRRunResponse"""

    image: ImageInfo
    results: list[Row]
    unreadable: NotRequired[list[Unreadable]]
    """Text in scripts that languages lacks. Absent if all text is readable."""


class OCRTextRequest(TypedDict):
    """OCRTextRequest"""

    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    near: NotRequired[str]
    """Another text on the image, to choose among equal matches: the clearly nearest one wins. A match on the line of this text counts as nearer. Lists put the nearest first."""
    occurrence: NotRequired[int]
    """Which of the remaining equal matches, from 1 in reading order. find-text-candidates and inspect also list the others."""
    region: NotRequired[Region]
    """Only matches centered in this rectangle, which must overlap the image."""
    text: str
    """Text to find."""
    threshold: NotRequired[float]
    """Lowest score of a match."""


class OpenAIAnswer(TypedDict):
    """OpenAIAnswer"""

    choices: list[OpenAIChoice]
    """One; none in the chunk with the usage."""
    created: int
    """Seconds since 1970."""
    id: str
    model: str
    object: OpenAIAnswerObject
    usage: NotRequired[OpenAIUsage]


OpenAIAnswerObject = Literal["chat.completion", "chat.completion.chunk"] | str


class OpenAIAnswerUsage(TypedDict):
    """OpenAIAnswerUsage"""

    reasoning_tokens: int


class OpenAICalledWith(TypedDict):
    """OpenAICalledWith"""

    arguments: str
    """A JSON object, as text."""
    name: str


class OpenAIChat(TypedDict):
    """OpenAIChat"""

    logprobs: NotRequired[bool]
    """Refused if true."""
    max_completion_tokens: NotRequired[int]
    """The most tokens that the answer may have, thoughts included. A budget has to have room for them."""
    max_tokens: NotRequired[int]
    """Older name of max_completion_tokens, which goes before it."""
    messages: list[OpenAIMessage]
    """Oldest first. Those of the roles system and developer are instructions, wherever they stand."""
    model: str
    """Of the list of models; empty or default: the gateway's default one."""
    n: NotRequired[int]
    """1: there is one answer."""
    reasoning_effort: NotRequired[str]
    """How much to think, as the provider calls it."""
    response_format: NotRequired[OpenAIFormat]
    stop: NotRequired[JsonValue]
    """A text or up to four, of at most 256 bytes each, before which the answer ends."""
    stream: NotRequired[bool]
    """Send the answer piece by piece, as server-sent events, and data: [DONE] last."""
    stream_options: NotRequired[OpenAIStreamOptions]
    temperature: NotRequired[float]
    """0 asks for the likeliest answer. Other values leave the choice to the provider."""
    tool_choice: NotRequired[JsonValue]
    """auto, or none for an answer without calls. Others are refused, as not every provider has them."""
    tools: NotRequired[list[OpenAITool]]


class OpenAIChoice(TypedDict):
    """OpenAIChoice"""

    delta: NotRequired[OpenAIMessageOut]
    """Of a chunk."""
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter"]
    """null until the answer has ended."""
    index: int
    message: NotRequired[OpenAIMessageOut]
    """Of a whole answer."""


class OpenAIEmbeddings(TypedDict):
    """OpenAIEmbeddings"""

    dimensions: NotRequired[int]
    """Refused unless the model's own."""
    encoding_format: NotRequired[OpenAIEmbeddingsEncodingFormat]
    """base64: the numbers as little endian 32-bit floats."""
    input: JsonValue
    """A text, or a list of up to 256."""
    model: str
    """The gateway's embedding model, or default."""


OpenAIEmbeddingsEncodingFormat = Literal["float", "base64"] | str


class OpenAIFormat(TypedDict):
    """OpenAIFormat"""

    type: Literal["text"]
    """text; others are refused, as not every provider has them."""


class OpenAIFunction(TypedDict):
    """OpenAIFunction"""

    description: NotRequired[str]
    name: str
    parameters: NotRequired[JsonValue]
    """JSON Schema of the arguments, an object."""


class OpenAIMessage(TypedDict):
    """OpenAIMessage"""

    content: NotRequired[JsonValue]
    """A text, or a list of parts: {"type": "text", "text": …}, and of a user {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}. The url may be artifact: and the id of an artifact."""
    name: NotRequired[str]
    role: OpenAIMessageRole
    tool_call_id: NotRequired[str]
    """Of a tool: the call that this is the result of."""
    tool_calls: NotRequired[list[OpenAIToolCall]]
    """Of an assistant."""


class OpenAIMessageOut(TypedDict):
    """OpenAIMessageOut"""

    content: NotRequired[str]
    reasoning_content: NotRequired[str]
    """What the model thought, where the provider shows it."""
    role: NotRequired[str]
    tool_calls: NotRequired[list[OpenAIToolCall]]


OpenAIMessageRole = Literal["system", "developer", "user", "assistant", "tool"] | str


class OpenAIModel(TypedDict):
    """OpenAIModel"""

    created: int
    """When the gateway began, in seconds since 1970: nobody knows when the model was made."""
    id: str
    """As the catalogue has it; an embedding model's is embedding_model_id of its space."""
    object: Literal["model"]
    owned_by: str
    """The provider."""


class OpenAIModels(TypedDict):
    """OpenAIModels"""

    data: list[OpenAIModel]
    object: Literal["list"]


class OpenAIPromptUsage(TypedDict):
    """OpenAIPromptUsage"""

    cached_tokens: int


class OpenAISpeech(TypedDict):
    """OpenAISpeech"""

    input: str
    """The text, of at most 4,096 characters."""
    model: NotRequired[str]
    """Passed over: the gateway has one voice."""
    response_format: NotRequired[OpenAISpeechResponseFormat]
    """wav is the default; pcm is 16 bits, little endian, 24 kHz, one channel. Others are refused: the gateway has no encoder."""
    speed: NotRequired[float]
    """Refused unless 1."""
    voice: NotRequired[str]
    """Passed over."""


OpenAISpeechResponseFormat = Literal["wav", "pcm"] | str


class OpenAIStreamOptions(TypedDict):
    """OpenAIStreamOptions"""

    include_usage: NotRequired[bool]
    """Send the usage in a last chunk without choices."""


class OpenAITextUsage(TypedDict):
    """OpenAITextUsage"""

    prompt_tokens: int
    total_tokens: int


class OpenAITool(TypedDict):
    """OpenAITool"""

    function: OpenAIFunction
    type: Literal["function"]


class OpenAIToolCall(TypedDict):
    """OpenAIToolCall"""

    function: OpenAICalledWith
    id: str
    index: NotRequired[int]
    """In a stream: which call of the answer it is."""
    type: Literal["function"]


class OpenAITranscript(TypedDict):
    """OpenAITranscript"""

    text: str


class OpenAIUsage(TypedDict):
    """OpenAIUsage"""

    completion_tokens: int
    completion_tokens_details: OpenAIAnswerUsage
    prompt_tokens: int
    prompt_tokens_details: OpenAIPromptUsage
    total_tokens: int


class OpenAIVector(TypedDict):
    """OpenAIVector"""

    embedding: JsonValue
    """A list of numbers, or base64."""
    index: int
    object: Literal["embedding"]


class OpenAIVectors(TypedDict):
    """OpenAIVectors"""

    data: list[OpenAIVector]
    model: str
    object: Literal["list"]
    usage: OpenAITextUsage


class OperatorBudget(TypedDict):
    """OperatorBudget"""

    default: NotRequired[bool]
    """Gives the user the budget of the settings again. The others must be absent then."""
    money_micros: NotRequired[int]
    """What they may cost in a day, in millionths of the currency of the prices; 0: any amount."""
    tokens: NotRequired[int]
    """Tokens that the user's requests may take in a day; 0: any number."""


class OperatorToken(TypedDict):
    """OperatorToken"""

    created_at: str
    install_id: str
    install_token: NotRequired[str]
    """The token, which is shown once, when it is made."""
    operating_system: str
    """What the client says that it runs on."""
    revoked_at: NotRequired[str]
    """Absent if it is let in."""
    seen_at: NotRequired[str]
    """Absent if it never was."""
    user_id: str


class OperatorTokenRequest(TypedDict):
    """OperatorTokenRequest"""

    operating_system: NotRequired[str]
    """What the client runs on, for the lists: printable characters of ASCII."""


class OperatorUser(TypedDict):
    """OperatorUser"""

    created_at: NotRequired[str]
    """Absent on a local gateway, where users have only names."""
    installs: int
    """Installs that are let in."""
    own_budget: bool
    """The budget is the user's own, not that of the settings."""
    usage: Usage
    """What the user spent on models today."""
    user_id: str


class OperatorUserDetails(TypedDict):
    """OperatorUserDetails"""

    installs: list[OperatorToken]
    """The user's installs, the oldest first, revoked ones too; at most 500."""
    kept: list[KeptOfUser]
    """How much the user keeps, and how much the user may keep."""
    user: OperatorUser


class OperatorUserList(TypedDict):
    """OperatorUserList"""

    next: NotRequired[str]
    """Send it as after for the page behind; absent when there is none."""
    users: list[OperatorUser]
    """Of a hosted gateway all users, the oldest first; of a local one those who spent something today or have a budget of their own."""


OriginKind = Literal["builtin", "wasm", "client", "mcp"] | str


class Overlay(TypedDict):
    """Overlay"""

    annotation_count: int
    """Boxes drawn."""
    artifact_id: str
    content_type: str
    """Detected from the content."""
    expires_at: NotRequired[str]
    """Absent if it never expires."""
    image: ImageInfo
    """The original image."""
    sha256: str
    """Lower-case hex."""
    size_bytes: int
    url: str


class OverlayPoint(TypedDict):
    """OverlayPoint"""

    label: NotRequired[str]
    """Default: its number."""
    x: int
    y: int


class OverlayRegion(TypedDict):
    """OverlayRegion"""

    height: int
    label: NotRequired[str]
    """Default: its number, counted after the points."""
    width: int
    x: int
    y: int


class Permissions(TypedDict):
    """Permissions"""

    clock: NotRequired[bool]
    env: NotRequired[list[str]]
    fs: NotRequired[list[Mount]]
    http: NotRequired[list[Rule]]
    kv: NotRequired[Quota]
    random: NotRequired[bool]
    tools: NotRequired[list[str]]


class PlannedEvent(TypedDict):
    """PlannedEvent"""

    payload: JsonObject
    type: PlannedEventType


PlannedEventType = Literal["system-prompt", "user-message-full", "tool-schemas"] | str


class PlannedQuery(TypedDict):
    """PlannedQuery"""

    payload: WSQueryPayload
    type: Literal["query"]


class Plugin(TypedDict):
    """Plugin"""

    admission: NotRequired[JsonObject]
    """The report on the version in use: what it is, what it asks for, what it was granted, and its limits."""
    file: str
    """Where it is, in the folder of plugins."""
    name: str
    """What it is called; the group of its tools."""
    problem: NotRequired[str]
    """Why it is broken, or why a newer version of it is not used, and what to do."""
    state: PluginState
    """Whether its tools can be called."""
    tools: list[str]
    """The ids of its tools."""


class PluginList(TypedDict):
    """PluginList"""

    plugins: list[Plugin]
    """All plugins, by name."""


PluginState = Literal["ready", "starting", "disabled", "broken"] | str


class Point(TypedDict):
    """Point"""

    x: int
    y: int


class Prompt(TypedDict):
    """Prompt"""

    approvals: NotRequired[list[PromptApproval]]
    """Open approvals."""
    conversationId: NotRequired[str]
    createdAt: str
    endedAt: NotRequired[str]
    error: NotRequired[PromptError]
    id: str
    images: NotRequired[list[ImageSource]]
    input: str
    lastEventId: str
    """Cursor to resume the stream from."""
    output: list[PromptOutput]
    status: PromptStatus
    usage: NotRequired[PromptUsage]
    """Set when the prompt has ended."""


class PromptApproval(TypedDict):
    """PromptApproval"""

    answered: NotRequired[bool]
    """Closed: answered, expired, or the prompt ended. Sent again for late readers."""
    decisionId: str
    """Id of the decision in other protocols."""
    expiresAt: str
    """Without an answer, it is rejected at this time."""
    input: JsonObject
    promptId: str
    reason: str
    toolCallId: str
    toolName: str


class PromptApprovalEvent(TypedDict):
    """PromptApprovalEvent"""

    data: PromptApproval
    event: Literal["prompt.approval"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptApprove(TypedDict):
    """PromptApprove"""

    input: NotRequired[JsonObject]
    """Other arguments to call the tool with."""
    toolCallId: str
    """The call, as prompt.approval names it."""


class PromptCallDeniedResult(TypedDict):
    """PromptCallDeniedResult"""

    error: NotRequired[str]
    """Of error and denied: the reason."""
    type: Literal["denied"]


class PromptCallErrorResult(TypedDict):
    """PromptCallErrorResult"""

    error: NotRequired[str]
    """Of error and denied: the reason."""
    type: Literal["error"]


class PromptCallSuccessResult(TypedDict):
    """PromptCallSuccessResult"""

    output: NotRequired[JsonValue]
    """Of success: a JSON value, or else text."""
    type: Literal["success"]


class PromptCompleted(TypedDict):
    """PromptCompleted"""

    promptId: str
    usage: PromptUsage


class PromptCompletedEvent(TypedDict):
    """PromptCompletedEvent"""

    data: PromptCompleted
    event: Literal["prompt.completed"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptCreated(TypedDict):
    """PromptCreated"""

    conversationId: NotRequired[str]
    promptId: str
    """What the prompt is called in the other routes."""


class PromptCreatedEvent(TypedDict):
    """PromptCreatedEvent"""

    data: PromptCreated
    event: Literal["prompt.created"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptDecided(TypedDict):
    """PromptDecided"""

    approved: bool
    promptId: str
    toolCallId: str


class PromptDelta(TypedDict):
    """PromptDelta"""

    promptId: str
    restart: NotRequired[bool]
    """What came since the last prompt.output is void: the model is asked again."""
    text: str


class PromptDeltaEvent(TypedDict):
    """PromptDeltaEvent"""

    data: PromptDelta
    event: Literal["prompt.delta"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptError(TypedDict):
    """PromptError"""

    code: NotRequired[ErrorCode]
    message: str
    """Cause and fix, for people."""
    promptId: NotRequired[str]
    reason: NotRequired[PromptErrorReason]
    resets_at: NotRequired[str]
    """Of BUDGET_EXCEEDED: start of the next budget."""
    usage: NotRequired[PromptUsage]


class PromptErrorEvent(TypedDict):
    """PromptErrorEvent"""

    data: PromptError
    event: Literal["error"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


PromptErrorReason = Literal["canceled", "failed", "refused", "length", "rounds", "tokens", "time", "repeated", "revoked", "silent", "budget"] | str


class PromptFileOutput(TypedDict):
    """PromptFileOutput"""

    end: str
    id: str
    """Of a tool: call id. Of a file: artifact_id."""
    start: str
    type: Literal["file"]
    url: str
    """Of a file: path on the gateway."""


class PromptList(TypedDict):
    """PromptList"""

    next: NotRequired[str]
    """What to send as after for the next page; without it there is none."""
    prompts: list[PromptSummary]
    """The newest first."""


PromptListStatus = Literal["running", "waiting_for_approval", "completed", "failed", "canceled"] | str


class PromptMessage(TypedDict):
    """PromptMessage"""

    content: str
    """Its texts, one behind the other."""
    images: NotRequired[int]
    """How many images it has besides."""
    role: MessageRole
    thinking: NotRequired[str]
    """What a model thought, which its provider is sent back."""
    tool_calls: NotRequired[list[PromptToolCall]]
    tool_results: NotRequired[list[PromptToolResult]]


PromptModel = Literal["normal", "high"] | str


class PromptOutputEvent(TypedDict):
    """PromptOutputEvent"""

    data: PromptOutput
    event: Literal["prompt.output"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptPreview(TypedDict):
    """PromptPreview"""

    canonical_tool_schemas: list[FunctionSchema]
    config: ConfigSnapshot
    prompt_messages: list[PromptMessage]
    """All that the model is sent, after the system prompt."""
    prompt_token_count: int | None
    """An estimate: usually within 15 %, by OpenAI's count."""
    provider_tool_schemas: list[FunctionSchema]
    system_prompt: str
    token_count_error: str | None
    """Why there is no prompt_token_count."""
    token_count_source: Literal["estimated"]
    token_counts: TokenCounts
    """The same, by parts."""
    user_message_full: UserMessageFull | None


class PromptProgress(TypedDict):
    """PromptProgress"""

    message: str
    """How far it is, in a line for people. Empty if only output is new."""
    output: NotRequired[str]
    """The next piece of what the tool puts out."""
    promptId: str
    toolCallId: str


class PromptProgressEvent(TypedDict):
    """PromptProgressEvent"""

    data: PromptProgress
    event: Literal["prompt.progress"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PromptReject(TypedDict):
    """PromptReject"""

    reason: NotRequired[str]
    """Why, for the model."""
    toolCallId: str
    """The call, as prompt.approval names it."""


class PromptRepaired(TypedDict):
    """PromptRepaired"""

    message: str
    """The same, for people."""
    promptId: str
    reason: PromptRepairedReason


class PromptRepairedEvent(TypedDict):
    """PromptRepairedEvent"""

    data: PromptRepaired
    event: Literal["prompt.repaired"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


PromptRepairedReason = Literal["context_full", "refused", "broken_off", "empty", "malformed_calls", "repeated_calls"] | str


class PromptRequest(TypedDict):
    """PromptRequest"""

    agent_definition: NotRequired[WSAgentDefinition]
    """What the client's handshake says, which narrows the tools and brings others."""
    conversation_ref: NotRequired[str]
    """Whose history comes before the query, if there is such a conversation of the user's."""
    include_tools: NotRequired[bool]
    """false to leave the tools out; default true."""
    interaction_mode: NotRequired[InteractionMode]
    """In place of the user's."""
    messages: NotRequired[list[HistoryMessage]]
    """The conversation. A user's message at its end is the query; those before it stand in place of the conversation's own."""
    model_id: NotRequired[str]
    """In place of the user's model."""
    model_provider: NotRequired[str]
    """In place of the user's."""
    query_context: NotRequired[QueryContext]
    repo_instruction_messages: NotRequired[list[RepoInstruction]]
    screenshot_refs: NotRequired[list[str]]
    user_id: NotRequired[str]
    """Whose settings hold; that of the token, where there is one."""
    user_query_raw: NotRequired[str]
    """What the user says."""
    workspace_path: NotRequired[str]


class PromptStart(TypedDict):
    """PromptStart"""

    conversationId: NotRequired[str]
    """The conversation that this goes on with, as conversation.create made it; without it the prompt stands alone."""
    deltas: NotRequired[bool]
    """Also send the answer's text piece by piece, as prompt.delta."""
    images: NotRequired[list[ImageSource]]
    """What the user shows with it, as a screenshot: artifacts, or the images themselves, which the gateway keeps as artifacts. Tools take them by their artifact_id, which the model is told."""
    input: str
    """What the user says."""
    model: NotRequired[PromptModel]
    """Which of the two models answers that the operator chose."""


PromptStatus = Literal["running", "waiting_for_approval", "completed", "failed", "canceling", "canceled"] | str


class PromptSummary(TypedDict):
    """PromptSummary"""

    conversationId: NotRequired[str]
    createdAt: str
    endedAt: NotRequired[str]
    id: str
    """What to ask for the whole prompt by, and its events."""
    input: str
    """How what the user said begins."""
    status: PromptListStatus


class PromptTextOutput(TypedDict):
    """PromptTextOutput"""

    content: str
    """Of a text: the model's words."""
    cut: NotRequired[bool]
    """Of a text: incomplete, as the prompt still runs or ended early."""
    end: str
    start: str
    type: Literal["text"]


class PromptToolCall(TypedDict):
    """PromptToolCall"""

    arguments: JsonObject
    id: str
    name: str


class PromptToolOutput(TypedDict):
    """PromptToolOutput"""

    end: str
    function: str
    """Of a tool: tool id."""
    id: str
    """Of a tool: call id. Of a file: artifact_id."""
    input: NotRequired[JsonValue]
    """Of a tool: arguments."""
    result: NotRequired[PromptCallResult]
    """Of a tool."""
    start: str
    type: Literal["tool"]


class PromptToolResult(TypedDict):
    """PromptToolResult"""

    content: str
    images: NotRequired[int]
    is_error: NotRequired[bool]
    name: str
    tool_call_id: str


class PromptUsage(TypedDict):
    """PromptUsage"""

    cachedTokens: NotRequired[int]
    """Part of inputTokens that the provider cached."""
    inputTokens: int
    outputTokens: int
    """Includes reasoningTokens."""
    reasoningTokens: NotRequired[int]
    """Part of outputTokens."""
    totalTokens: int


class PromptWarning(TypedDict):
    """PromptWarning"""

    message: str
    promptId: str
    toolCallId: NotRequired[str]
    """The call that it came up in, if any."""


class PromptWarningEvent(TypedDict):
    """PromptWarningEvent"""

    data: PromptWarning
    event: Literal["prompt.warning"]
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class PruneRequest(TypedDict):
    """PruneRequest"""

    dry_run: NotRequired[bool]
    """Only counts."""
    older_than_hours: dict[str, int]
    """By kind, after how many hours since it was last used something is removed; from 1 to 878,400."""


class Pruned(TypedDict):
    """Pruned"""

    kinds: dict[str, int]
    """How much, by kind. What was marked to be kept is not among it."""
    removed: bool
    """And not only counted."""


class QueryContext(TypedDict):
    """QueryContext"""

    attachment_context: NotRequired[str]
    """The text of what the user attached."""
    episodic_memory: NotRequired[str]
    """What the client remembers of earlier conversations."""
    semantic_memory: NotRequired[str]
    """What the client knows of the user."""
    system_context: NotRequired[dict[str, str]]
    """What the user's machine is like, by names of lower case letters, digits and _."""


class QueryPlan(TypedDict):
    """QueryPlan"""

    canonical_tool_schemas: list[FunctionSchema]
    config: ConfigSnapshot
    prompt_messages: list[PromptMessage]
    """All that the model is sent, after the system prompt."""
    prompt_token_count: int | None
    """An estimate: usually within 15 %, by OpenAI's count."""
    provider_tool_schemas: list[FunctionSchema]
    query_message: PlannedQuery
    """What to send at /ws, with an id, for this to happen. Nothing sends it by itself."""
    system_prompt: str
    token_count_error: str | None
    """Why there is no prompt_token_count."""
    token_count_source: Literal["estimated"]
    token_counts: TokenCounts
    """The same, by parts."""
    transparency_events: list[PlannedEvent]
    """What comes back first, in order."""
    user_message_full: UserMessageFull | None


class Quota(TypedDict):
    """Quota"""

    bytes: int
    shared: NotRequired[bool]
    total_bytes: NotRequired[int]


class QuotaUsage(TypedDict):
    """QuotaUsage"""

    limit: int
    """How much a user may keep."""
    used: int
    """How much the user keeps, with what each thing takes besides its content."""
    what: str
    """What is full: artifacts, artifact_bytes, prompts, or memory_bytes."""


class Region(TypedDict):
    """Region"""

    height: int
    width: int
    x: int
    y: int


class RepoInstruction(TypedDict):
    """RepoInstruction"""

    content: str
    path: NotRequired[str]
    """The file that it stands in."""
    role: NotRequired[str]
    """Taken, and of no effect: instructions are told as the user's."""


class ResolutionError(TypedDict):
    """ResolutionError"""

    detail: Error
    status_code: int


class ResolverPayload(TypedDict):
    """ResolverPayload"""

    candidates: list[Target]
    """Best first: equal matches, or near misses."""
    query: str
    """Text or description."""
    threshold: NotRequired[float]
    """Lowest score of a text match."""
    unmet: NotRequired[list[str]]
    """Terms of the description that nothing meets."""


class Row(TypedDict):
    """Row"""

    bbox: Box
    candidate_id: NotRequired[str]
    """Stable id of a row for this image and these languages."""
    center: Point
    """Where to click."""
    confidence: float
    """Probability that the text is right."""
    distinction: NotRequired[Distinction]
    """AMBIGUOUS_MATCH only: how this candidate differs."""
    id: str
    """Place in reading order, from 0."""
    readable: NotRequired[bool]
    """false if languages lacks the script: then text is empty, and nothing matches it."""
    score: float | None
    """Match with the query; null without a query."""
    script: NotRequired[Script]
    """Of unreadable text. cjk is Chinese, Japanese or Korean."""
    text: str
    words: NotRequired[list[Word]]
    """Left to right."""


class RowChanged(TypedDict):
    """RowChanged"""

    after: Row
    before: Row


class RowChanges(TypedDict):
    """RowChanges"""

    appeared: list[Row]
    changed: list[RowChanged]
    more: int
    """Changes not listed."""
    vanished: list[Row]


class Rule(TypedDict):
    """Rule"""

    host: str
    methods: NotRequired[list[str]]
    path: NotRequired[str]
    private: NotRequired[bool]
    schemes: NotRequired[list[str]]
    secrets: NotRequired[list[Secret]]


class Rules(TypedDict):
    """Rules"""

    rules: list[WSPolicyRule]
    """All of them."""


class Run(TypedDict):
    """Run"""

    agent_id: str
    attempt: int
    """How many workers have had it."""
    control_mode: RunControlMode
    conversation_ref: str
    """The conversation that its worker has with the agent."""
    created_at: str
    ended_at: NotRequired[str]
    error: NotRequired[str]
    """Why it failed."""
    failed_calls: NotRequired[int]
    """How many calls of tools failed, where any did. A run is completed where its agent answered, whatever came of its calls."""
    files: list[RunFile]
    lease_epoch: int
    """Grows whenever it changes hands; reports of older epochs are refused."""
    metadata: JsonObject
    needs_human: bool
    """Whether it waits for a person to approve a call."""
    query: str
    requested_by: NotRequired[str]
    run_id: str
    session_id: NotRequired[str]
    status: RunStatus
    """How far it is: waiting for room in the workspace, awaiting a worker, queued at one, running, paused; completed, failed, stopped."""
    turn_ref: NotRequired[str]
    """The turn of its query, once the worker has sent that."""
    updated_at: str
    user_id: NotRequired[str]
    """The user as whom the worker talks to the agent."""
    vm_id: NotRequired[str]
    worker_id: NotRequired[str]
    """The worker that has it."""
    workspace_id: str


RunAction = Literal["pause", "resume", "stop", "set-control-mode"] | str


class RunAnswer(TypedDict):
    """RunAnswer"""

    events: list[RunEvent]
    run: Run


class RunCommand(TypedDict):
    """RunCommand"""

    action: RunAction
    command_id: str
    control_mode: NotRequired[str]
    issued_at: str
    lease_epoch: int
    requested_by: NotRequired[str]
    run_id: str


RunControlMode = Literal["agent_only", "shared_control", "human_override"] | str


class RunControlRequest(TypedDict):
    """RunControlRequest"""

    action: RunAction
    control_mode: NotRequired[RunControlMode]
    """Needed for set-control-mode."""
    requested_by: NotRequired[str]


class RunControlled(TypedDict):
    """RunControlled"""

    command: RunCommand | None
    """What its worker is told; null where none has it, or nothing changes."""
    run: Run


class RunDispatch(TypedDict):
    """RunDispatch"""

    conversation_ref: NotRequired[str]
    lease_epoch: NotRequired[int]
    """Of the lease that the worker has; absent: not compared."""
    turn_ref: str
    user_id: NotRequired[str]
    worker_id: str


class RunEvent(TypedDict):
    """RunEvent"""

    event_type: str
    """What happened: run-created, run-admitted, run-worker-assigned, worker-heartbeat, run-worker-lost, run-dispatched, run-control, run-control-applied, run-ended, or a type of message of /ws that the worker relays."""
    payload: JsonValue
    seq: int
    """Its number in the run, from 1."""
    source: str
    """Who says so: control-plane, worker, worker-stream."""
    timestamp: str


class RunEvents(TypedDict):
    """RunEvents"""

    events: list[RunEvent]
    next_after_seq: int
    """The after_seq of the next page, and of what happens next."""
    run_id: str


class RunFile(TypedDict):
    """RunFile"""

    artifact_id: str
    """The artifact's id. It must be one of requested_by's, where artifacts have owners."""
    content_type: NotRequired[str]
    """What it is."""
    filename: NotRequired[str]
    """What the worker may call it."""


class RunHeartbeat(TypedDict):
    """RunHeartbeat"""

    acknowledged_commands: NotRequired[list[str]]
    """The commands that it has; they are not sent again. Of a worker that leaves this out, those of the answer before are taken to have arrived."""
    metadata: NotRequired[JsonObject]
    """An object of at most 16 KiB, for people."""
    runs: NotRequired[list[RunLease]]
    """The runs that it works on; those that it has lost are named in the answer."""
    session_id: str
    """The worker's life: another one each time it is started."""
    status: str
    """ready and running workers without a run are given one; draining and all others are not."""
    user_id: NotRequired[str]
    """The user as whom it talks to the agent."""
    vm_id: NotRequired[str]
    worker_id: str
    """The worker, the same after it is started again."""
    workspace_id: str


class RunHeartbeatAnswer(TypedDict):
    """RunHeartbeatAnswer"""

    assigned_run: AssignedRun | None
    """The run that it is given, until it has dispatched it; null if there is none."""
    control_commands: list[RunCommand]
    lease_ms: int
    """How long it keeps its runs without another heartbeat, in milliseconds."""
    lost_run_ids: list[str]
    """Of the runs that it named those that are not its own any longer: it ends its work on them at once."""
    next_heartbeat_ms: int
    """When the next heartbeat should be sent, in milliseconds."""
    worker: RunWorker


class RunLease(TypedDict):
    """RunLease"""

    lease_epoch: int
    run_id: str


class RunList(TypedDict):
    """RunList"""

    next: NotRequired[str]
    """What the next page has as after; absent on the last."""
    runs: list[Run]


class RunRelay(TypedDict):
    """RunRelay"""

    event_type: str
    lease_epoch: NotRequired[int]
    """Of the lease that it has; absent: not compared."""
    payload: NotRequired[JsonValue]
    source: NotRequired[str]
    worker_id: NotRequired[str]
    """The worker that relays it; absent: not compared."""
    worker_seq: NotRequired[int]
    """Its number among what the worker relays under this lease: one that is not above the last is there already."""


class RunRelayed(TypedDict):
    """RunRelayed"""

    duplicate: bool
    run_id: str
    seq: int
    """Its number in the timeline; 0 if it was there already."""
    status: str
    """The run's."""


class RunRequest(TypedDict):
    """RunRequest"""

    agent_id: str
    """The agent that is meant; workers are told."""
    files: NotRequired[list[RunFile]]
    """Artifacts for the worker."""
    metadata: NotRequired[JsonObject]
    """An object of at most 16 KiB, which the worker is told."""
    query: str
    """What is to be done, in words."""
    queue: NotRequired[bool]
    """Wait where the workspace has as many runs as it may have, instead of being refused."""
    requested_by: NotRequired[str]
    """Who asks. The run is removed with this user."""
    workspace_id: str
    """The workspace whose workers may take it."""


class RunState(TypedDict):
    """RunState"""

    run: Run


RunStatus = Literal["waiting", "awaiting_worker", "queued", "running", "paused", "completed", "failed", "stopped"] | str


class RunStopAll(TypedDict):
    """RunStopAll"""

    requested_by: NotRequired[str]
    workspace_id: NotRequired[str]
    """Absent: all workspaces."""


class RunStreamEvent(TypedDict):
    """RunStreamEvent"""

    data: RunEvent
    event: str
    """The kind of event, which its data has too."""
    id: NotRequired[str]
    """The cursor behind the event, for Last-Event-ID."""


class RunWorker(TypedDict):
    """RunWorker"""

    last_heartbeat_at: str
    metadata: JsonObject
    session_id: str
    status: str
    user_id: str
    vm_id: str
    worker_id: str
    workspace_id: str


class RunWorkers(TypedDict):
    """RunWorkers"""

    workers: list[RunWorker]


class RunsStopped(TypedDict):
    """RunsStopped"""

    count: int
    stopped_run_ids: list[str]
    workspace_id: NotRequired[str]


class ScreenAtRequest(TypedDict):
    """ScreenAtRequest"""

    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    x: int
    y: int


class ScreenAtResponse(TypedDict):
    """ScreenAtResponse"""

    color: Color
    """Color of the pixel."""
    element: NotRequired[Element]
    """Smallest element at the point."""
    image: ImageInfo
    parents: list[Element]
    """Containers of the element, innermost first."""
    point: Point
    row: NotRequired[Row]
    """Row of text at the point."""
    word: NotRequired[Word]
    """Word at the point."""


class ScreenDiffRequest(TypedDict):
    """ScreenDiffRequest"""

    after: ImageSource
    before: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    """Maximum for each kind of change."""


class ScreenDiffResponse(TypedDict):
    """ScreenDiffResponse"""

    after: ImageInfo
    before: ImageInfo
    elements: ElementChanges
    """Without texts, which are in rows."""
    moves: list[Move]
    """Moved areas, for example by scrolling, largest first."""
    regions: list[Box]
    """Areas that changed without moving."""
    rows: RowChanges
    same: bool
    """Nothing changed, except a blinking caret or smoothing."""
    share: float
    """Part of the image that differs, moves included."""


class ScreenElementsRequest(TypedDict):
    """ScreenElementsRequest"""

    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    region: NotRequired[Region]
    """Only elements centered in this rectangle, which must overlap the image."""
    role: NotRequired[ElementRole]
    text: NotRequired[str]
    """Only elements with this in their label, in any case."""


class ScreenElementsResponse(TypedDict):
    """ScreenElementsResponse"""

    elements: list[Element]
    image: ImageInfo
    total: int
    """Elements that pass the filters, listed or not."""


ScreenPosition = Literal["top left", "top", "top right", "left", "center", "right", "bottom left", "bottom", "bottom right"] | str


Script = Literal["cjk", "right_to_left", "other"] | str


Secret = TypedDict("Secret", {"in": "str", "key": "NotRequired[str]", "name": "str"})


class SemanticHealth(TypedDict):
    """SemanticHealth"""

    message: str
    status: Literal["healthy"]


SemanticMethod = Literal["model", "rules"] | str


class SemanticSummarize(TypedDict):
    """SemanticSummarize"""

    conversations: list[str]
    """The conversations as text, of at most 32 KiB each; lines that begin with user: and assistant: say who speaks."""
    user_id: str
    """Whose they are; that of the token, where there is one. default_user is nobody."""


class SemanticSummary(TypedDict):
    """SemanticSummary"""

    facts: list[str]
    """Lasting facts about the user, one sentence each."""
    method: SemanticMethod
    """Who wrote it: a language model, or rules where the user has none; rules repeat sentences."""
    success: bool
    summary: str


class SemanticTitle(TypedDict):
    """SemanticTitle"""

    method: SemanticMethod
    """Who wrote it: a language model, or rules where the user has none."""
    success: bool
    title: str


class SemanticTitleRequest(TypedDict):
    """SemanticTitleRequest"""

    assistant_message: str
    """The answer to it, of at most 32 KiB."""
    model_id: NotRequired[str]
    """The model to ask, in place of the user's."""
    model_provider: NotRequired[str]
    """Its provider; model_id says which too."""
    user_id: str
    """Whose it is; that of the token, where there is one. default_user is nobody."""
    user_message: str
    """The user's first message, of at most 32 KiB."""


class ServiceState(TypedDict):
    """ServiceState"""

    available: bool
    provider: NotRequired[str]
    """What does the work."""
    reason: NotRequired[str]
    """Why it is not there, and what to do."""


class ServiceStates(TypedDict):
    """ServiceStates"""

    embeddings: ServiceState
    """Turns texts into vectors."""
    runs: ServiceState
    """Has workers carry out queries."""
    semantic: ServiceState
    """Makes summaries and titles."""
    speech: ServiceState
    """Speaks answers."""
    transcription: ServiceState
    """Makes text of speech."""


class Setting(TypedDict):
    """Setting"""

    doc: str
    """What it is for."""
    env: str
    """The variable of the environment."""
    key: str
    """What the file of settings calls it."""
    preset: str
    """What it is where nobody gives it."""
    secret: bool
    """Its value is never shown."""
    set: bool
    """It is given, and not empty."""
    source: SettingSource
    """Where it comes from."""
    value: str
    """What it is, as a flag takes it; empty for a secret."""


class SettingList(TypedDict):
    """SettingList"""

    settings: list[Setting]
    """All settings, in the order in which windie config prints them."""


SettingSource = Literal["default", "file", "environment", "flag"] | str


class SocketTicket(TypedDict):
    """SocketTicket"""

    expires_at: str
    """The same, as a time of the gateway's clock."""
    expires_in: int
    """Seconds until the ticket opens nothing any more."""
    path: str
    """The only path that the ticket is good for."""
    ticket: str
    """What to bring as the parameter ticket of the WebSocket's address. It opens one socket."""


class SocketTicketRequest(TypedDict):
    """SocketTicketRequest"""

    path: str
    """The path of the WebSocket, below the gateway's address and without a query."""


class Spent(TypedDict):
    """Spent"""

    limit: int
    """The budget of a day; 0: there is none."""
    reserved: int
    """What requests under way may come to."""
    used: int


class SystemPrompt(TypedDict):
    """SystemPrompt"""

    config: ConfigSnapshot
    system_prompt: str
    system_tokens: int
    """An estimate."""


class Target(TypedDict):
    """Target"""

    bbox: Box
    candidate_id: NotRequired[str]
    """Stable id of a row for this image and these languages."""
    center: Point
    """Where to click."""
    confidence: float
    """Probability that the text is right."""
    distinction: NotRequired[Distinction]
    """AMBIGUOUS_MATCH only: how this candidate differs."""
    element: NotRequired[Element]
    evidence: NotRequired[list[Evidence]]
    """How well it meets each term of the description."""
    hint: NotRequired[str]
    """Words to add to the description to choose this one."""
    id: str
    """Place in reading order, from 0."""
    readable: NotRequired[bool]
    """false if languages lacks the script: then text is empty, and nothing matches it."""
    score: float | None
    """Match with the query; null without a query."""
    script: NotRequired[Script]
    """Of unreadable text. cjk is Chinese, Japanese or Korean."""
    text: str
    words: NotRequired[list[Word]]
    """Left to right."""


Theme = Literal["light", "dark"] | str


class TokenCounts(TypedDict):
    """TokenCounts"""

    history: int
    """The messages before the query."""
    memory: int
    """What the client added to the query: memory, attachments, and what its machine is like."""
    query: int
    """The query itself, images included."""
    repo_instructions: int
    system: int
    tools: int


class Tool(TypedDict):
    """Tool"""

    description: str
    """What the tool does."""
    id: str
    """The tool's name, as group.verb."""
    input: JsonSchema
    """JSON Schema of the arguments."""
    origin: ToolOrigin
    """Who brought the tool."""
    output: NotRequired[JsonSchema]
    """JSON Schema of the result; absent when the tool promises nothing."""
    risk: MCPServerToolRisk
    """What a call may do. An agent asks a human before it calls a risky tool; a forbidden one is never called."""
    starting: NotRequired[bool]
    """Whether the tool is still being made ready; calls get TOOL_STARTING until then."""
    tag: NotRequired[str]
    """The heading that the tool is listed under."""


class ToolCapabilities(TypedDict):
    """ToolCapabilities"""

    canonical_tool_schema: FunctionSchema | None
    capability: ToolCapability
    provider_tool_schema: FunctionSchema | None
    """Null for a tool that is not offered."""
    tool_name: str


class ToolCapability(TypedDict):
    """ToolCapability"""

    approval: ToolCapabilityApproval
    """What becomes of a call before the model has read text of others."""
    execution_target: ToolCapabilityExecutionTarget
    """Where it runs: in the gateway, or at the client."""
    id: NotRequired[str]
    """What the tool is called by over HTTP; absent for one that runs at the client."""
    name: str
    offered: bool
    """Whether a model is offered it."""
    risk: MCPServerToolRisk


ToolCapabilityApproval = Literal["allow", "ask", "deny"] | str


ToolCapabilityExecutionTarget = Literal["backend", "local_runtime"] | str


class ToolImageContent(TypedDict):
    """ToolImageContent"""

    data: NotRequired[str]
    """Of an image: the file, as base64."""
    mimeType: NotRequired[str]
    """Of an image."""
    type: Literal["image"]


class ToolJsonContent(TypedDict):
    """ToolJsonContent"""

    json: NotRequired[JsonValue]
    """Of json: the value."""
    type: Literal["json"]


class ToolList(TypedDict):
    """ToolList"""

    tools: list[Tool]
    """The tools, by id."""


class ToolOrigin(TypedDict):
    """ToolOrigin"""

    kind: OriginKind
    """How the tool came here: with the gateway, as a sandboxed plugin, from a client, or from an MCP server."""
    owner: NotRequired[str]
    """The plugin, client or server; absent for builtin."""


class ToolResult(TypedDict):
    """ToolResult"""

    _meta: NotRequired[JsonValue]
    """What a plugin or an MCP server says beside its answer: an object, as _meta of the Model Context Protocol."""
    content: NotRequired[list[ToolContent]]
    """What the tool shows a model besides its structured output."""
    result: JsonValue
    """The tool's structured output, as its output schema has it. Of a tool that gives none, an object whose content field is what the tool answered."""
    usage: NotRequired[ToolUsage]
    """What the call took, where the tool runs in a sandbox that measures it."""


class ToolSchemaLists(TypedDict):
    """ToolSchemaLists"""

    canonical_tool_schemas: list[FunctionSchema]
    """All tools that there are, before policy and settings take any away."""
    config: ConfigSnapshot
    provider_tool_schemas: list[FunctionSchema]
    """The tools that a model is offered, as it is told of them."""
    tool_tokens: int
    """What the offered ones cost in each request, in tokens: an estimate."""


class ToolTextContent(TypedDict):
    """ToolTextContent"""

    text: NotRequired[str]
    """Of a text."""
    type: Literal["text"]


class ToolUsage(TypedDict):
    """ToolUsage"""

    egress_bytes: int
    """Bytes sent to the network."""
    fuel: int
    """Instructions executed, by the sandbox's own count."""
    host_calls: int
    """Calls from the sandbox into the gateway."""
    peak_memory_bytes: int
    wall_ms: int
    """Milliseconds from the call to its return."""


class Unreadable(TypedDict):
    """Unreadable"""

    advice: str
    """How to read them."""
    rows: int
    """Number of rows."""
    script: Script


class Usage(TypedDict):
    """Usage"""

    currency: NotRequired[str]
    """The code of that currency, where the catalogue of models says it."""
    day: str
    """The day, in UTC."""
    input_tokens: int
    """Tokens of the requests."""
    money_micros: Spent
    """What they cost, and the budget, in millionths of the currency that the gateway's prices are in."""
    output_tokens: int
    """Tokens of the answers."""
    requests: int
    """Requests to models, those of vision and of the search by meaning too."""
    resets_at: str
    """When the next day begins, with the whole budget."""
    tokens: Spent
    """All tokens, and their budget."""
    unpriced_requests: int
    """Of these, those to models without a price, which cost nothing here."""
    user_id: str
    """Whose it is."""


class UserMessageFull(TypedDict):
    """UserMessageFull"""

    content: str
    """The user's message as the model reads it."""
    metadata: UserMessageMetadata


class UserMessageMetadata(TypedDict):
    """UserMessageMetadata"""

    active_window: NotRequired[str]
    context_type: Literal["initial"]
    """Told once a turn, before the model is first asked."""
    has_memory: bool
    has_screenshot: bool
    injected_context: str
    """What stands before it."""
    original_query: str
    """What the user said."""


class V1Accepted(TypedDict):
    """V1Accepted"""

    accepted: bool


class V1Answer(TypedDict):
    """V1Answer"""

    assistant: V1Message


class V1CancelRequest(TypedDict):
    """V1CancelRequest"""

    general_session_id: str


class V1Canceled(TypedDict):
    """V1Canceled"""

    accepted: bool
    canceled: bool
    """The last message's turn is canceled. Without: it had an end of its own before, or nothing was said yet."""


class V1Chat(TypedDict):
    """V1Chat"""

    general_session_id: str
    message: V1Message
    mode: NotRequired[Literal["general"]]
    stream: NotRequired[bool]
    """Answer with events while it happens; without it, with the last words once all is done."""


class V1Error(TypedDict):
    """V1Error"""

    code: NotRequired[ErrorCode]
    message: str
    reason: NotRequired[str]
    resets_at: NotRequired[str]


class V1ImagePart(TypedDict):
    """V1ImagePart"""

    artifact_id: NotRequired[str]
    """Of an image: what its upload answered."""
    image_base64: NotRequired[str]
    """Of an image, in place of artifact_id: the file itself, as base64 or a data URI. The gateway keeps it as an artifact."""
    type: Literal["image"]


class V1MemoryChange(TypedDict):
    """V1MemoryChange"""

    by: V1MemoryChangeBy
    """Whether a person made it at the console, or a client."""
    changed_at: str
    line_start: int
    """The first of the lines, as they were then."""
    text: str
    """What it has said from then on. Putting was in its place takes the change back."""
    was: str
    """What the file said there before."""


V1MemoryChangeBy = Literal["console", "client"] | str


class V1MemoryEdit(TypedDict):
    """V1MemoryEdit"""

    line_start: NotRequired[int]
    """Where the lines begin, from 1."""
    path: str
    """The file, as the list has it."""
    text: str
    """What takes their place; at most 65,536 bytes."""
    was: str
    """The lines as they were read, with their ends; at most 65,536 bytes."""


class V1MemoryFile(TypedDict):
    """V1MemoryFile"""

    kind: MemoryKind
    modified_at: str
    path: str
    size_bytes: int


class V1MemoryFiles(TypedDict):
    """V1MemoryFiles"""

    files: list[V1MemoryFile]
    """By path."""


class V1MemoryHistory(TypedDict):
    """V1MemoryHistory"""

    changes: list[V1MemoryChange]
    """The newest first."""


class V1MemoryPassage(TypedDict):
    """V1MemoryPassage"""

    line_end: int
    line_start: int
    lines: int
    """How many the file has."""
    path: str
    text: str
    truncated: NotRequired[bool]
    """There is more after line_end."""


class V1MemoryResult(TypedDict):
    """V1MemoryResult"""

    excerpt: str
    """What stands there."""
    kind: MemoryKind
    line_end: int
    """Its last line."""
    line_start: int
    """Its first line, from 1."""
    path: str
    score: float
    """Higher is better, among these results."""


class V1MemoryResults(TypedDict):
    """V1MemoryResults"""

    fallback: NotRequired[Fallback]
    """Why it was searched by words alone, where it is searched by meaning otherwise."""
    results: list[V1MemoryResult]
    """The passages that were found, the best first."""


class V1MemoryWrite(TypedDict):
    """V1MemoryWrite"""

    content: str
    """What to remember, in Markdown, at most 65,536 bytes."""
    general_session_id: NotRequired[str]
    """The session in which it is remembered, if any: the entry names it, and it hears of a warning."""
    target: MemoryTarget
    """long_term for what stays true, daily for what happened."""


class V1MemoryWritten(TypedDict):
    """V1MemoryWritten"""

    path: str
    """The file that it is in now."""
    warning: NotRequired[str]
    """What should be tidied up, if anything."""


class V1Message(TypedDict):
    """V1Message"""

    id: NotRequired[str | None]
    """A name of the client's for the message, which no other message of the session has: one of the same name is the same message, and gets its answer."""
    parts: list[V1Part]


class V1Progress(TypedDict):
    """V1Progress"""

    message: str
    """How far it is, in a line for people. Empty if only output is new."""
    output: NotRequired[str]
    """The next piece of what the tool puts out."""
    tool_call_id: str


class V1Session(TypedDict):
    """V1Session"""

    general_session_id: str
    resumed: NotRequired[bool]
    """It was there already."""
    tools: NotRequired[WSManifestResult]
    """Which of the client's tools were taken."""


class V1SessionList(TypedDict):
    """V1SessionList"""

    next: NotRequired[str]
    """What to send as after for the next page; without it there is none."""
    sessions: list[V1SessionSummary]
    """In the order of their ids."""


class V1SessionRequest(TypedDict):
    """V1SessionRequest"""

    jarvis_session_id: NotRequired[str | None]
    """What the client calls the conversation. It is not kept."""
    preferred_session_id: NotRequired[str | None]
    """A session to go on with, if it is there."""
    tools: NotRequired[WSClientManifest]
    """The tools that the client runs, as the client_manifest of a WebSocket's handshake; without it, those of a desktop."""


class V1SessionSummary(TypedDict):
    """V1SessionSummary"""

    general_session_id: str
    used_at: str
    """When something last happened in it."""


class V1Text(TypedDict):
    """V1Text"""

    repair: NotRequired[str]
    """Beside restart: the model is asked again with a shortened conversation, and why, as context_full."""
    restart: NotRequired[bool]
    """Of a delta: what came before it is void, as the model is asked again."""
    text: str


class V1TextPart(TypedDict):
    """V1TextPart"""

    text: NotRequired[str]
    """Of a text."""
    type: Literal["text"]


class V1ToolAck(TypedDict):
    """V1ToolAck"""

    id: str


class V1ToolCall(TypedDict):
    """V1ToolCall"""

    answered: NotRequired[bool]
    """Nothing waits for it any longer: it was answered, its time is up, or its turn has ended. It is told again for who missed it, and is not to be run."""
    approval: NotRequired[bool]
    """The gateway itself runs it: ok means that it may."""
    arguments: JsonObject
    id: str
    name: str
    reason: str
    risk: CallRisk


class V1ToolResult(TypedDict):
    """V1ToolResult"""

    error: NotRequired[str]
    """Likewise."""
    id: str
    name: NotRequired[str]
    ok: bool
    result: NotRequired[str | None]
    """However long it is: the agent is shown the beginning and the end of what is longer than the deployment has it."""
    screenshot: NotRequired[str | None]
    """In place of screenshot_ref: the image itself, as base64 or a data URI. The gateway keeps it as an artifact."""
    screenshot_ref: NotRequired[str | None]
    """The artifact that shows the screen behind the tool, as its upload answered. What the model says next is found on the latest one."""


class V1ToolResultRequest(TypedDict):
    """V1ToolResultRequest"""

    general_session_id: str
    tool_result: V1ToolResult


class V1Warning(TypedDict):
    """V1Warning"""

    message: str
    tool_call_id: NotRequired[str]
    """The call that it came up in, if any."""


class VisionDescribeRequest(TypedDict):
    """VisionDescribeRequest"""

    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    region: NotRequired[Region]
    """Describe only this part. Its corner must be on the image; beyond the image it is trimmed."""


class VisionDescribeResponse(TypedDict):
    """VisionDescribeResponse"""

    colors: list[DescribedColor]
    """Background colors, largest first."""
    controls: list[Control]
    """Elements to click or type into, in reading order."""
    cropped_from: NotRequired[Box]
    """The trimmed region on the whole image."""
    description: str
    """Summary by the vision model, or made from the lists."""
    fallback: NotRequired[Fallback]
    """Why the vision model's answer was not used."""
    headings: list[DescribedLine]
    image: ImageInfo
    """With a region, width and height of the part."""
    more: DescribedMore
    """Items not in the lists."""
    provider: str
    """offline, or the vision model's name."""
    region: NotRequired[Box]
    """The whole part: 0, 0, width, height."""
    regions: list[DescribedPart]
    """Parts of the screen, containers first."""
    text: list[DescribedLine]
    """All text, in reading order."""
    theme: NotRequired[Theme]


class VisionLocateAllRequest(TypedDict):
    """VisionLocateAllRequest"""

    description: str
    """The target in words: its kind, text, color, state and place. At most 1000 bytes."""
    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    max_results: NotRequired[int]
    region: NotRequired[Region]
    """Search only this part. Its corner must be on the image; beyond the image it is trimmed. Results keep coordinates of the whole image."""


class VisionLocateAllResponse(TypedDict):
    """VisionLocateAllResponse"""

    description: str
    fallback: NotRequired[Fallback]
    """Why the vision model's answer was not used."""
    image: ImageInfo
    matches: list[Target]
    nearest: NotRequired[Target]
    """Without a match: the best near miss."""
    provider: str
    """offline, or the vision model's name."""
    unmet: NotRequired[list[str]]
    """Without a match: terms that nearest does not meet."""


class VisionLocateRequest(TypedDict):
    """VisionLocateRequest"""

    description: str
    """The target in words: its kind, text, color, state and place. At most 1000 bytes."""
    image: ImageSource
    languages: NotRequired[str]
    """Languages of the text, by Tesseract name (default: the server's)."""
    region: NotRequired[Region]
    """Search only this part. Its corner must be on the image; beyond the image it is trimmed. Results keep coordinates of the whole image."""


class VisionLocateResponse(TypedDict):
    """VisionLocateResponse"""

    description: str
    fallback: NotRequired[Fallback]
    """Why the vision model's answer was not used."""
    image: ImageInfo
    match: Target
    point: Point
    """Where to click."""
    provider: str
    """offline, or the vision model's name."""


class VisionOverlayRequest(TypedDict):
    """VisionOverlayRequest"""

    image: ImageSource
    points: NotRequired[list[OverlayPoint]]
    """Must lie on the image."""
    regions: NotRequired[list[OverlayRegion]]
    """Must lie on the image."""
    show_labels: NotRequired[bool]


class WSAcceptedTool(TypedDict):
    """WSAcceptedTool"""

    description: str
    execution_target: str
    name: str


class WSAgentDefinition(TypedDict):
    """WSAgentDefinition"""

    approvals: NotRequired[str]
    runtime: NotRequired[WSAgentRuntime]
    tools: NotRequired[WSAgentTools]
    version: int


class WSAgentRuntime(TypedDict):
    """WSAgentRuntime"""

    coordinate_methods: NotRequired[list[str]]
    operating_system: NotRequired[str]


class WSAgentTools(TypedDict):
    """WSAgentTools"""

    available_tools: NotRequired[list[str]]
    client_manifest: NotRequired[WSClientManifest]
    disabled_capabilities: NotRequired[list[str]]
    disabled_tools: NotRequired[list[str]]
    mode: NotRequired[str]


class WSApprovalDecisionMessage(TypedDict):
    """WSApprovalDecisionMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSApprovalDecisionPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["approval-decision"]


class WSApprovalDecisionPayload(TypedDict):
    """WSApprovalDecisionPayload"""

    approved: bool
    parameters: NotRequired[JsonObject]
    """Other arguments to call the tool with."""
    reason: NotRequired[str]
    """Why not, for the model."""
    request_id: str
    """As the approval-request has it."""


class WSApprovalRequestMessage(TypedDict):
    """WSApprovalRequestMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSApprovalRequestPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["approval-request"]


class WSApprovalRequestPayload(TypedDict):
    """WSApprovalRequestPayload"""

    answered: NotRequired[bool]
    expires_at: str
    metadata: WSToolCallMetadata
    parameters: JsonObject
    reason: str
    request_id: str
    tool_name: str


class WSAssistantMessage(TypedDict):
    """WSAssistantMessage"""

    content: str
    cut: NotRequired[bool]


class WSAssistantMessageFullMessage(TypedDict):
    """WSAssistantMessageFullMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSAssistantMessage
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["assistant-message-full"]


class WSAudioChunkMessage(TypedDict):
    """WSAudioChunkMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSAudioPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["audio-chunk"]


class WSAudioPayload(TypedDict):
    """WSAudioPayload"""

    audio: str
    sample_rate: int


class WSBundleTool(TypedDict):
    """WSBundleTool"""

    args: JsonObject
    name: str
    reason: NotRequired[str]
    risk: NotRequired[str]


class WSCancelMessage(TypedDict):
    """WSCancelMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSCancelPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["cancel"]


class WSCancelPayload(TypedDict):
    """WSCancelPayload"""

    conversation_ref: str
    query_id: NotRequired[str]
    """The id of a query: nothing but its turn is ended, and one that still waits begins none. Without it the open turn is ended, whichever it is."""


class WSClientManifest(TypedDict):
    """WSClientManifest"""

    tools: list[WSClientTool]
    version: int


class WSClientTool(TypedDict):
    """WSClientTool"""

    argument_resolution: NotRequired[str]
    description: NotRequired[str]
    execution_target: NotRequired[str]
    name: str
    risk: NotRequired[str]
    schema: JsonSchema


class WSClientToolManifestMessage(TypedDict):
    """WSClientToolManifestMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSManifestResult
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["client-tool-manifest"]


class WSCompletePayload(TypedDict):
    """WSCompletePayload"""

    final_response: NotRequired[str]


class WSContentPayload(TypedDict):
    """WSContentPayload"""

    content: str


class WSErrorMessage(TypedDict):
    """WSErrorMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSErrorPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["error"]


class WSErrorPayload(TypedDict):
    """WSErrorPayload"""

    code: NotRequired[ErrorCode]
    conversation_ref: NotRequired[str]
    details: NotRequired[ErrorDetails]
    in_reply_to: NotRequired[str]
    message: str
    reason: NotRequired[str]


class WSGreetingPayload(TypedDict):
    """WSGreetingPayload"""

    text: str


class WSHandshake(TypedDict):
    """WSHandshake"""

    agent_definition: NotRequired[WSAgentDefinition]
    type: Literal["handshake"]
    user_id: str


class WSListModelsMessage(TypedDict):
    """WSListModelsMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSNothing
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["list-models"]


class WSLlmThoughtMessage(TypedDict):
    """WSLlmThoughtMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSThoughtPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["llm-thought"]


class WSLoadSettingsMessage(TypedDict):
    """WSLoadSettingsMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSNothing
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["load-settings"]


class WSManifestResult(TypedDict):
    """WSManifestResult"""

    accepted: list[WSAcceptedTool]
    rejected: list[WSRejectedTool]


class WSModelsListedMessage(TypedDict):
    """WSModelsListedMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: ModelList
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["models-listed"]


WSNothing = dict[str, Any]


class WSPolicyRule(TypedDict):
    """WSPolicyRule"""

    reason: NotRequired[str]
    """For the user."""
    risk: NotRequired[str]
    """The rule is about tools of that risk alone: safe or risky; absent: about all."""
    tool: str
    """A tool's name, or a pattern as shell_*."""
    verdict: str
    """What is done with the call: allow, ask or deny."""


class WSProviderKey(TypedDict):
    """WSProviderKey"""

    api_key: str
    enabled: bool


class WSQueryMessage(TypedDict):
    """WSQueryMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSQueryPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["query"]


class WSQueryPayload(TypedDict):
    """WSQueryPayload"""

    content: NotRequired[str]
    conversation_ref: str
    on_busy: NotRequired[str]
    query_context: NotRequired[QueryContext]
    repo_instruction_messages: NotRequired[list[RepoInstruction]]
    screenshot_ref: NotRequired[str]
    screenshot_refs: NotRequired[list[str]]
    system_state_internal: NotRequired[JsonObject]
    text: str
    workspace_path: NotRequired[str]


class WSRehydrateConversationMessage(TypedDict):
    """WSRehydrateConversationMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSRehydratePayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["rehydrate-conversation"]


class WSRehydratePayload(TypedDict):
    """WSRehydratePayload"""

    conversation_ref: str
    messages: list[HistoryMessage]
    rehydrate_mode: NotRequired[str]
    repo_instruction_messages: NotRequired[list[RepoInstruction]]
    workspace_path: NotRequired[str]


class WSRejectedTool(TypedDict):
    """WSRejectedTool"""

    name: str
    reason: str


class WSResumeMessage(TypedDict):
    """WSResumeMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSResumePayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["resume"]


class WSResumePayload(TypedDict):
    """WSResumePayload"""

    conversation_ref: str
    seq: int
    """The seq of the last message that the client has; 0 is the beginning."""


class WSResyncMessage(TypedDict):
    """WSResyncMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSResyncPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["resync"]


class WSResyncPayload(TypedDict):
    """WSResyncPayload"""

    seq: int
    """What came up to here is not kept any longer."""


class WSSettings(TypedDict):
    """WSSettings"""

    browser_automation_enabled: bool
    include_query_screenshot: bool
    interaction_mode: str
    model_mode: str
    model_provider: str
    policy: NotRequired[list[WSPolicyRule]]
    provider_api_keys: dict[str, WSProviderKey]
    selected_model_id: str
    speech_mode_enabled: bool
    wakeword_enabled: bool
    wakeword_stt_enabled: bool


class WSSettingsChange(TypedDict):
    """WSSettingsChange"""

    browser_automation_enabled: NotRequired[bool]
    include_query_screenshot: NotRequired[bool]
    interaction_mode: NotRequired[InteractionMode]
    model_mode: NotRequired[WSSettingsChangeModelMode]
    model_provider: NotRequired[str]
    policy: NotRequired[list[WSPolicyRule]]
    """Takes the place of the list before; absent, that stays."""
    provider_api_keys: NotRequired[dict[str, WSProviderKey]]
    selected_model_id: NotRequired[str]
    speech_mode_enabled: NotRequired[bool]
    wakeword_enabled: NotRequired[bool]
    wakeword_stt_enabled: NotRequired[bool]


WSSettingsChangeModelMode = Literal["online", "local"] | str


class WSSettingsLoadedMessage(TypedDict):
    """WSSettingsLoadedMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSSettingsLoadedPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["settings-loaded"]


class WSSettingsLoadedPayload(TypedDict):
    """WSSettingsLoadedPayload"""

    config: WSSettings


class WSSettingsUpdatedMessage(TypedDict):
    """WSSettingsUpdatedMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSSettingsUpdatedPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["settings-updated"]


class WSSettingsUpdatedPayload(TypedDict):
    """WSSettingsUpdatedPayload"""

    updated_keys: list[str]


class WSStepResult(TypedDict):
    """WSStepResult"""

    error: NotRequired[str]
    output: NotRequired[JsonValue]
    """Text, or anything."""
    status: WSStepResultStatus
    tool: str


WSStepResultStatus = Literal["ok", "error"] | str


class WSStreamingCompleteMessage(TypedDict):
    """WSStreamingCompleteMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSCompletePayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["streaming-complete"]


class WSStreamingResponseMessage(TypedDict):
    """WSStreamingResponseMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSTextPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["streaming-response"]


class WSSystemPromptMessage(TypedDict):
    """WSSystemPromptMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSContentPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["system-prompt"]


class WSTextPayload(TypedDict):
    """WSTextPayload"""

    notice: NotRequired[bool]
    text: str


class WSThoughtPayload(TypedDict):
    """WSThoughtPayload"""

    repair: NotRequired[str]
    restart: NotRequired[bool]
    status: str


class WSTokenCountMessage(TypedDict):
    """WSTokenCountMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSTokenCountPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["token-count"]


class WSTokenCountPayload(TypedDict):
    """WSTokenCountPayload"""

    conversation_tokens: int
    output_tokens_total: int
    prompt_tokens: int
    thinking_tokens: int | None
    total_tokens: int
    usage_source: str
    visible_output_tokens: int


class WSToolBundleMessage(TypedDict):
    """WSToolBundleMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolBundlePayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-bundle"]


class WSToolBundlePayload(TypedDict):
    """WSToolBundlePayload"""

    answered: NotRequired[bool]
    bundle_id: str
    tools: list[WSBundleTool]


class WSToolBundleResultMessage(TypedDict):
    """WSToolBundleResultMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolBundleResultPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-bundle-result"]


class WSToolBundleResultPayload(TypedDict):
    """WSToolBundleResultPayload"""

    bundle_id: str
    """As the tool-bundle has it."""
    error: NotRequired[str]
    screenshot: NotRequired[str]
    """In place of screenshot_ref: the image, as base64 or a data URL."""
    screenshot_ref: NotRequired[str]
    """The artifact that shows the screen."""
    status: WSToolBundleResultPayloadStatus
    step_results: NotRequired[list[WSStepResult]]
    """Of the steps that the client came to, in their order; left out where it came to none."""
    system_state: NotRequired[JsonValue]
    """What the machine is like, as active_window and mouse_position."""


WSToolBundleResultPayloadStatus = Literal["success", "partial_failure", "failure"] | str


class WSToolCallMessage(TypedDict):
    """WSToolCallMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolCallPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-call"]


class WSToolCallMetadata(TypedDict):
    """WSToolCallMetadata"""

    tool_call_id: str


class WSToolCallPayload(TypedDict):
    """WSToolCallPayload"""

    answered: NotRequired[bool]
    metadata: WSToolCallMetadata
    parameters: JsonObject
    reason: NotRequired[str]
    request_id: str
    risk: NotRequired[str]
    tool_name: str


class WSToolData(TypedDict):
    """WSToolData"""

    output: NotRequired[JsonValue]
    """Text, or anything."""
    screenshot: NotRequired[str]
    """In place of screenshot_ref: the image, as base64 or a data URL."""
    screenshot_ref: NotRequired[str]
    """The artifact that shows the screen."""
    system_state: NotRequired[JsonValue]
    """What the machine is like, as active_window and mouse_position."""


class WSToolFunction(TypedDict):
    """WSToolFunction"""

    description: str
    name: str
    parameters: JsonSchema


class WSToolOutputMessage(TypedDict):
    """WSToolOutputMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolOutputPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-output"]


class WSToolOutputPayload(TypedDict):
    """WSToolOutputPayload"""

    error: str | None
    execution_time: float
    metadata: NotRequired[dict[str, Any]]
    output: str
    screenshot_ref: NotRequired[str]
    success: bool
    tool_name: str


class WSToolProgressMessage(TypedDict):
    """WSToolProgressMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolProgressPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-progress"]


class WSToolProgressPayload(TypedDict):
    """WSToolProgressPayload"""

    message: str
    output: NotRequired[str]
    tool_call_id: str


class WSToolResultMessage(TypedDict):
    """WSToolResultMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolResultPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-result"]


class WSToolResultPayload(TypedDict):
    """WSToolResultPayload"""

    data: NotRequired[WSToolData]
    error: NotRequired[str]
    """Why it did not."""
    request_id: str
    """As the tool-call has it."""
    success: bool
    """Whether the tool did what it should."""


class WSToolSchema(TypedDict):
    """WSToolSchema"""

    function: WSToolFunction
    type: str


class WSToolSchemasMessage(TypedDict):
    """WSToolSchemasMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSToolSchemasPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["tool-schemas"]


class WSToolSchemasPayload(TypedDict):
    """WSToolSchemasPayload"""

    tool_schemas: list[WSToolSchema]


class WSUpdateSettingsMessage(TypedDict):
    """WSUpdateSettingsMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSSettingsChange
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["update-settings"]


class WSUserMessageFullMessage(TypedDict):
    """WSUserMessageFullMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: UserMessageFull
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["user-message-full"]


class WSWakewordActivatedMessage(TypedDict):
    """WSWakewordActivatedMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSWakewordPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["wakeword-activated"]


class WSWakewordDetectedMessage(TypedDict):
    """WSWakewordDetectedMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSNothing
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["wakeword-detected"]


class WSWakewordGreetingMessage(TypedDict):
    """WSWakewordGreetingMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSGreetingPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["wakeword-greeting"]


class WSWakewordPayload(TypedDict):
    """WSWakewordPayload"""

    greeting: str
    speech_mode_enabled: bool
    status: str


class WSWarningMessage(TypedDict):
    """WSWarningMessage"""

    conversation_ref: NotRequired[str]
    """The conversation that it belongs to."""
    id: str
    in_reply_to: NotRequired[str]
    """The id of the message that this one answers."""
    payload: WSWarningPayload
    query_ref: NotRequired[str]
    """The id of the query that began the turn, where that is known."""
    seq: NotRequired[int]
    """For resume: all up to here has been sent."""
    timestamp: NotRequired[str]
    """When it was sent, in RFC 3339. Of a client it is ignored."""
    turn_ref: NotRequired[str]
    """The turn that it belongs to."""
    type: Literal["warning"]


class WSWarningPayload(TypedDict):
    """WSWarningPayload"""

    message: str
    tool_call_id: NotRequired[str]


class Word(TypedDict):
    """Word"""

    bbox: Box
    confidence: float
    text: str

GeneralEvent = GeneralAssistantDeltaEvent | GeneralAssistantFinalEvent | GeneralErrorEvent | GeneralResyncEvent | GeneralToolProgressEvent | GeneralToolRequestEvent | GeneralToolResultEvent | GeneralToolResultAckEvent | GeneralWarningEvent
PromptCallResult = PromptCallDeniedResult | PromptCallErrorResult | PromptCallSuccessResult
PromptEvent = PromptErrorEvent | PromptApprovalEvent | PromptCompletedEvent | PromptCreatedEvent | PromptDeltaEvent | PromptOutputEvent | PromptProgressEvent | PromptRepairedEvent | PromptWarningEvent
PromptOutput = PromptFileOutput | PromptTextOutput | PromptToolOutput
ToolContent = ToolImageContent | ToolJsonContent | ToolTextContent
V1Part = V1ImagePart | V1TextPart
WSClientMessage = WSApprovalDecisionMessage | WSCancelMessage | WSHandshake | WSListModelsMessage | WSLoadSettingsMessage | WSQueryMessage | WSRehydrateConversationMessage | WSResumeMessage | WSToolBundleResultMessage | WSToolResultMessage | WSUpdateSettingsMessage | WSWakewordDetectedMessage
WSServerMessage = WSApprovalRequestMessage | WSAssistantMessageFullMessage | WSAudioChunkMessage | WSClientToolManifestMessage | WSErrorMessage | WSLlmThoughtMessage | WSModelsListedMessage | WSResyncMessage | WSSettingsLoadedMessage | WSSettingsUpdatedMessage | WSStreamingCompleteMessage | WSStreamingResponseMessage | WSSystemPromptMessage | WSTokenCountMessage | WSToolBundleMessage | WSToolCallMessage | WSToolOutputMessage | WSToolProgressMessage | WSToolSchemasMessage | WSUserMessageFullMessage | WSWakewordActivatedMessage | WSWakewordGreetingMessage | WSWarningMessage
