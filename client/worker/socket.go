package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// Times of a connection.
const (
	dialTime   = 10 * time.Second
	writeTime  = 10 * time.Second
	silentTime = 2 * time.Minute // longest silence; the gateway pings more often
)

// maxMessage limits a message of the gateway, which may repeat a query, in bytes.
const maxMessage = 64 << 20

// socket is a connection to /ws.
type socket struct {
	conn *websocket.Conn
	mu   sync.Mutex // guards writes
}

// dial connects and sends the handshake. If the gateway refuses the connection, the error is an
// *sdkapi.Error.
func (o *Options) dial(ctx context.Context) (*socket, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	header := http.Header{}
	if o.Token != "" {
		header.Set("Authorization", "Bearer "+o.Token)
	}
	url := "ws" + strings.TrimPrefix(strings.TrimRight(o.URL, "/"), "http") + sdkapi.WSPath
	conn, resp, err := (&websocket.Dialer{Proxy: http.ProxyFromEnvironment}).DialContext(ctx, url, header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil && resp != nil && resp.StatusCode >= http.StatusBadRequest {
		return nil, refusalOf(resp)
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	s := &socket{conn: conn}
	answer := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		if err := conn.SetReadDeadline(time.Now().Add(silentTime)); err != nil {
			return err
		}
		return answer(data)
	})
	if err := s.write(o.handshake()); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// handshake returns the message that names the worker and its tools.
func (o *Options) handshake() sdkapi.WSHandshake {
	manifest := sdkapi.WSClientManifest{Version: 1, Tools: []sdkapi.WSClientTool{}}
	tools, _ := o.Tools.List()
	for _, t := range tools {
		if o.Desk.has(t.Name) {
			continue // the gateway already knows it
		}
		if o.Unattended && t.Risk == agent.Risky {
			t.Risk = agent.Safe
		}
		manifest.Tools = append(manifest.Tools, sdkapi.WSClientTool{
			Name: toolName(t.Name), Description: t.Description, ExecutionTarget: "local_runtime",
			Schema: t.Input, ArgumentResolution: "passthrough", Risk: string(t.Risk),
		})
	}
	return sdkapi.WSHandshake{Type: "handshake", UserID: o.User, AgentDefinition: &sdkapi.WSAgentDefinition{
		Version: 1, Approvals: sdkapi.ApprovalsByRequest, Runtime: &sdkapi.WSAgentRuntime{OperatingSystem: system()},
		Tools: &sdkapi.WSAgentTools{Mode: "default_plus_client", ClientManifest: &manifest, DisabledTools: o.Desk.lacks(tools)},
	}}
}

// Desk maps the tools of the desktop reference to tools of this machine. A gateway knows the tools of
// the desktop reference, so they need no manifest.
type Desk struct {
	// Names maps the reference's tool names to the names of the tools on this machine.
	Names map[string]string
	// State returns the state of the machine, for the message system_state of the protocol.
	State func() any
}

// tool returns the name that a tool of the reference has here, or name itself if d does not map it. d
// may be nil.
func (d *Desk) tool(name string) string {
	if d != nil && d.Names[name] != "" {
		return agent.ModelName(d.Names[name])
	}
	return name
}

// has reports whether a tool of this machine is one of the reference's tools. d may be nil.
func (d *Desk) has(name string) bool {
	if d == nil {
		return false
	}
	for _, ours := range d.Names {
		if ours == name {
			return true
		}
	}
	return false
}

// lacks returns the sorted names of the reference's tools that this machine does not have.
func (d *Desk) lacks(tools []agent.Descriptor) (names []string) {
	if d == nil {
		return nil
	}
	for name, ours := range d.Names {
		if !slices.ContainsFunc(tools, func(t agent.Descriptor) bool { return t.Name == ours }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// send sends a message.
func (s *socket) send(m message) error {
	raw, err := json.Marshal(m.payload)
	if err != nil {
		return err
	}
	return s.write(sdkapi.WSMessage{ID: cmp.Or(m.id, uuid.NewString()), Type: m.kind, Payload: raw})
}

// write sends a message as JSON, within writeTime. Several goroutines may call it.
func (s *socket) write(message any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	return s.conn.WriteJSON(message)
}

// read returns the next message.
func (s *socket) read() (m sdkapi.WSMessage, err error) {
	if err = s.conn.SetReadDeadline(time.Now().Add(silentTime)); err == nil {
		err = s.conn.ReadJSON(&m)
	}
	return m, err
}

// close closes the connection at once, which ends a pending read. It may be called twice.
func (s *socket) close() { _ = s.conn.Close() }
