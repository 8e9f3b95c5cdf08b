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

// addAudit adds the route that lists the audit log. On a gateway with an operator token it needs that token.
func (s *door) addAudit() {
	s.core.App.Use(sdkapi.AuditPath, gateway.Recognize)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "list-audit", Method: http.MethodGet, Path: sdkapi.AuditPath, Tags: []string{"tools"}, Security: gateway.AsksForOperator,
		Summary: "List tool calls",
		Description: "Lists the calls that have ended, latest first, without their arguments. A call appears within a tenth of a second of its end. On a busy " +
			"gateway, it appears later. A local gateway without an operator token shows `session_id` only if the request contains the key from approval.key: " +
			"see `GET /api/decisions`.",
		Errors: []int{401, 403, 422},
	}, s.listAudit)
}

// auditInput selects audit records.
type auditInput struct {
	User     string    `query:"user" maxLength:"128" doc:"Only calls of this user."`
	Tool     string    `query:"tool" maxLength:"64" doc:"Only calls of this tool." example:"ocr.find_text"`
	Protocol string    `query:"protocol" enum:"http,ws,prompt,mcp,general,openai,host" doc:"Only calls over this protocol."`
	Outcome  string    `query:"outcome" enum:"done,failed,refused,denied,canceled,unknown" doc:"Only calls with this outcome."`
	Since    time.Time `query:"since" doc:"Only calls that ended at this time or later."`
	Until    time.Time `query:"until" doc:"Only calls that ended before this time."`
	After    string    `query:"after" maxLength:"64" doc:"Value of \"next\" in the previous page."`
	Limit    int       `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Maximum number of items."`
}

// listAudit returns a page of the audit log. It removes the session ids unless the caller may approve calls.
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
		if !whole { // a client that knows a session's id can approve its calls
			out.Records[i].SessionID = ""
		}
	}
	return &out, nil
}

// AuditRecord converts a record to the API's form.
func AuditRecord(r audit.Record) sdkapi.AuditRecord {
	return sdkapi.AuditRecord{
		Time: r.Time, UserID: r.User, Tool: r.Tool, Origin: r.Origin, Protocol: r.Protocol, SessionID: r.Session, CallID: r.Call,
		Parent: r.Parent, Digest: r.Digest, Decision: string(r.Decision), DecidedBy: r.By, Outcome: string(r.Outcome), Code: r.Code,
		DurationMS: float64(r.Duration.Microseconds()) / 1000, Tokens: r.Tokens,
		Usage: wireUsage(agent.Usage{Fuel: r.Fuel, PeakMemory: r.Memory, WallTime: r.Duration, HostCalls: r.HostCalls, EgressBytes: r.Egress}),
	}
}
