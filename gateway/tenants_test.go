package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/ledger"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// The tables of this file are made of the API document, of the registry of tools, and of the
// messages of sdkapi: what is new is in them by itself. A test fails by name where it does not
// know how to ask for something new; objectsOf, questions, argumentsOf and messages say so.

// planted is a word that only ada has: in a file, a prompt, a conversation, a call and a note.
const planted = "Quixotry"

// everything runs a hosted gateway with all there is, whose model says what is planted, and
// asks for a call with it.
func everything(t *testing.T) doorstest.Admitting {
	t.Helper()
	cfg, ids := doorstest.Hosted(t)
	db, log := doorstest.StateOf(t), journaltest.NewMemory()
	cfg.Store, cfg.Scenes = gatewaytest.Store(t, true), gatewaytest.Scenes(t)
	for _, tool := range append(screens.BuiltinTools(cfg.Store, query.New(cfg.Scenes, nil)), agenttest.Tool{
		Described: agent.Descriptor{Name: "shell.exec", Risk: agent.Risky, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("done")}}, nil
		},
	}) {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range cfg.Memory.Tools() {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	model := modelstest.NewScript().Otherwise(modelstest.Reply{
		Text: []string{planted}, Calls: []models.Call{{ID: "call_of_ada_1", Name: "shell_exec", Arguments: json.RawMessage(`{"command":"` + planted + `"}`)}},
	})
	reader, list, book := screens.NewScreenReader(cfg.Store, query.New(cfg.Scenes, nil)), promptlist.OpenList(db, promptlist.Options{}), ledger.Open(db, ledger.Options{})
	cfg.Sessions = session.New(session.Config{
		Journal: log, Tools: cfg.Tools, Image: reader.Image, Keep: reader.Keep, Turned: list.Turned, UserPolicy: desktop.UserPolicy(log),
		Model: func(_ context.Context, user string, _ session.Settings) (models.Model, models.Request, error) {
			return book.Model(model, models.Price{}, func(context.Context) string { return user }), models.Request{Model: "scripted"}, nil
		},
	})
	t.Cleanup(func() {
		cfg.Sessions.Close()
		_ = log.Close()
	})
	cfg.Journal, cfg.Prompts, cfg.Ledger, cfg.Once = journal.Count(log), list, book, gatewaytest.Once(t)
	cfg.Responses = gatewaytest.Responses(t)
	cfg.Conversations = convs.Open(cfg.Journal)
	cfg.DrainTimeout = 100 * time.Millisecond // for turns that wait for a person
	cfg.Heartbeat = 50 * time.Millisecond     // by which a stream shows that it has said what there is
	doorstest.Operated(t, &cfg)
	return doorstest.Admitting{T: t, Url: gatewaytest.Start(t, cfg), Ids: ids, Book: book}
}

// objects are things of a user's, by what stands for them in questions.
type objects map[string]string

// fill puts the objects into a text.
func (o objects) fill(text string) string {
	for name, id := range o {
		text = strings.ReplaceAll(text, "${"+name+"}", id)
	}
	return text
}

// objectsOf makes one of each kind of thing that a user can have. Their names are those of the
// parameters and fields in which they are named.
func objectsOf(t *testing.T, c doorstest.Holder) objects {
	t.Helper()
	o := objects{"user_id": c.User, "user": c.User, "q": planted, "path": "memory/MEMORY.md"}
	body, kind := doorstest.Form(t, "f.png", gatewaytest.Screen("Check out", planted), "")
	header := c.Header()
	header.Set("Content-Type", kind)
	_, stored := c.Call(http.MethodPost, sdkapi.ArtifactsPath, body.String(), header)
	_, rest, _ := strings.Cut(stored, `"artifact_id":"`)
	o["artifact_id"], _, _ = strings.Cut(rest, `"`)
	image := o.fill(`{"image":{"artifact_id":"${artifact_id}"}`)
	o["candidate_id"] = c.Made(http.MethodPost, sdkapi.OCRResolveTextPath, image+`,"text":"Check out"}`, "candidate_id")
	o["conversationId"] = c.Made(http.MethodPost, sdkapi.ToolPath(sdkapi.ConversationCreate), "{}", "id")
	status, told := c.Call(http.MethodPost, sdkapi.PromptPath, o.fill(`{"input":"`+planted+`","conversationId":"${conversationId}"}`), c.Header())
	var asked sdkapi.PromptApproval
	for line := range strings.Lines(told) {
		if data, ok := strings.CutPrefix(line, sdkapi.EventPromptApproval+" "); ok {
			_ = json.Unmarshal([]byte(data), &asked)
		}
	}
	if asked.DecisionID == "" {
		t.Fatalf("%d %s", status, told)
	}
	o["prompt_id"], o["decision_id"], o["toolCallId"] = asked.PromptID, asked.DecisionID, asked.ToolCallID
	o["general_session_id"] = c.General()
	o["session_id"], o["conversation_id"] = o["general_session_id"], o["conversationId"]
	_, told = c.Call(http.MethodPost, sdkapi.V1ChatPath, o.fill(`{"general_session_id":"${general_session_id}","stream":true,"message":{"parts":[{"type":"text","text":"`+planted+`"}]}}`), c.Header())
	_, rest, _ = strings.Cut(told, `tool.request {"id":"`)
	if o["v1call"], _, _ = strings.Cut(rest, `"`); o["v1call"] == "" {
		t.Fatal(told)
	}
	o["id"] = c.Made(http.MethodPost, sdkapi.AgentSessionsPath, "", "sessionId")
	if status, told := c.Call(http.MethodPost, o.fill("/api/agent/sessions/${id}/messages"), `{"type":"user.message","content":"`+planted+`"}`, c.Header()); status != http.StatusOK {
		t.Fatalf("%d %s", status, told)
	}
	o["response_id"] = c.Made(http.MethodPost, sdkapi.OpenAIResponsesPath, `{"model":"default","input":"`+planted+`"}`, "id")
	c.Made(http.MethodPost, sdkapi.V1MemoryWritePath, `{"target":"long_term","content":"`+planted+` is secret"}`, "path")
	p := c.Dialed()
	p.Send(sdkapi.WSQuery, `{"text":"`+planted+`","conversation_ref":"c1"}`)
	messages := p.Until(sdkapi.WSApprovalRequest)
	var approval sdkapi.WSApprovalRequestPayload
	if err := json.Unmarshal(messages[len(messages)-1].Payload, &approval); err != nil || approval.RequestID == "" {
		t.Fatalf("%s, %v", messages[len(messages)-1].Payload, err)
	}
	o["request_id"], o["conversation_ref"] = approval.RequestID, "c1"
	return o
}

// question is how something is asked for.
type question struct {
	body string
	mine bool // it names something that each user has under that name, so others get their own
}

const anImage = `{"image":{"artifact_id":"${artifact_id}"}`

// questions are the bodies of operations, by their ids.
var questions = map[string]question{
	"upload-artifact":          {`{}`, true},
	"openai-chat":              {`{"model":"default","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"artifact:${artifact_id}"}}]}]}`, false},
	"openai-response":          {`{"model":"default","input":"Go on.","previous_response_id":"${response_id}"}`, false},
	"openai-embeddings":        {`{"model":"default","input":"secret"}`, true},
	"openai-speech":            {`{"input":"secret"}`, true},
	"openai-transcription":     {`{}`, true},
	"register-install":         {`{"operating_system":1}`, true},
	"socket-ticket":            {`{"path":"/ws"}`, true},
	"answer-decision":          {`{"approved":true}`, false},
	"prompt":                   {`{"input":"Go on.","conversationId":"${conversationId}"}`, false},
	"approve-prompt":           {`{"toolCallId":"${toolCallId}"}`, false},
	"reject-prompt":            {`{"toolCallId":"${toolCallId}"}`, false},
	"ocr-run":                  {anImage + `}`, false},
	"ocr-find-text":            {anImage + `,"text":"Check out"}`, false},
	"ocr-resolve-text":         {anImage + `,"text":"Check out"}`, false},
	"ocr-find-text-candidates": {anImage + `,"text":"Check out"}`, false},
	"ocr-inspect":              {anImage + `,"include_overlay":true}`, false},
	"ocr-overlay":              {anImage + `}`, false},
	"ocr-resolve-candidate":    {anImage + `,"candidate_id":"${candidate_id}"}`, false},
	"prompt-preview":           {`{"user_query_raw":"?","conversation_ref":"c1","screenshot_refs":["${artifact_id}"]}`, false},
	"query-plan":               {`{"user_query_raw":"?","conversation_ref":"c1"}`, true},
	"screen-at":                {anImage + `,"x":1,"y":1}`, false},
	"screen-elements":          {anImage + `}`, false},
	"screen-diff":              {`{"before":{"artifact_id":"${artifact_id}"},"after":{"artifact_id":"${artifact_id}"}}`, false},
	"vision-resolve-candidate": {anImage + `,"id":"0"}`, false},
	"vision-describe":          {anImage + `}`, false},
	"vision-locate":            {anImage + `,"description":"the text Check out"}`, false},
	"vision-locate-all":        {anImage + `,"description":"the text Check out"}`, false},
	"vision-overlay":           {anImage + `,"points":[{"x":1,"y":1}]}`, false},
	"invoke-tool":              {anImage + `}`, false}, // more in TestToolsOfOthers
	"general-session":          {`{"preferred_session_id":"${general_session_id}"}`, true},
	"general-chat":             {`{"general_session_id":"${general_session_id}","message":{"parts":[{"type":"text","text":"Go on."}]}}`, false},
	"general-cancel":           {`{"general_session_id":"${general_session_id}"}`, false},
	"general-tool-result":      {`{"general_session_id":"${general_session_id}","tool_result":{"id":"${v1call}","ok":true,"result":"x"}}`, false},
	"general-memory-write":     {`{"general_session_id":"${general_session_id}","target":"daily","content":"x"}`, false},
	"agent-message":            {`{"type":"cancel"}`, false},
	"embed-text":               {`{"text":"tea"}`, true},
	"semantic-summarize":       {`{"conversations":["user: tea"],"user_id":"${user_id}"}`, true},
	"semantic-title":           {`{"user_id":"${user_id}","user_message":"tea","assistant_message":"tea"}`, true},
	"add-plugin":               {`{}`, true},
	"put-grant":                {`{}`, true},
	"put-budget":               {`{}`, true},
	"create-token":             {`{}`, true},
	"accept-mcp-server":        {`{"changes":"none"}`, true},
	"prune":                    {`{"older_than_hours":{"prompts":1}}`, true},
	"put-rules":                {`{"rules":[]}`, true},
	"general-memory-edit":      {`{"path":"memory/MEMORY.md","was":"","text":"Eve was here."}`, true},
}

// harmless are parameters that name nothing of a user's. tool_id and tool_name have a value all the same.
var harmless = map[string]string{
	"tool_id": "ocr.read", "tool_name": "ocr_read", "name": "x", "model": "commander",
	"since": "", "until": "", "after": "", "limit": "", "state": "", "via": "", "status": "", "kind": "", "line_start": "", "line_end": "", "tag": "", "deltas": "", "clientId": "", "accept": "", "watch": "",
	"model_id": "", "model_provider": "", "interaction_mode": "", "tool": "", "protocol": "", "outcome": "", "install_id": "install_x",
}

// everybodys are parameters with a name that each user has for something of their own.
var everybodys = []string{"path", "q", "user_id", "user"}

// filters are operations that list nothing where they are asked about another's.
var filters = []string{"list-prompts"}

// wholes are operations that delete what others delete a part of, so they come after those.
var wholes = []string{"delete-artifact", "delete-conversation"}

// operation is one of the API document, and how to ask it about somebody's objects.
type operation struct {
	id, method, path, body string
	operator               bool
	open                   bool // it asks for no token
	named                  bool // it names something that is one user's alone
	template               string
	statuses               []int // of failures
	responses              map[string]struct {
		Content map[string]any
	}
}

// operationsOf lists the operations of the API document, asked about objects.
func operationsOf(t *testing.T, url string, o objects) (list []operation) {
	t.Helper()
	_, text := doorstest.Get(t, url+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    []map[string][]string
			RequestBody any
			Statuses    []int `json:"x-statuses"`
			Responses   map[string]struct {
				Content map[string]any
			}
			Parameters []struct {
				Name, In string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, described := range methods {
			op := operation{id: described.OperationID, method: strings.ToUpper(method), path: path, open: len(described.Security) == 0, template: path, statuses: described.Statuses, responses: described.Responses}
			for _, scheme := range described.Security {
				op.operator = op.operator || scheme["operator"] != nil
			}
			var asked []string
			for _, p := range described.Parameters {
				id, made := o[p.Name]
				value, known := harmless[p.Name]
				switch {
				case p.In == "header":
				case made:
					value, op.named = id, op.named || !slices.Contains(everybodys, p.Name)
				case !known:
					t.Errorf("%s has the parameter %s, and this test does not know what to put there: make one in objectsOf, or list it in harmless", op.id, p.Name)
				}
				if p.In == "path" {
					op.path = strings.ReplaceAll(op.path, "{"+p.Name+"}", value)
				} else if p.In == "query" && value != "" {
					asked = append(asked, p.Name+"="+value)
				}
			}
			if len(asked) > 0 {
				op.path += "?" + strings.Join(asked, "&")
			}
			q, known := questions[op.id]
			if described.RequestBody != nil && !known {
				t.Errorf("%s takes a body, and this test does not know one: say in questions how it names what belongs to a user", op.id)
			}
			op.body, op.named = o.fill(q.body), op.named || strings.Contains(q.body, "${")
			op.named = op.named && !q.mine && !slices.Contains(filters, op.id)
			list = append(list, op)
		}
	}
	slices.SortFunc(list, func(a, b operation) int { // what ends or deletes something comes last
		last := func(o operation) string {
			return fmt.Sprint(o.method == http.MethodDelete || strings.Contains(o.id, "cancel"), slices.Contains(wholes, o.id), o.id)
		}
		return strings.Compare(last(a), last(b))
	})
	if len(list) < 50 {
		t.Fatalf("the API document has %d operations", len(list))
	}
	return list
}

// leaks returns what of ada's an answer holds that the question did not.
func leaks(o objects, question, answer string) (found []string) {
	for name, id := range maps.All(o) {
		if slices.Contains(everybodys, name) && name != "user_id" || name == "conversation_ref" {
			continue
		}
		if strings.Contains(answer, id) && !strings.Contains(question, id) {
			found = append(found, name)
		}
	}
	if strings.Contains(answer, planted) && !strings.Contains(question, planted) {
		found = append(found, planted)
	}
	return found
}

// Each operation, asked about what ada has: by nobody, by a token that was revoked, by another
// user, and by another user who says to be ada. None gets anything of it; ada does.
func TestOperationsKeepUsersApart(t *testing.T) {
	t.Parallel()
	a := everything(t)
	ada, eve, gone := a.Holder(), a.Holder(), a.Holder()
	o := objectsOf(t, ada)
	revoked, token := doorstest.Registered(t, a.Ids)
	if err := a.Ids.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	gone.User, gone.Token = revoked.User, token
	operations := operationsOf(t, a.Url, o)
	posing := eve.Header()
	posing.Set(sdkapi.UserHeader, ada.User)
	nobody := http.Header{"Content-Type": {"application/json"}, sdkapi.UserHeader: {ada.User}}
	for _, op := range operations {
		for who, header := range map[string]http.Header{"nobody": nobody, "a revoked token": gone.Header(), "another who says to be ada": posing, "another": eve.Header()} {
			t.Run(op.id+" by "+who, func(t *testing.T) {
				status, answer := eve.Call(op.method, op.path, op.body, header)
				if found := leaks(o, op.path+op.body, answer); len(found) > 0 {
					t.Errorf("%s %s shows %s: %d %s", op.method, op.path, found, status, answer)
				}
				want := 0 // any
				switch {
				case op.open:
				case who == "nobody", who == "a revoked token":
					want = http.StatusUnauthorized
				case op.operator:
					want = http.StatusForbidden
				case op.named && who == "another":
					want = http.StatusNotFound
				}
				op.checkStatus(t, status)
				if want != 0 && status != want || want == 0 && op.named && status < 300 {
					t.Errorf("%s %s is answered %d, want %d: %s", op.method, op.path, status, want, answer)
				}
			})
		}
	}
	document := compiled(t, a.Url)
	for _, op := range operations { // ada gets what the others do not, or they were asked in vain
		t.Run(op.id+" by ada", func(t *testing.T) {
			status, answer := ada.Call(op.method, op.path, op.body, ada.Header())
			op.checkStatus(t, status)
			document.Check(t, op, status, answer)
			if op.named && slices.Contains([]int{400, 401, 403, 404, 405, 415, 422, 500}, status) {
				t.Errorf("%s %s, whose objects they are: %d %s", op.method, op.path, status, answer)
			}
		})
	}
}

// checkStatus fails if the API document does not have a status for the operation.
func (o operation) checkStatus(t *testing.T, status int) {
	t.Helper()
	if _, told := o.responses[fmt.Sprint(status)]; !told && !slices.Contains(o.statuses, status) {
		t.Errorf("%s is answered %d, which the API document does not have", o.id, status)
	}
}

// apiSchemas are the schemas of an API document.
type apiSchemas struct{ *jsonschema.Compiler }

func compiled(t *testing.T, url string) apiSchemas {
	t.Helper()
	_, text := doorstest.Get(t, url+"/openapi.json")
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("http://windie.test/api", doc); err != nil {
		t.Fatal(err)
	}
	return apiSchemas{c}
}

// Check fails if an answer in JSON does not fit the document.
func (a apiSchemas) Check(t *testing.T, op operation, status int, answer string) {
	t.Helper()
	const kind = "application/json"
	if op.responses[fmt.Sprint(status)].Content[kind] == nil || !strings.Contains(answer, "Content-Type:["+kind) {
		return
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	schema, err := a.Compile(fmt.Sprintf("http://windie.test/api#/paths/%s/%s/responses/%d/content/%s/schema",
		pointer.Replace(op.template), strings.ToLower(op.method), status, pointer.Replace(kind)))
	if err != nil {
		t.Fatal(err)
	}
	body := answer[strings.Index(answer, "{"):] // behind the headers
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s is answered %d with what its schema does not allow: %v\n%s", op.id, status, err, body)
	}
}

// argumentsOf are arguments of built-in tools that name what belongs to a user.
var argumentsOf = map[string]string{
	"ocr.read": anImage + `}`, "ocr.find_text": anImage + `,"text":"Check out"}`, "ocr.resolve_text": anImage + `,"text":"Check out"}`,
	"screen.elements": anImage + `}`, "screen.at": anImage + `,"x":1,"y":1}`, "vision.describe": anImage + `}`, "vision.locate": anImage + `,"description":"the text Check out"}`,
	"screen.diff":       `{"before":{"artifact_id":"${artifact_id}"},"after":{"artifact_id":"${artifact_id}"}}`,
	"vision.locate_all": anImage + `,"description":"the text Check out"}`, "vision.overlay": anImage + `,"points":[{"x":1,"y":1}]}`,
	"artifact.upload": `{"image":{"artifact_id":"${artifact_id}"}}`, "shell.exec": "", // it reads nothing
	"memory.search": `{"query":"secret"}`, "memory.get": `{"path":"memory/MEMORY.md"}`, "memory.write": `{"target":"daily","content":"x"}`,
	sdkapi.ConversationCreate: `{}`, sdkapi.ConversationList: `{}`,
	sdkapi.ConversationGet: `{"conversationId":"${conversationId}"}`, sdkapi.ConversationDelete: `{"conversationId":"${conversationId}"}`,
}

// Each tool, called over HTTP and MCP with what ada has, by another user: nothing of it is shown.
func TestToolsOfOthers(t *testing.T) {
	t.Parallel()
	a := everything(t)
	ada, eve := a.Holder(), a.Holder()
	o := objectsOf(t, ada)
	var list sdkapi.ToolList
	_, text := eve.Call(http.MethodGet, sdkapi.ToolsPath, "", eve.Header())
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &list); err != nil || len(list.Tools) < 10 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	bearer := []string{"Authorization", "Bearer " + eve.Token}
	session := doorstest.MCPSession(t, a.Url, doorstest.MCPVersions[0], bearer...)
	for _, tool := range list.Tools {
		template, known := argumentsOf[tool.ID]
		if !known {
			t.Errorf("the tool %s is new: say in argumentsOf how it names what belongs to a user", tool.ID)
			continue
		}
		if template == "" {
			continue
		}
		arguments := o.fill(template)
		t.Run(tool.ID, func(t *testing.T) {
			status, answer := eve.Call(http.MethodPost, sdkapi.ToolPath(tool.ID), arguments, eve.Header())
			if found := leaks(o, arguments, answer); len(found) > 0 || strings.Contains(template, "${") && status < 300 && !strings.Contains(answer, `"deleted":false`) {
				t.Errorf("over HTTP it shows %s: %d %s", found, status, answer)
			}
			_, body := doorstest.MCPPost(t, a.Url, doorstest.MCPVersions[0], "tools/call", `"name":"`+agent.ModelName(tool.ID)+`","arguments":`+arguments, session...)
			if found := leaks(o, arguments, body); len(found) > 0 {
				t.Errorf("over MCP it shows %s: %s", found, body)
			}
		})
	}
	if _, answer := ada.Call(http.MethodPost, sdkapi.ToolPath(sdkapi.ConversationGet), o.fill(argumentsOf[sdkapi.ConversationGet]), ada.Header()); !strings.Contains(answer, planted) {
		t.Errorf("ada's conversation is %s", answer)
	}
}

// messages are the payloads of the messages of /ws, by type, that name what belongs to a user.
var messages = map[string]string{
	sdkapi.WSQuery:            `{"text":"?","conversation_ref":"c2","screenshot_refs":["${artifact_id}"]}`,
	sdkapi.WSRehydrate:        `{"conversation_ref":"c1","messages":[]}`,
	sdkapi.WSLoadSettings:     `{"user_id":"${user_id}"}`,
	sdkapi.WSUpdateSettings:   `{"user_id":"${user_id}","settings":{}}`,
	sdkapi.WSListModels:       `{}`,
	sdkapi.WSToolResult:       `{"request_id":"${request_id}","success":true,"data":{"output":"x"},"error":null}`,
	sdkapi.WSToolBundleResult: `{"bundle_id":"${request_id}","status":"success","step_results":[],"error":null}`,
	sdkapi.WSWakeword:         `{}`,
	sdkapi.WSResume:           `{"conversation_ref":"c1","seq":0}`,
	sdkapi.WSCancel:           `{"conversation_ref":"c1"}`,
	sdkapi.WSApprovalDecision: `{"request_id":"${request_id}","approved":true}`,
}

// Each message of /ws about what ada has, sent by another user: nothing of it comes back, and
// nothing of it changes.
func TestMessagesOfOthers(t *testing.T) {
	t.Parallel()
	a := everything(t)
	ada, eve := a.Holder(), a.Holder()
	o := objectsOf(t, ada)
	p := eve.Dialed()
	for _, kind := range doorstest.MessageTypes(t) {
		kind, sent := strings.CutPrefix(kind, "> ")
		template, known := messages[kind]
		if sent && !known {
			t.Errorf("the message %s is new: say in messages how it names what belongs to a user", kind)
		}
		if !sent || !known {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			payload := o.fill(template)
			p.T = t
			p.Send(kind, payload)
			p.Send(sdkapi.WSWakeword, `{}`)
			var all bytes.Buffer
			for greetings := 0; greetings < 1 || kind == sdkapi.WSWakeword && greetings < 2; {
				m := p.Next()
				fmt.Fprintf(&all, "%s %s %s\n", m.Type, m.ConversationRef, m.Payload)
				if m.Type == sdkapi.WSWakewordGreeting {
					greetings++
				}
			}
			if found := leaks(o, payload, all.String()); len(found) > 0 {
				t.Errorf("it shows %s:\n%s", found, &all)
			}
		})
	}
	p.T = t
	status, answer := ada.Call(http.MethodGet, sdkapi.DecisionsPath, "", ada.Header())
	if status != http.StatusOK || strings.Count(answer, `"state":"pending"`) != 3 {
		t.Errorf("what ada is asked is %d %s", status, answer)
	}
}

