package metrics

import (
	"context"
	"database/sql"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/wasmtools"
)

// Label values for requests and calls without a name. All other values come from routes, codes and kinds,
// whose number is limited. Text that a caller sends never becomes a label.
const (
	NoRoute  = "none" // label of a request whose path has no route
	noOrigin = "none" // the tool does not exist
	CodeOK   = "OK"   // label of a request or call that has not failed
)

// Metrics are the metrics of a server. They are in a Prometheus registry of their own.
type Metrics struct {
	Registry *prometheus.Registry
	routes   map[string]bool // paths of all routes in Fiber's form; complete before the first request
	series   sync.Map        // request series: seriesKey to *series
	ofCalls  sync.Map        // tool call series: callKey to *callSeries

	requests       *prometheus.CounterVec
	took           *prometheus.HistogramVec
	received, sent *prometheus.CounterVec

	calls    *prometheus.CounterVec
	callTook *prometheus.HistogramVec
	fuel     *prometheus.CounterVec
}

// Sources are the parts of a gateway from which the metrics read values. The metrics read these values only when
// Prometheus requests the metrics. If a part may be nil, its comment says so. A nil part has no metrics.
type Sources struct {
	Version  string
	InFlight func() int64 // number of requests that the gateway is answering
	Draining func() bool
	Scenes   *perception.Scenes
	Finder   *query.Finder
	Shared   Pools // resources that all users share; may be nil
	Tools    *agent.Registry
	Plugins  *wasmtools.Plugins            // loaded plugins; may be nil
	Journal  *journal.Counted              // journal with counters; may be nil
	Audit    *audit.Log                    // log of tool calls; may be nil
	Refused  func() map[string]uint64      // number of refused requests, by the name of the limit
	Ledger   *ledger.Ledger                // record of what users spend on models; may be nil
	Models   func() []models.ModelFigures  // figures of the models that were used; may be nil
	Sessions *session.Sessions             // sessions of the agent; may be nil
	Kept     func() []Kept                 // counts of stored and removed items; may be nil
	Pools    func() map[string]sql.DBStats // database connections, by pool; may be nil
	Damage   func() Damage                 // counts of damaged artifacts; may be nil
}

// Pools are the shared resources of all users, by name.
type Pools map[string]*fair.Pool

// Kept counts the stored items of a kind, and the items of this kind that the gateway has removed.
type Kept struct {
	Kind         string
	Items, Bytes int64 // number and total size of the stored items at the last clean-up
	// Aged is the number of items removed by age. Erased is the number of items removed with their
	// user. Failed is the number of removals that failed.
	Aged, Erased, Failed int64
}

// New returns the metrics of a gateway. The caller must report requests and tool calls to the metrics. The metrics
// read all other values from the given sources.
func New(from Sources) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	durations := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: meter.Bounds}, labels)
	}
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		requests: counter("windie_http_requests_total", "Requests answered, by route: the path in the API document, or none.", "method", "route", "status"),
		took:     durations("windie_http_request_duration_seconds", "Time until the answer was made, without sending it.", "method", "route"),
		received: counter("windie_http_request_bytes_total", "Bytes of request bodies read.", "method", "route"),
		sent:     counter("windie_http_response_bytes_total", "Bytes of answers, without streams of unknown length.", "method", "route"),
		calls:    counter("windie_tool_calls_total", "Tool calls, including calls by other tools, by result. TOOL_ERROR: the tool itself failed.", "origin", "code"),
		callTook: durations("windie_tool_call_duration_seconds", "Time of a tool call, without refused calls.", "origin"),
		fuel:     counter("windie_tool_fuel_total", "Instructions executed by plugins.", "origin"),
	}
	m.Registry.MustRegister(m.requests, m.took, m.received, m.sent, m.calls, m.callTook, m.fuel, &collector{from},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler returns a handler that serves the metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, // if a source fails, the metrics of the others are still served
	})
}

// LearnRoutes records the paths of all routes. Only these paths may become values of metric labels.
// It must be called after all routes are added and before the first request.
func (m *Metrics) LearnRoutes(app *fiber.App) {
	m.routes = map[string]bool{}
	for _, r := range app.GetRoutes(true) {
		m.routes[r.Path] = true
	}
}

