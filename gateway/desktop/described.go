package desktop

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// The payloads of the messages at /ws, for the API document.
var (
	fromClients = map[string]reflect.Type{
		sdkapi.WSHandshakeType: reflect.TypeFor[sdkapi.WSHandshake](),
		sdkapi.WSQuery:         reflect.TypeFor[sdkapi.WSQueryPayload](), sdkapi.WSRehydrate: reflect.TypeFor[sdkapi.WSRehydratePayload](),
		sdkapi.WSLoadSettings: reflect.TypeFor[sdkapi.WSNothing](), sdkapi.WSUpdateSettings: reflect.TypeFor[sdkapi.WSSettingsChange](),
		sdkapi.WSListModels: reflect.TypeFor[sdkapi.WSNothing](), sdkapi.WSWakeword: reflect.TypeFor[sdkapi.WSNothing](),
		sdkapi.WSToolResult: reflect.TypeFor[sdkapi.WSToolResultPayload](), sdkapi.WSToolBundleResult: reflect.TypeFor[sdkapi.WSToolBundleResultPayload](),
		sdkapi.WSResume: reflect.TypeFor[sdkapi.WSResumePayload](), sdkapi.WSCancel: reflect.TypeFor[sdkapi.WSCancelPayload](),
		sdkapi.WSApprovalDecision: reflect.TypeFor[sdkapi.WSApprovalDecisionPayload](),
	}
	toClients = map[string]reflect.Type{
		sdkapi.WSStreamingResponse: reflect.TypeFor[sdkapi.WSTextPayload](), sdkapi.WSThought: reflect.TypeFor[sdkapi.WSThoughtPayload](),
		sdkapi.WSAudioChunk: reflect.TypeFor[sdkapi.WSAudioPayload](),
		sdkapi.WSToolCall:   reflect.TypeFor[sdkapi.WSToolCallPayload](), sdkapi.WSToolBundle: reflect.TypeFor[sdkapi.WSToolBundlePayload](),
		sdkapi.WSToolOutput: reflect.TypeFor[sdkapi.WSToolOutputPayload](), sdkapi.WSApprovalRequest: reflect.TypeFor[sdkapi.WSApprovalRequestPayload](),
		sdkapi.WSSystemPrompt: reflect.TypeFor[sdkapi.WSContentPayload](), sdkapi.WSUserMessageFull: reflect.TypeFor[sdkapi.UserMessageFull](),
		sdkapi.WSAssistantMessageFull: reflect.TypeFor[sdkapi.WSAssistantMessage](), sdkapi.WSToolSchemas: reflect.TypeFor[sdkapi.WSToolSchemasPayload](),
		sdkapi.WSTokenCount: reflect.TypeFor[sdkapi.WSTokenCountPayload](), sdkapi.WSStreamingComplete: reflect.TypeFor[sdkapi.WSCompletePayload](),
		sdkapi.WSSettingsLoaded: reflect.TypeFor[sdkapi.WSSettingsLoadedPayload](), sdkapi.WSSettingsUpdated: reflect.TypeFor[sdkapi.WSSettingsUpdatedPayload](),
		sdkapi.WSModelsListed: reflect.TypeFor[sdkapi.ModelList](), sdkapi.WSWakewordActivated: reflect.TypeFor[sdkapi.WSWakewordPayload](),
		sdkapi.WSWakewordGreeting: reflect.TypeFor[sdkapi.WSGreetingPayload](), sdkapi.WSClientToolManifest: reflect.TypeFor[sdkapi.WSManifestResult](),
		sdkapi.WSResync: reflect.TypeFor[sdkapi.WSResyncPayload](), sdkapi.WSWarning: reflect.TypeFor[sdkapi.WSWarningPayload](),
		sdkapi.WSToolProgress: reflect.TypeFor[sdkapi.WSToolProgressPayload](), sdkapi.WSError: reflect.TypeFor[sdkapi.WSErrorPayload](),
	}
)

// describeSocket has the API document say what is sent at /ws. OpenAPI has no words for sockets, so
// that stands at the answer that opens one.
func (s *door) describeSocket() {
	frames := &huma.Schema{AnyOf: []*huma.Schema{
		gateway.Union(s.Core, "WSClientMessage", fromClients), gateway.Union(s.Core, "WSServerMessage", toClients),
	}}
	op := &huma.Operation{
		OperationID: "agent-socket", Method: http.MethodGet, Path: sdkapi.WSPath, Tags: []string{"agent"},
		Summary: "Talk to the agent",
		Description: "A WebSocket (RFC 6455). The client's first message is the handshake; then both sides send messages with an id, a type and a payload, " +
			"each as one text frame of JSON. docs/protocols.md explains them.",
		Responses: map[string]*huma.Response{"101": {
			Description: "The socket is open. What follows are the messages of both sides.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: frames}},
		}},
	}
	for _, status := range []int{http.StatusForbidden, http.StatusUpgradeRequired, http.StatusServiceUnavailable} {
		op.Responses[strconv.Itoa(status)] = gateway.JSONResponse[gateway.ErrorResponse](s.Core, http.StatusText(status))
	}
	s.Core.API.OpenAPI().AddOperation(op)
}
