package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/test/recorded"
)

// patience bounds the wait for the next thing that a client does.
const patience = 15 * time.Second

// player plays one dialogue with one client.
type player struct {
	driver   *Driver
	gateway  string
	contract *contract
	proxy    *proxy
	vars     *recorded.Variables
	files    Files
	streams  map[string]*call
	sockets  map[string]*talk
	tools    []string                     // in the dialogue's sockets
	alias    []string                     // ids that the dialogue has, and the client's, in turn
	spoken   spoken                       // to tool hosts
	ops      map[string]string            // of streams, by the names of their steps
	broken   map[string]string            // streams with a wrong event, and what was wrong
	skips    func(step, why string) *Skip // whether a step is known not to pass
}

// Outcome is what came of a step or of a fault.
type Outcome struct {
	Step   string `json:"step"`
	Result Result `json:"result"`
	Why    string `json:"why,omitempty"`

	failed string // what went wrong, as the driver and the proxy say it
}

// Result is how a step ended.
type Result string

// How steps end.
const (
	Passed  Result = "passed"
	Failed  Result = "failed"
	Skipped Result = "skipped" // it failed, as the list of skips says
	Stale   Result = "stale"   // it passed, though it is on the list of skips
	Untyped Result = "untyped" // no typed client can send it; it was played without the client
)

// play plays the steps of a dialogue.
func (p *player) play(ctx context.Context, d *Dialogue) []Outcome {
	var all []Outcome
	for _, step := range d.Steps {
		if step.socket {
			typed, why := p.talk(step)
			if !typed {
				all = append(all, Outcome{Step: step.Name, Result: Untyped})
				continue
			}
			all = append(all, p.judge(step.Name, why))
			if why != "" {
				return all // what follows depends on what is said there
			}
			continue
		}
		if p.knocks(step) {
			all = append(all, p.judge(step.Name, p.turnedAway(step)))
			continue
		}
		if !step.more && (!step.sendable() || !p.known(step)) {
			all = append(all, Outcome{Step: step.Name, Result: Untyped})
			if err := p.raw(ctx, step); err != nil {
				all[len(all)-1].Why = err.Error()
			}
			continue
		}
		why, sent := p.step(step)
		all = append(all, p.judge(step.Name, why))
		if why != "" && !sent && !step.more {
			_ = p.raw(ctx, step) // what follows needs what it leaves behind
		}
	}
	return all
}

// known reports whether the contract has a step's operation, and the fields of its body.
func (p *player) known(s *Step) bool {
	target, _ := queryOf(p.vars.Fill(s.target))
	op, _ := p.contract.find(s.method, target)
	if op == nil || op.op == "wakeUp" { // a plain request for a socket
		return false
	}
	if text, err := expand(p.vars.Fill(s.body), p.files); err != nil || text != "" && !json.Valid([]byte(text)) {
		return false
	}
	var body map[string]any
	if op.fields == nil || json.Unmarshal([]byte(s.body), &body) != nil {
		return s.body == "" || op.fields == nil
	}
	for name := range body {
		if _, ok := op.fields[name]; !ok {
			return false
		}
	}
	return true
}

// judge returns a step's outcome. why is empty if it passed.
func (p *player) judge(step, why string) Outcome {
	known := p.skips(step, why)
	switch {
	case why == "" && known != nil && !strings.ContainsAny(known.Step, "*?["):
		return Outcome{step, Stale, "it passes: take it off the list of skips", ""}
	case why == "":
		return Outcome{step, Passed, "", ""}
	case known != nil:
		return Outcome{step, Skipped, why, why}
	}
	return Outcome{step, Failed, why, why}
}

