package docs_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// goMethods are the methods of the Go client, by what the API document calls them in all clients.
var goMethods = map[string]any{
	"health": (*sdk.Client).Health, "ready": (*sdk.Client).Ready, "metrics": (*sdk.Client).Metrics, "capabilities": (*sdk.Tools).Capabilities,
	"usage": (*sdk.Client).Usage, "register": (*sdk.Install).Register, "socketTicket": (*sdk.Install).SocketTicket, "audit.list": (*sdk.Client).Audit,
	"artifacts.upload": (*sdk.Client).UploadArtifact, "artifacts.list": (*sdk.Client).ListArtifacts, "artifacts.download": (*sdk.Client).OpenArtifact,
	"artifacts.describe": (*sdk.Client).StatArtifact, "artifacts.delete": (*sdk.Client).DeleteArtifact, "artifacts.keep": (*sdk.Client).KeepArtifact,
	"artifacts.unkeep": (*sdk.Client).KeepArtifact,
	"screen.read":      (*sdk.OCR).Run, "screen.inspect": (*sdk.OCR).Inspect, "screen.find": (*sdk.OCR).FindText, "screen.candidates": (*sdk.OCR).FindTextCandidates,
	"screen.resolve": (*sdk.OCR).ResolveText, "screen.candidate": (*sdk.OCR).ResolveCandidate, "screen.overlay": (*sdk.OCR).Overlay,
	"screen.locate": (*sdk.Vision).Locate, "screen.locateAll": (*sdk.Vision).LocateAll, "screen.describe": (*sdk.Vision).Describe, "screen.element": (*sdk.Vision).ResolveCandidate,
	"screen.elements": (*sdk.Screen).Elements, "screen.at": (*sdk.Screen).At, "screen.diff": (*sdk.Screen).Diff,
	"tools.list": (*sdk.Tools).List, "tools.get": (*sdk.Tools).Get, "tools.invoke": (*sdk.Tools).Invoke,
	"plugins.list": (*sdk.Plugins).List, "plugins.add": (*sdk.Plugins).Add, "plugins.get": (*sdk.Plugins).Get, "plugins.remove": (*sdk.Plugins).Remove,
	"plugins.enable": (*sdk.Plugins).Enable, "plugins.disable": (*sdk.Plugins).Enable, "plugins.getGrant": (*sdk.Plugins).Grant, "plugins.putGrant": (*sdk.Plugins).SetGrant,
	"operator.settings": (*sdk.Operator).Settings, "operator.mcpServers": (*sdk.Operator).MCPServers, "operator.acceptMcpServer": (*sdk.Operator).AcceptMCPServer,
	"operator.users": (*sdk.Operator).Users, "operator.createUser": (*sdk.Operator).CreateUser, "operator.user": (*sdk.Operator).User, "operator.setBudget": (*sdk.Operator).SetBudget,
	"operator.createToken": (*sdk.Operator).CreateToken, "operator.revokeInstall": (*sdk.Operator).RevokeInstall, "operator.history": (*sdk.Operator).History, "operator.kept": (*sdk.Operator).Kept, "operator.prune": (*sdk.Operator).Prune,
	"prompts.start": (*sdk.Prompts).Start, "prompts.events": (*sdk.Prompts).Events, "prompts.get": (*sdk.Prompts).Get, "prompts.list": (*sdk.Prompts).List,
	"prompts.delete": (*sdk.Prompts).Delete, "prompts.approve": (*sdk.Prompts).Approve, "prompts.reject": (*sdk.Prompts).Reject, "prompts.cancel": (*sdk.Prompts).Cancel,
	"conversations.list": (*sdk.Prompts).Conversations, "conversations.delete": (*sdk.Prompts).DeleteConversation,
	"decisions.list": (*sdk.Decisions).List, "decisions.get": (*sdk.Decisions).Get, "decisions.approve": (*sdk.Decisions).Answer, "decisions.rules": (*sdk.Decisions).Rules, "decisions.setRules": (*sdk.Decisions).SetRules,
	"general.openSession": (*sdk.General).Begin, "general.sessions": (*sdk.General).Sessions, "general.deleteSession": (*sdk.General).Delete,
	"general.chat": (*sdk.General).Chat, "general.toolResult": (*sdk.General).Result, "general.cancel": (*sdk.General).Cancel,
	"general.stream": (*sdk.General).Stream,
	"memory.write":   (*sdk.General).Remember, "memory.search": (*sdk.General).Recall, "memory.get": (*sdk.General).Passage,
	"memory.files": (*sdk.General).MemoryFiles, "memory.deleteFile": (*sdk.General).DeleteMemoryFile, "memory.edit": (*sdk.General).EditMemory, "memory.history": (*sdk.General).MemoryHistory, "memory.deleteAll": (*sdk.General).DeleteMemory,
	"agent.models": (*sdk.Agent).Models, "agent.toolSchemas": (*sdk.Agent).ToolSchemas, "agent.toolCapabilities": (*sdk.Agent).ToolCapabilities,
	"agent.systemPrompt": (*sdk.Agent).SystemPrompt, "agent.promptPreview": (*sdk.Agent).PromptPreview, "agent.queryPlan": (*sdk.Agent).QueryPlan,
	"wakeUp":         (*sdk.Client).WakeUp,
	"toolHosts.open": (*sdk.ToolHosts).Open, "toolHosts.sessions": (*sdk.ToolHosts).Sessions, "toolHosts.session": (*sdk.ToolHosts).Session,
	"toolHosts.deleteSession": (*sdk.ToolHosts).Delete,
	"toolHosts.stream":        (*sdk.ToolHosts).Open, // whose Host reads and sends
	"toolHosts.send":          (*sdk.ToolHosts).Open,
	"embeddings.create":       (*sdk.Client).Embed, "embeddings.health": (*sdk.Client).EmbeddingsHealth,
	"semantic.summarize": (*sdk.Client).Summarize, "semantic.title": (*sdk.Client).Title, "semantic.health": (*sdk.Client).SemanticHealth,
	"runs.create": (*sdk.Runs).Create, "runs.list": (*sdk.Runs).List, "runs.get": (*sdk.Runs).Get, "runs.events": (*sdk.Runs).Events, "runs.follow": (*sdk.Runs).Follow,
	"runs.file": (*sdk.Runs).File, "runs.control": (*sdk.Runs).Control, "runs.stopAll": (*sdk.Runs).StopAll, "runs.workers": (*sdk.Runs).Workers,
	"runs.heartbeat": (*sdk.Runs).Heartbeat, "runs.dispatched": (*sdk.Runs).Dispatched, "runs.relay": (*sdk.Runs).Relay,
}

// Each operation of the API document has its method in the Go client.
func TestGoClientHasAll(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_HOSTED")+"/openapi.json")
	paths, _ := doc["paths"].(map[string]any)
	for path, methods := range paths {
		for method, op := range methods.(map[string]any) {
			name, _ := doorstest.Field(op, "x-sdk").(string)
			if goMethods[name] == nil && !strings.HasPrefix(path, "/openai/") {
				t.Errorf("%s %s, %s, has no method in the Go client", method, path, name)
			}
		}
	}
}
