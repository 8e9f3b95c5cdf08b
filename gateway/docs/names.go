package docs

import (
	"regexp"
	"strings"
)

// methods maps operation ids to the group and method of Windie's clients. The document has them in the field
// x-sdk, so that other generators can use them.
var methods = map[string]string{
	"health": "health", "ready": "ready", "metrics": "metrics", "capabilities": "capabilities", "usage": "usage",
	"register-install": "register", "socket-ticket": "socketTicket",

	"upload-artifact": "artifacts.upload", "list-artifacts": "artifacts.list", "get-artifact": "artifacts.download", "head-artifact": "artifacts.describe",
	"delete-artifact": "artifacts.delete", "keep-artifact": "artifacts.keep", "unkeep-artifact": "artifacts.unkeep",

	"ocr-run": "screen.read", "ocr-inspect": "screen.inspect", "ocr-find-text": "screen.find", "ocr-find-text-candidates": "screen.candidates",
	"ocr-resolve-text": "screen.resolve", "ocr-resolve-candidate": "screen.candidate", "ocr-overlay": "screen.overlay",
	"vision-locate": "screen.locate", "vision-locate-all": "screen.locateAll", "vision-describe": "screen.describe", "vision-overlay": "screen.overlay",
	"vision-resolve-candidate": "screen.element",
	"screen-elements":          "screen.elements", "screen-at": "screen.at", "screen-diff": "screen.diff",

	"list-tools": "tools.list", "get-tool": "tools.get", "invoke-tool": "tools.invoke", "list-audit": "audit.list",
	"list-plugins": "plugins.list", "add-plugin": "plugins.add", "get-plugin": "plugins.get", "remove-plugin": "plugins.remove",
	"enable-plugin": "plugins.enable", "disable-plugin": "plugins.disable", "get-grant": "plugins.getGrant", "put-grant": "plugins.putGrant",

	"operator-settings": "operator.settings", "operator-mcp-servers": "operator.mcpServers", "accept-mcp-server": "operator.acceptMcpServer",
	"list-users": "operator.users", "create-user": "operator.createUser", "get-user": "operator.user", "put-budget": "operator.setBudget",
	"create-token": "operator.createToken", "revoke-install": "operator.revokeInstall", "operator-history": "operator.history", "operator-kept": "operator.kept", "prune": "operator.prune",

	"prompt": "prompts.start", "prompt-events": "prompts.events", "get-prompt": "prompts.get", "list-prompts": "prompts.list", "delete-prompt": "prompts.delete",
	"approve-prompt": "prompts.approve", "reject-prompt": "prompts.reject", "cancel-prompt": "prompts.cancel",
	"list-conversations": "conversations.list", "delete-conversation": "conversations.delete",
	"list-decisions": "decisions.list", "get-decision": "decisions.get", "answer-decision": "decisions.approve",
	"list-rules": "decisions.rules", "put-rules": "decisions.setRules",

	"general-session": "general.openSession", "general-sessions": "general.sessions", "general-session-delete": "general.deleteSession",
	"general-chat": "general.chat", "general-stream": "general.stream", "general-tool-result": "general.toolResult", "general-cancel": "general.cancel",
	"general-memory-write": "memory.write", "general-memory-search": "memory.search", "general-memory-get": "memory.get",
	"general-memory-files": "memory.files", "general-memory-file-delete": "memory.deleteFile", "general-memory-edit": "memory.edit", "general-memory-history": "memory.history", "general-memory-delete": "memory.deleteAll",

	"agent-session": "toolHosts.open", "agent-sessions": "toolHosts.sessions", "get-agent-session": "toolHosts.session",
	"delete-agent-session": "toolHosts.deleteSession", "agent-stream": "toolHosts.stream", "agent-message": "toolHosts.send",

	"list-models": "agent.models", "tool-schemas": "agent.toolSchemas", "tool-capabilities": "agent.toolCapabilities", "system-prompt": "agent.systemPrompt",
	"prompt-preview": "agent.promptPreview", "query-plan": "agent.queryPlan", "agent-socket": "wakeUp",

	"embed-text": "embeddings.create", "embeddings-health": "embeddings.health",
	"semantic-summarize": "semantic.summarize", "semantic-title": "semantic.title", "semantic-health": "semantic.health",

	"create-run": "runs.create", "list-runs": "runs.list", "get-run": "runs.get", "run-events": "runs.events", "run-stream": "runs.follow", "run-file": "runs.file",
	"control-run": "runs.control", "stop-all-runs": "runs.stopAll", "list-run-workers": "runs.workers",
	"run-worker-heartbeat": "runs.heartbeat", "run-worker-dispatched": "runs.dispatched", "relay-run-event": "runs.relay",
}

// toolOperation is the start of the ids of operations that call one particular tool.
const toolOperation = "invoke-tool-"

// nameOperations makes operation ids suitable for method names, and gives path parameters one
// style, snake case.
func (d *document) nameOperations() {
	for _, op := range d.operations {
		id, _ := op["operationId"].(string)
		if method, ok := methods[id]; ok {
			op["x-sdk"] = method
		} else if strings.HasPrefix(id, toolOperation) {
			op["x-sdk"] = methods["invoke-tool"]
		}
		op["operationId"] = operationName(id)
		parameters, _ := op["parameters"].([]any)
		for _, p := range parameters {
			if parameter, _ := p.(object); parameter["in"] == "path" {
				name, _ := parameter["name"].(string)
				parameter["name"] = snake(name)
			}
		}
	}
	paths := at(d.object, "paths")
	for path, item := range paths {
		if before, rest, ok := strings.Cut(path, "{"); ok {
			delete(paths, path)
			paths[before+"{"+snake(rest)] = item // only parameter names have capital letters in paths
		}
	}
}

// unnamed matches characters that an operation id cannot have.
var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// operationName returns an id from which generators can derive a method name. For example, it
// replaces the dots of tool names.
func operationName(id string) string { return unnamed.ReplaceAllString(strings.ToLower(id), "-") }

// camel joins words that are separated by hyphens, dots, underscores, slashes or spaces into a
// camelCase name.
func camel(words string) string {
	var out strings.Builder
	for i, word := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune("-._ /", r) }) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out.WriteString(word)
	}
	return out.String()
}

// pascal joins words into a PascalCase name.
func pascal(words string) string {
	name := camel(words)
	return strings.ToUpper(name[:1]) + name[1:]
}

// snake converts a name such as decisionId to decision_id.
func snake(name string) string {
	var out strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
