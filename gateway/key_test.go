package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Locally, decisions need the key: without it they are neither seen nor made,
// whatever else a request says, and the refusal names no way that a program could
// take.
func TestDecisionsAskForTheKey(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
	keyless := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Journal: doorstest.MemoryJournal(t)})
	for _, route := range []struct{ method, path, body string }{
		{http.MethodGet, "", ""},
		{http.MethodGet, "/approval_0", ""},
		{http.MethodPost, "/approval_0", `{"approved":true}`},
		{http.MethodPost, "/approval_0", `{"approved":false}`},
		{http.MethodPost, "/approval_0", `not JSON`},
	} {
		for name, brought := range map[string]struct{ url, header, value string }{
			"nothing":            {url, "X-Nothing", ""},
			"another key":        {url, sdkapi.KeyHeader, strings.Repeat("0", len(doorstest.TestKey))},
			"part of the key":    {url, sdkapi.KeyHeader, doorstest.TestKey[:len(doorstest.TestKey)-1]},
			"the key as a token": {url, "Authorization", "Bearer " + doorstest.TestKey},
			"no key, of none":    {keyless, sdkapi.KeyHeader, ""},
			"a key, of none":     {keyless, sdkapi.KeyHeader, doorstest.TestKey},
		} {
			t.Run(route.method+route.path+" with "+name, func(t *testing.T) {
				status, answer := doorstest.AskWith(t, route.method, brought.url+sdkapi.DecisionsPath+route.path, route.body, brought.header, brought.value)
				if status != http.StatusForbidden || !strings.Contains(answer, `"KEY_REQUIRED"`) || !strings.Contains(answer, "windie console") || !strings.Contains(answer, "WINDIE_OPERATOR_TOKEN") {
					t.Errorf("%d %s", status, answer)
				}
				for _, way := range []string{doorstest.TestKey, sdkapi.KeyHeader, "approval.key", "header", url} {
					if strings.Contains(strings.ToLower(answer), strings.ToLower(way)) {
						t.Errorf("the refusal tells a program of %q: %s", way, answer)
					}
				}
			})
		}
	}
	if status, answer := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "ada", ""); status != http.StatusOK || strings.TrimSpace(answer) != `{"decisions":[]}` {
		t.Errorf("with the key: %d %s", status, answer)
	}
}

// In hosted mode the user's token is what the key is locally.
func TestDecisionsOfAHostedGateway(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	url := gatewaytest.Start(t, gateway.App{Journal: doorstest.MemoryJournal(t), Hosted: true, Identity: ids})
	install, token, err := ids.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	status, answer := doorstest.AskWith(t, http.MethodGet, url+sdkapi.DecisionsPath, "", "Authorization", "Bearer "+token, sdkapi.UserHeader, install.User)
	if status != http.StatusOK {
		t.Errorf("with a token: %d %s", status, answer)
	}
	if status, answer := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, install.User, ""); status != http.StatusUnauthorized {
		t.Errorf("with a key and no token: %d %s", status, answer)
	}
}