// doubled returns an object with its first field twice, and with it in another case too.
func doubled(object string) (bodies []string) {
	field, _, found := strings.Cut(object, ":")
	if !found {
		return nil
	}
	rest := strings.TrimPrefix(object, "{")
	return []string{field + `:null,` + rest, strings.ToUpper(field) + `:null,` + rest}
}

// Two readers may understand a body differently that has a field twice, or in another case:
// each operation that takes JSON refuses it, and so do /ws and MCP.
func TestFieldsAreSaidOnce(t *testing.T) {
	t.Parallel()
	a := everything(t)
	ada := a.Holder()
	o := objectsOf(t, ada)
	for _, op := range operationsOf(t, a.Url, o) {
		header := ada.Header()
		if op.operator {
			header.Set("Authorization", "Bearer "+doorstest.OperatorsToken)
		}
		for _, body := range doubled(op.body) {
			t.Run(op.id, func(t *testing.T) {
				status, answer := ada.Call(op.method, op.path, body, header)
				if status != http.StatusUnprocessableEntity || !strings.Contains(answer, "once") && !strings.Contains(answer, "expected") {
					t.Errorf("%s is answered %d %s", body, status, answer)
				}
			})
		}
	}
	p := ada.Dialed()
	for kind, template := range messages {
		if kind == sdkapi.WSLoadSettings { // it reads no field
			continue
		}
		for _, payload := range doubled(o.fill(template)) {
			t.Run(kind, func(t *testing.T) {
				p.T = t
				p.Send(kind, payload)
				if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), string(sdkapi.ValidationError)) {
					t.Errorf("%s is answered %s %s", payload, m.Type, m.Payload)
				}
			})
		}
	}
	bearer := []string{"Authorization", "Bearer " + ada.Token, "Accept", "application/json, text/event-stream", "Content-Type", "application/json", sdkapi.MCPVersionHeader, doorstest.MCPVersions[0]}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","name":"shell_exec","arguments":{}}}`,
	} {
		t.Run(body, func(t *testing.T) {
			if status, answer := doorstest.AskWith(t, http.MethodPost, a.Url+sdkapi.MCPPath, body, bearer...); status != http.StatusUnprocessableEntity {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
}