// step has the client make one call, and returns what was wrong. sent is set if the gateway got the request.
func (p *player) step(s *Step) (why string, sent bool) {
	c := p.streams[s.Name]
	if !s.more {
		body, err := expand(p.vars.Fill(s.body), p.files)
		if err != nil {
			return err.Error(), false
		}
		target, query := queryOf(p.vars.Fill(s.target))
		op, params := p.contract.find(s.method, target)
		args := Args{Path: params, Query: map[string]string{}}
		for name, values := range query {
			args.Query[name] = values[0]
		}
		if body != "" {
			args.Body = json.RawMessage(op.plain(body, false))
		}
		if s.file != "" {
			if args.File, err = p.files(s.file); err != nil {
				return err.Error(), false
			}
			args.Name = s.file
		}
		opts := p.opts(s)
		opts.Stream = opts.Stream || slices.Contains(streaming, op.op) || op.op == "general.chat" && strings.Contains(strings.ReplaceAll(body, " ", ""), `"stream":true`)
		if after := query.Get("after"); s.stream && after != "" { // two ways to say it
			opts.LastEventID = after
			delete(args.Query, "after")
		}
		once := &expected{step: s, route: op, target: target, query: query, body: body, file: args.File, header: p.vars.Fill, after: opts.LastEventID}
		p.proxy.expect(once.check)
		if c, err = p.driver.call(op.op, args, opts); err != nil {
			return err.Error(), false
		}
		p.streams[s.Name], p.ops[s.Name] = c, op.op
	} else if c == nil || p.broken[s.Name] != "" {
		return cmp.Or(p.broken[s.Name], "the stream has not begun"), true
	}
	if s.stream {
		why = p.follow(c, s)
		if why == "" && !s.more && len(s.events) == 0 && !p.opens(s) {
			why = "the stream does not begin"
		}
		p.broken[s.Name] = why
	} else {
		why = p.returned(c, s)
	}
	if wrong := p.proxy.complaints(); len(wrong) > 0 {
		why = strings.Join(wrong, "; ")
	}
	for _, x := range p.proxy.requests(s.method, "/*") {
		sent = sent || x.status != 0 && x.status != http.StatusTeapot
	}
	return why, sent || s.more
}

// opens waits until a stream of which nothing comes yet is open: what the next step does is behind it.
func (p *player) opens(s *Step) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.proxy.waitAnswered(ctx, s.method, "/*")
}

// opts are what a step's headers say, as a client has parameters for it.
func (p *player) opts(s *Step) Opts {
	get := func(name string) string { return p.vars.Fill(s.header.Get(name)) }
	return Opts{
		BaseURL: p.proxy.url, UserID: get("X-User-Id"), Token: strings.TrimPrefix(get("Authorization"), "Bearer "), ApprovalKey: get("X-Windie-Key"),
		RunsKey: get("X-Windie-Runs-Key"), IdempotencyKey: get("Idempotency-Key"), LastEventID: get("Last-Event-Id"), Stream: s.stream,
	}
}

// streaming are the operations that clients answer with events, also where a dialogue has an error in their place.
var streaming = []string{"prompts.start", "prompts.events", "general.stream", "toolHosts.stream", "runs.follow"}

// endless are the streams that a client follows until it is told to stop, though the gateway ends one that is silent.
var endless = []string{"general.stream", "toolHosts.stream"}

// follow compares the events that a client yields with a stream's.
func (p *player) follow(c *call, s *Step) string {
	for _, want := range s.events {
		if want == "end" && slices.Contains(endless, p.ops[s.Name]) {
			return ""
		}
		line, err := c.next(patience)
		switch {
		case err != nil:
			return fmt.Sprintf("%v; waiting for %s", err, want)
		case line.Cannot != "":
			return line.Cannot
		case line.Error != nil:
			return fmt.Sprintf("the stream fails with %s, %s; waiting for %s", line.Error.Code, line.Error.Message, want)
		case line.Event == nil && want == "end":
			return ""
		case line.Event == nil:
			return "the stream ends; waiting for " + want
		}
		kind, data, _ := strings.Cut(want, " ")
		if line.Event.Event != "" && kind != line.Event.Event {
			return fmt.Sprintf("the event %s comes, not %s", line.Event.Event, kind)
		}
		if diff := recorded.SameJSON(cmp.Or(data, "null"), cmp.Or(string(line.Event.Data), "null"), p.vars.Match); diff != "" {
			return kind + ": " + diff
		}
	}
	return ""
}

// returned compares what a client returns with a step's answer, and with what the gateway answered.
func (p *player) returned(c *call, s *Step) string {
	line, _, err := c.end()
	if err != nil {
		return err.Error()
	}
	if line.Cannot != "" {
		return line.Cannot
	}
	var x *exchange
	for _, seen := range p.proxy.requests(s.method, "/*") {
		if x == nil || seen.target == x.target { // the last try
			x = &seen
		}
	}
	switch {
	case x == nil && line.Error != nil:
		return "nothing is sent: " + line.Error.Message
	case x == nil:
		return "nothing is sent"
	case s.answer == nil:
		return ""
	case x.status != http.StatusTeapot && x.status != s.answer.status:
		return fmt.Sprintf("the gateway answers %d, not %d: %.300s", x.status, s.answer.status, x.answer)
	case json.Valid([]byte(s.answer.body)) && x.status != http.StatusTeapot:
		if diff := recorded.SameJSON(s.answer.body, string(x.answer), p.vars.Match); diff != "" {
			return "the gateway's answer: " + diff
		}
	}
	if s.answer.status < http.StatusBadRequest {
		return sameValue(line, x)
	}
	return sameFailure(line, x)
}