// What a model gets, and what anybody without the key can list, holds no id
// by which a call can be approved: of a prompt, a conversation, a session of the
// general agent service, or a decision.
func TestIdsThatApproveAreToldToTheirProgramsAlone(t *testing.T) {
	t.Parallel()
	cfg, script := doorstest.Scripted(t, agenttest.Calling("call-1", "memory_write", `{"text":"Tea is drunk at four.","kind":"long_term"}`), agenttest.Saying("Done."),
		agenttest.Calling("call-2", "memory_search", `{"query":"tea"}`), agenttest.Calling("call-3", "memory_get", `{"path":"memory/MEMORY.md"}`), agenttest.Saying("At four."),
		agenttest.Calling("call-4", "memory_write", `{"text":"It waits."}`))
	doorstest.Remembering(t, &cfg)
	cfg.Conversations, cfg.ApprovalKey, cfg.Audit = convs.Open(cfg.Journal), doorstest.TestKey, gatewaytest.Audit(t)
	cfg.Tools.Observe(cfg.Audit)
	url := gatewaytest.Start(t, cfg)

	_, made := doorstest.AskWith(t, http.MethodPost, url+sdkapi.ToolPath(sdkapi.ConversationCreate), `{}`, sdkapi.UserHeader, "ada")
	conversation := within(t, made, `"id":"`)
	_, made = doorstest.AskWith(t, http.MethodPost, url+sdkapi.V1SessionsPath, `{}`, sdkapi.UserHeader, "ada")
	general := within(t, made, `"general_session_id":"`)
	if status, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.V1MemoryWritePath, `{"general_session_id":"`+general+`","target":"long_term","content":"Tea is hot."}`, sdkapi.UserHeader, "ada"); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	first := doorstest.Prompted(t, url, `{"input":"remember it","conversationId":"`+conversation+`"}`)
	approval := first.Asked(url)
	if status := first.Answer(url, "approve", `{"toolCallId":"call-1"}`); status != http.StatusOK {
		t.Fatalf("the program that began the prompt approves, without the key: %d", status)
	}
	first.Until(url, sdkapi.EventPromptCompleted)
	doorstest.Prompted(t, url, `{"input":"when is tea?"}`).Until(url, sdkapi.EventPromptCompleted)
	waits := doorstest.Prompted(t, url, `{"input":"and now?"}`)
	waiting := waits.Asked(url)

	part, _, _ := strings.Cut(waits.Prompt, ".")
	secrets := map[string]string{
		"the conversation": conversation, "the general session": general, "a prompt": part, "a decision": bareID(approval.DecisionID), "what waits": bareID(waiting.DecisionID),
	}
	for i, request := range script.Requests() {
		raw, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		tellsNothing(t, fmt.Sprintf("the model's request %d", i), string(raw), secrets)
	}
	if asked, _ := json.Marshal(script.Requests()); !strings.Contains(string(asked), "Tea is drunk at four.") || !strings.Contains(string(asked), "Tea is hot.") {
		t.Errorf("the model did not read what was remembered: %s", asked)
	}
	auditedCalls(t, url, 3)
	for _, r := range doorstest.RoutesOf(t, url) {
		body := ""
		if r.Method == http.MethodPost {
			body = `{}`
		}
		if strings.Contains(r.Path, "{") || r.Path == sdkapi.PromptPath || r.Path == sdkapi.V1StreamPath || strings.HasPrefix(r.Path, sdkapi.ToolsPath+"/weather.") { // which ask for an id, or begin something, or never answer
			continue
		}
		_, answer := doorstest.AskWith(t, r.Method, url+r.Path, body, sdkapi.UserHeader, "ada")
		tellsNothing(t, r.String(), answer, secrets)
	}
	tools, _ := cfg.Tools.List()
	for _, d := range tools {
		if strings.HasPrefix(d.Name, "weather.") { // of tests, and one never answers
			continue
		}
		_, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.ToolPath(d.Name), `{}`, sdkapi.UserHeader, "ada")
		tellsNothing(t, d.Name, answer, secrets)
	}
	if _, list := doorstest.AskKeyed(t, http.MethodPost, url+sdkapi.ToolPath(sdkapi.ConversationList), "ada", `{}`); !strings.Contains(list, conversation) {
		t.Errorf("a person's program lists %s", list)
	}
}

// within returns the text that stands behind another, up to a quotation mark.
func within(t *testing.T, text, behind string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, behind)
	value, _, closed := strings.Cut(rest, `"`)
	if !found || !closed || value == "" {
		t.Fatalf("no %s in %s", behind, text)
	}
	return value
}

// bareID is what is random of an id of a decision.
func bareID(id string) string { return strings.TrimPrefix(id, "approval_") }

func tellsNothing(t *testing.T, who, text string, secrets map[string]string) {
	t.Helper()
	for what, secret := range secrets {
		if secret == "" || strings.Contains(text, secret) {
			t.Errorf("%s is told the id of %s, %q: %.600s", who, what, secret, text)
		}
	}
}
