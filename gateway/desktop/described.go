package desktop

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// describeSocket adds the messages of /ws to the API document. OpenAPI cannot describe sockets,
// so it adds them to the response that opens the socket, by direction. Generators cannot join the two unions to one.
func (s *door) describeSocket() {
	frames := &huma.Schema{Type: huma.TypeObject, Description: "The messages by sender. Each is one frame.", Properties: map[string]*huma.Schema{
		"client": gateway.Union(s.Core, "WSClientMessage", sdkapi.WSClientMessages), "server": gateway.Union(s.Core, "WSServerMessage", sdkapi.WSServerMessages),
	}}
	op := &huma.Operation{
		OperationID: "agent-socket", Method: http.MethodGet, Path: sdkapi.WSPath, Tags: []string{"agent"},
		Summary: "Talk to the agent",
		Description: "A WebSocket (RFC 6455). The client sends the handshake first. Then both sides send messages with an id, a type and a payload, " +
			"each as one text frame of JSON: see docs/protocols.md.",
		Responses: map[string]*huma.Response{"101": {
			Description: "The socket is open. Both sides can send messages.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: frames}},
		}},
	}
	for _, status := range []int{http.StatusForbidden, http.StatusUpgradeRequired, http.StatusServiceUnavailable} {
		op.Responses[strconv.Itoa(status)] = gateway.JSONResponse[gateway.ErrorResponse](s.Core, http.StatusText(status))
	}
	s.Core.API.OpenAPI().AddOperation(op)
}