// sameFailure says what is wrong with the error that a client gives for an answer.
func sameFailure(line Line, x *exchange) string {
	var body struct {
		Error struct {
			Code    string
			Details struct {
				RequestID string `json:"request_id"`
			}
		}
	}
	_ = json.Unmarshal(x.answer, &body) // of HEAD there is none
	id := cmp.Or(body.Error.Details.RequestID, x.sent.Get("X-Request-Id"))
	switch e := line.Error; {
	case e == nil:
		return fmt.Sprintf("the client does not fail; the answer was %d", x.status)
	case body.Error.Code != "" && e.Code != body.Error.Code, e.Status != x.status:
		return fmt.Sprintf("the client fails with %s (%d); the answer was %s (%d)", e.Code, e.Status, body.Error.Code, x.status)
	case e.RequestID != id:
		return fmt.Sprintf("the error's request id is %q, not %q", e.RequestID, id)
	}
	return ""
}

// sameValue says what is wrong with what a client returns for an answer: it is the answer, one of its fields, its list
// with the next page's cursor, or nothing. Of a file it is {"sha256": …}, and of another text the text.
func sameValue(line Line, x *exchange) string {
	if line.Error != nil {
		return fmt.Sprintf("the client fails with %s, %s; the answer was %d", line.Error.Code, line.Error.Message, x.status)
	}
	var value, answer any
	if len(line.OK) == 0 || json.Unmarshal(line.OK, &value) != nil || value == nil || x.method == http.MethodHead {
		return ""
	}
	if json.Unmarshal(x.answer, &answer) != nil {
		answer = string(x.answer)
	}
	object, _ := value.(map[string]any)
	if sum, ok := object["sha256"].(string); ok && len(object) == 1 {
		if sum != sumOf(x.answer) {
			return "the client returns other bytes than came"
		}
		return ""
	}
	whole, _ := answer.(map[string]any)
	candidates := []any{answer}
	for name, field := range whole {
		page := map[string]any{"items": field}
		if next, ok := whole["next"]; ok && name != "next" {
			page["next"] = next
		}
		candidates = append(candidates, field, page)
	}
	diff := ""
	for i, candidate := range candidates {
		want, err := json.Marshal(candidate)
		if err != nil {
			return err.Error()
		}
		d := recorded.SameJSON(string(want), string(line.OK), func(want, got string) bool { return want == got })
		if d == "" {
			return ""
		}
		if i == 0 {
			diff = d
		}
	}
	return "the client returns something else than the answer: " + diff
}

// raw plays a step without the client.
func (p *player) raw(ctx context.Context, s *Step) error {
	if s.raw || s.stream || s.socket {
		return nil // such a step leaves nothing behind that others need
	}
	text, err := expand(p.vars.Fill(s.body), p.files)
	if err != nil {
		return err
	}
	body, kind := []byte(text), ""
	if s.file != "" {
		content, err := p.files(s.file)
		if err != nil {
			return err
		}
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", s.file)
		if err != nil {
			return err
		}
		_, _ = part.Write(content) // memory does not fail
		_ = w.Close()
		body, kind = form.Bytes(), w.FormDataContentType()
	}
	req, err := http.NewRequestWithContext(ctx, s.method, p.gateway+p.vars.Fill(s.target), bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range s.header {
		req.Header[name] = []string{p.vars.Fill(values[0])}
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Host = strings.TrimPrefix(p.proxy.url, "http://")
	resp, err := p.proxy.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err == nil && s.answer != nil && json.Valid([]byte(s.answer.body)) {
		_ = recorded.SameJSON(s.answer.body, string(got), p.vars.Match) // it gives names to values; others test the gateway
	}
	return err
}

// fileOf returns the file in a form.
func fileOf(x *exchange) ([]byte, error) {
	_, params, err := mime.ParseMediaType(x.header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	part, err := multipart.NewReader(bytes.NewReader(x.body), params["boundary"]).NextPart()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(part)
}