// seriesKey identifies a series of requests. Each Fiber route belongs to one method.
type seriesKey struct {
	route  *fiber.Route
	found  bool // a route matched, not only middleware
	status int
}

// series are the metrics of requests with the same labels. They are cached because a lookup by
// labels is slow.
type series struct {
	route          string
	requests       prometheus.Counter
	took           prometheus.Observer
	received, sent prometheus.Counter
}

// Request counts an answered request, and returns the path of its route, or NoRoute. The parameter
// found is false if only middleware has handled the request. The parameter took is the time until the
// response was ready.
func (m *Metrics) Request(c *fiber.Ctx, found bool, took time.Duration, a tracing.Answered) (route string) {
	key := seriesKey{c.Route(), found, a.Status}
	known, ok := m.series.Load(key)
	if !ok {
		known, _ = m.series.LoadOrStore(key, m.newSeries(key))
	}
	of := known.(*series)
	of.requests.Inc()
	of.took.Observe(took.Seconds())
	of.received.Add(float64(a.Received))
	of.sent.Add(float64(a.Sent))
	return of.route
}

// newSeries returns the series of key. A path that is not in m.routes becomes NoRoute, so that requests cannot create
// labels.
func (m *Metrics) newSeries(key seriesKey) *series {
	method, route := key.route.Method, NoRoute
	if key.found && m.routes[key.route.Path] {
		route = documentPath(key.route.Path)
	}
	return &series{
		route:    route,
		requests: m.requests.WithLabelValues(method, route, strconv.Itoa(key.status)),
		took:     m.took.WithLabelValues(method, route),
		received: m.received.WithLabelValues(method, route),
		sent:     m.sent.WithLabelValues(method, route),
	}
}

// fiberParam matches a parameter in a path of Fiber.
var fiberParam = regexp.MustCompile(`:(\w+)`)

// documentPath converts a path of Fiber to its form in the API document: ":id" becomes "{id}".
func documentPath(path string) string { return fiberParam.ReplaceAllString(path, "{$1}") }

var _ agent.Observer = (*Metrics)(nil)

// Begin implements agent.Observer. It does nothing.
func (m *Metrics) Begin(ctx context.Context, _ string, _ agent.Origin) context.Context { return ctx }

// callKey identifies a series of tool calls.
type callKey struct {
	kind agent.Kind
	code string
}

// callSeries are the metrics of tool calls with the same labels.
type callSeries struct {
	calls, fuel prometheus.Counter
	took        prometheus.Observer
}

// End implements agent.Observer. It counts the call, its duration and its fuel.
func (m *Metrics) End(_ context.Context, _ string, origin agent.Origin, _ agent.Call, res agent.Result, err error) {
	key := callKey{origin.Kind, CallCode(res, err)}
	known, ok := m.ofCalls.Load(key)
	if !ok {
		known, _ = m.ofCalls.LoadOrStore(key, m.newCallSeries(key))
	}
	of := known.(*callSeries)
	of.calls.Inc()
	if res.Usage.WallTime > 0 {
		of.took.Observe(res.Usage.WallTime.Seconds())
	}
	if res.Usage.Fuel > 0 {
		of.fuel.Add(float64(res.Usage.Fuel))
	}
}

// newCallSeries returns the series of key. If the tool does not exist, its origin is noOrigin.
func (m *Metrics) newCallSeries(key callKey) *callSeries {
	kind := string(key.kind)
	if kind == "" {
		kind = noOrigin
	}
	return &callSeries{
		calls: m.calls.WithLabelValues(kind, key.code),
		took:  m.callTook.WithLabelValues(kind),
		fuel:  m.fuel.WithLabelValues(kind),
	}
}

// CallCode returns the metrics label for the result of a call: the error code that the caller gets,
// or CodeOK.
func CallCode(res agent.Result, err error) string {
	switch {
	case err != nil:
		return codeLabel(fault.CodeOf(err))
	case res.IsError:
		return string(sdkapi.ToolError)
	}
	return CodeOK
}

