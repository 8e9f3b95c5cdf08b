package tools

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

func (s *door) addAudit() {
	s.core.App.Use(sdkapi.AuditPath, gateway.Recognize)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "list-audit", Method: http.MethodGet, Path: sdkapi.AuditPath, Tags: []string{"tools"}, Security: gateway.AsksForOperator,
		Summary: "List the tool calls",
		Description: "Those that ended last come first. A call is there a tenth of a second after it ended, or later on a gateway that has much to do. " +
			"What tools were called with is not kept. A local gateway without an operator's token tells `session_id` to who brings the key, see `GET /api/decisions`.",
		Errors: []int{401, 403, 422},
	}, s.listAudit)
}

// auditInput says which records are asked for.
type auditInput struct {
	User     string    `query:"user" maxLength:"128" doc:"Those of this user."`
	Tool     string    `query:"tool" maxLength:"64" doc:"Those of this tool." example:"ocr.find_text"`
	Protocol string    `query:"protocol" enum:"http,ws,prompt,mcp,general,openai,host" doc:"Those that came by this protocol."`
	Outcome  string    `query:"outcome" enum:"done,failed,refused,denied,canceled,unknown" doc:"Those that ended so."`
	Since    time.Time `query:"since" doc:"Those that ended then or later."`
	Until    time.Time `query:"until" doc:"Those that ended before."`
	After    string    `query:"after" maxLength:"64" doc:"What the page before had as next."`
	Limit    int       `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"How many at most."`
}

func (s *door) listAudit(ctx context.Context, in *auditInput) (*sdkapi.AuditPage, error) {
	page, err := s.audit.List(ctx, audit.Query{
		User: in.User, Tool: in.Tool, Protocol: in.Protocol, Outcome: audit.Outcome(in.Outcome),
		Since: in.Since, Until: in.Until, After: in.After, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := sdkapi.AuditPage{Records: make([]sdkapi.AuditRecord, len(page.Records)), Next: page.Next}
	whole := s.operatorToken != "" || s.core.CheckKey(ctx) == nil
	for i, r := range page.Records {
		out.Records[i] = AuditRecord(r)
		if !whole { // with a session's id, its calls can be approved
			out.Records[i].SessionID = ""
		}
	}
	return &out, nil
}

// AuditRecord returns a record as it is on the wire.
func AuditRecord(r audit.Record) sdkapi.AuditRecord {
	return sdkapi.AuditRecord{
		Time: r.Time, UserID: r.User, Tool: r.Tool, Origin: r.Origin, Protocol: r.Protocol, SessionID: r.Session, CallID: r.Call,
		Parent: r.Parent, Digest: r.Digest, Decision: string(r.Decision), DecidedBy: r.By, Outcome: string(r.Outcome), Code: r.Code,
		DurationMS: float64(r.Duration.Microseconds()) / 1000, Tokens: r.Tokens,
		Usage: wireUsage(agent.Usage{Fuel: r.Fuel, PeakMemory: r.Memory, WallTime: r.Duration, HostCalls: r.HostCalls, EgressBytes: r.Egress}),
	}
}