// knownCodes contains all error codes of the API.
var knownCodes = func() map[sdkapi.Code]bool {
	all := map[sdkapi.Code]bool{}
	for _, code := range sdkapi.Codes() {
		all[code] = true
	}
	return all
}()

// codeLabel returns a code as a label. An unknown code becomes INTERNAL.
func codeLabel(code sdkapi.Code) string {
	if !knownCodes[code] && code != "" {
		return string(sdkapi.Internal)
	}
	if code == "" {
		return CodeOK
	}
	return string(code)
}

// figure describes one metric that is read at a scrape.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// newFigure returns the description of a metric. labels are the names of its labels, in the order in which send gets
// their values.
func newFigure(kind prometheus.ValueType, name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), kind}
}

// send sends the metric's value.
func (f figure) send(ch chan<- prometheus.Metric, value float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

// sendAll sends a histogram that another package has measured.
func (f figure) sendAll(ch chan<- prometheus.Metric, h meter.Histogram, labels ...string) {
	ch <- prometheus.MustNewConstHistogram(f.desc, h.Count, h.Sum, h.Cumulative, labels...)
}

// The metrics that the sources measure themselves. The kind of a histogram is not used.
var (
	buildInfo   = newFigure(prometheus.GaugeValue, "windie_build_info", "1, with the versions of the gateway and of Go as labels.", "version", "go_version")
	inFlight    = newFigure(prometheus.GaugeValue, "windie_http_requests_in_flight", "Requests being answered, including this one.")
	drainingNow = newFigure(prometheus.GaugeValue, "windie_http_draining", "1 after the gateway was told to stop.")

	ocrLookups    = newFigure(prometheus.CounterValue, "windie_ocr_lookups_total", "Screens asked for: hit (cached), shared (being read for another caller), miss (to be read).", "result")
	ocrScenes     = newFigure(prometheus.CounterValue, "windie_ocr_scenes_total", "Screens to be read, by result. OVERLOADED: waited too long for memory or a core.", "engine", "code")
	ocrTook       = newFigure(prometheus.UntypedValue, "windie_ocr_read_duration_seconds", "Time to read a screen, without waiting.", "engine")
	ocrMegapixels = newFigure(prometheus.CounterValue, "windie_ocr_megapixels_total", "Megapixels given to the reader.", "engine")
	ocrReading    = newFigure(prometheus.GaugeValue, "windie_ocr_scenes_in_flight", "Screens being read or waiting to be read.")
	ocrCache      = newFigure(prometheus.GaugeValue, "windie_ocr_cache_bytes", "Bytes of cached screens, without lines and the last few screens.")

	poolCapacity = newFigure(prometheus.GaugeValue, "windie_pool_capacity", "What users share: bytes of memory, or cores.", "pool")
	poolTaken    = newFigure(prometheus.GaugeValue, "windie_pool_taken", "Bytes or cores of the pool in use.", "pool")
	poolWaiting  = newFigure(prometheus.GaugeValue, "windie_pool_waiting", "Requests for a part of the pool that wait.", "pool")

	visionAsked = newFigure(prometheus.CounterValue, "windie_vision_asked_total", "Requests to the vision model, by result. Unless OK, the built-in rules answered.", "code")

	toolsListed  = newFigure(prometheus.GaugeValue, "windie_tools", "Registered tools.", "origin")
	pluginStates = newFigure(prometheus.GaugeValue, "windie_plugins", "Plugins in the folder: ready, starting, disabled or broken.", "state")

	journalEvents    = newFigure(prometheus.CounterValue, "windie_journal_events_total", "Events appended.")
	journalAppends   = newFigure(prometheus.CounterValue, "windie_journal_appends_total", "Batches of events: ok, or failed, also if the session could not be taken up.", "result")
	journalTook      = newFigure(prometheus.UntypedValue, "windie_journal_append_duration_seconds", "Time until a batch of events was on disk or failed.")
	journalFollowers = newFigure(prometheus.GaugeValue, "windie_journal_followers", "Readers that follow a stream of events.")
	journalLost      = newFigure(prometheus.CounterValue, "windie_journal_followers_lost_total", "Readers dropped because they were too far behind.")
	decisionsOpened  = newFigure(prometheus.CounterValue, "windie_decisions_opened_total", "Decisions requested on this gateway.")
	decisionsDecided = newFigure(prometheus.CounterValue, "windie_decisions_decided_total", "Decisions made, on this gateway or another.")
	decisionsExpired = newFigure(prometheus.CounterValue, "windie_decisions_expired_total", "Decisions not made in time, or withdrawn.")
	decisionsPending = newFigure(prometheus.GaugeValue, "windie_decisions_pending", "Decisions that wait for an answer.")

	auditRecords = newFigure(prometheus.CounterValue, "windie_audit_records_total", "Records of tool calls in the audit log: kept or lost.", "result")
	keptItems    = newFigure(prometheus.GaugeValue, "windie_kept_items", "Stored items of a kind, at the last clean-up.", "kind")
	keptBytes    = newFigure(prometheus.GaugeValue, "windie_kept_bytes", "Bytes of stored content of a kind, at the last clean-up.", "kind")
	keptRemoved  = newFigure(prometheus.CounterValue, "windie_removed_total", "Items removed by this gateway: by age, or by erasure of their user.", "kind", "why")
	keptFailed   = newFigure(prometheus.CounterValue, "windie_removals_failed_total", "Failed removals; they are retried.", "kind")
	auditQueued  = newFigure(prometheus.GaugeValue, "windie_audit_queued", "Audit records that wait to be written.")
	auditWaits   = newFigure(prometheus.CounterValue, "windie_audit_waits_total", "Tool calls that waited for room in the queue of audit records.")

	dbConnections = newFigure(prometheus.GaugeValue, "windie_database_connections", "Connections to the database: in_use or idle. Pools are read and write on SQLite, all on PostgreSQL.", "pool", "state")
	dbMost        = newFigure(prometheus.GaugeValue, "windie_database_connections_max", "Maximum number of connections to the database.", "pool")
	dbWaits       = newFigure(prometheus.CounterValue, "windie_database_waits_total", "Queries that waited for a connection.", "pool")
	dbWaited      = newFigure(prometheus.CounterValue, "windie_database_wait_seconds_total", "Seconds that queries waited for a connection.", "pool")

	figures = []figure{
		buildInfo, inFlight, drainingNow, ocrLookups, ocrScenes, ocrTook, ocrMegapixels, ocrReading, ocrCache, poolCapacity, poolTaken, poolWaiting, visionAsked, toolsListed, pluginStates,
		journalEvents, journalAppends, journalTook, journalFollowers, journalLost,
		decisionsOpened, decisionsDecided, decisionsExpired, decisionsPending, auditRecords, keptItems, keptBytes, keptRemoved, keptFailed, auditQueued, auditWaits, dbConnections, dbMost, dbWaits, dbWaited,
		limitRefused, modelRequests, modelTokens, modelCost, budgetRefused,
	}
)

// collector reads the metrics of the sources at a scrape.
type collector struct{ from Sources }

var _ prometheus.Collector = (*collector)(nil)

// Describe implements prometheus.Collector.
func (*collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range slices.Concat(figures, damageFigures, modelFigures) {
		ch <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	buildInfo.send(ch, 1, c.from.Version, runtime.Version())
	inFlight.send(ch, float64(c.from.InFlight()))
	drainingNow.send(ch, asNumber(c.from.Draining()))
	c.collectOCR(ch)
	for name, pool := range c.from.Shared {
		stats := pool.Stats()
		poolCapacity.send(ch, float64(stats.Capacity), name)
		poolTaken.send(ch, float64(stats.Taken), name)
		poolWaiting.send(ch, float64(stats.Waiting), name)
	}
	c.collectTools(ch)
	c.collectJournal(ch)
	c.collectAudit(ch)
	c.collectKept(ch)
	c.collectDatabase(ch)
	c.collectSpending(ch)
	c.collectModels(ch)
	c.collectTurns(ch)
	c.collectDamage(ch)
}

// asNumber returns 1 for true and 0 for false.
func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// collectOCR sends the metrics of reading screens and of the vision model.
func (c *collector) collectOCR(ch chan<- prometheus.Metric) {
	stats := c.from.Scenes.Stats()
	engine, _, _ := strings.Cut(c.from.Scenes.EngineName(), " ")
	ocrLookups.send(ch, float64(stats.Hits), "hit")
	ocrLookups.send(ch, float64(stats.Shared), "shared")
	ocrLookups.send(ch, float64(stats.Misses), "miss")
	for code, n := range stats.Outcomes {
		ocrScenes.send(ch, float64(n), engine, codeLabel(code))
	}
	ocrTook.sendAll(ch, stats.Durations, engine)
	ocrMegapixels.send(ch, float64(stats.Pixels)/1e6, engine)
	ocrReading.send(ch, float64(stats.Reading))
	ocrCache.send(ch, float64(stats.CacheBytes))
	for code, n := range c.from.Finder.Outcomes() {
		visionAsked.send(ch, float64(n), codeLabel(code))
	}
}

// collectTools sends the numbers of registered tools and of plugins.
func (c *collector) collectTools(ch chan<- prometheus.Metric) {
	byKind := map[agent.Kind]int{agent.Builtin: 0, agent.Wasm: 0, agent.Client: 0, agent.MCP: 0}
	list, _ := c.from.Tools.List()
	for _, d := range list {
		byKind[d.Origin.Kind]++
	}
	for kind, n := range byKind {
		toolsListed.send(ch, float64(n), string(kind))
	}
	if c.from.Plugins == nil {
		return
	}
	for state, n := range c.from.Plugins.Count() {
		pluginStates.send(ch, float64(n), string(state))
	}
}

// collectJournal sends the metrics of the journal and of decisions.
func (c *collector) collectJournal(ch chan<- prometheus.Metric) {
	if c.from.Journal == nil {
		return
	}
	stats := c.from.Journal.Stats()
	journalEvents.send(ch, float64(stats.Events))
	journalAppends.send(ch, float64(stats.Appends), "ok")
	journalAppends.send(ch, float64(stats.Failed), "failed")
	journalTook.sendAll(ch, stats.Durations)
	journalFollowers.send(ch, float64(stats.Followers))
	journalLost.send(ch, float64(stats.Lost))
	decisionsOpened.send(ch, float64(stats.Opened))
	decisionsDecided.send(ch, float64(stats.Decided))
	decisionsExpired.send(ch, float64(stats.Expired))
	decisionsPending.send(ch, float64(stats.Pending))
}

// collectKept sends the metrics of stored and removed items.
func (c *collector) collectKept(ch chan<- prometheus.Metric) {
	if c.from.Kept == nil {
		return
	}
	for _, k := range c.from.Kept() {
		keptItems.send(ch, float64(k.Items), k.Kind)
		keptBytes.send(ch, float64(k.Bytes), k.Kind)
		keptRemoved.send(ch, float64(k.Aged), k.Kind, "age")
		keptRemoved.send(ch, float64(k.Erased), k.Kind, "erasure")
		keptFailed.send(ch, float64(k.Failed), k.Kind)
	}
}

// collectAudit sends the metrics of the audit log.
func (c *collector) collectAudit(ch chan<- prometheus.Metric) {
	if c.from.Audit == nil {
		return
	}
	stats := c.from.Audit.Stats()
	auditRecords.send(ch, float64(stats.Written), "kept")
	auditRecords.send(ch, float64(stats.Lost), "lost")
	auditQueued.send(ch, float64(stats.Queued))
	auditWaits.send(ch, float64(stats.Waited))
}

// collectDatabase sends the metrics of the database's connections.
func (c *collector) collectDatabase(ch chan<- prometheus.Metric) {
	if c.from.Pools == nil {
		return
	}
	for pool, stats := range c.from.Pools() {
		dbConnections.send(ch, float64(stats.InUse), pool, "in_use")
		dbConnections.send(ch, float64(stats.Idle), pool, "idle")
		dbMost.send(ch, float64(stats.MaxOpenConnections), pool)
		dbWaits.send(ch, float64(stats.WaitCount), pool)
		dbWaited.send(ch, stats.WaitDuration.Seconds(), pool)
	}
}
