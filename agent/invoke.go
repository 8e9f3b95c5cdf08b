package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a call.
const (
	MaxArguments  = 1 << 20  // maximum size of the arguments, in bytes
	MaxStructured = 8 << 20  // maximum size of structured output, in bytes
	MaxMeta       = 64 << 10 // maximum size of a result's metadata, in bytes
)

// argumentsRoot begins the paths of invalid arguments.
const argumentsRoot = "arguments"

// Invoke calls a tool by its name. It fails with TOOL_NOT_FOUND if v does not show the tool, with TOOL_FORBIDDEN if the
// tool is forbidden, and with TOOL_STARTING if the tool is not ready yet. If the arguments do not fit the input schema,
// it fails with PAYLOAD_TOO_LARGE or VALIDATION_ERROR; the fields of the error are the paths of the invalid arguments.
// It fails with TOOL_ERROR if the tool fails, panics, or returns a result that does not fit its output schema. The
// caller is responsible for the approval of risky calls. After an error, the Result has only the Usage, which always
// contains the tool's time.
func (v View) Invoke(ctx context.Context, name string, call Call) (Result, error) {
	observers := *v.registry.watching.Load()
	if len(observers) == 0 {
		return v.invoke(ctx, name, call)
	}
	var origin Origin
	if e := v.find(name); e != nil {
		origin = e.Origin
	}
	for _, o := range observers {
		ctx = o.Begin(ctx, name, origin)
	}
	res, err := v.invoke(ctx, name, call)
	for _, o := range observers {
		o.End(ctx, name, origin, call, res, err)
	}
	return res, err
}

// invoke is Invoke without observers.
func (v View) invoke(ctx context.Context, name string, call Call) (Result, error) {
	e, err := v.callable(name)
	if err != nil {
		return Result{}, err
	}
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage(`{}`)
	}
	if call.Arguments, err = e.fitArguments(call.Arguments); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fault.From(err)
	}
	call.view, call.tool = &v, name
	res, err := e.call(ctx, call)
	if err == nil {
		err = e.checkResult(res)
	}
	if err != nil {
		return Result{Usage: res.Usage}, err
	}
	return res, nil
}

// maxWithin is the maximum depth of nested calls.
const maxWithin = 4

// Invoke calls another tool during the call c, for the user of c and with the view of c. It returns the errors of
// View.Invoke. It also fails with TOOL_ERROR if calls are nested deeper than maxWithin.
func (c Call) Invoke(ctx context.Context, name string, arguments json.RawMessage) (Result, error) {
	switch {
	case c.view == nil:
		return Result{}, fault.New("agent.Call.Invoke", sdkapi.ToolNotFound, "the tool %.*q is not available: a tool can call other tools only if it was called with View.Invoke", MaxNameLen, name)
	case c.within >= maxWithin:
		return Result{}, fault.New("agent.Call.Invoke", sdkapi.ToolError, "at most %d levels of nested tool calls are allowed; the tool %.*q was not called", maxWithin, MaxNameLen, name)
	}
	return c.view.View(forAgents).Invoke(ctx, name, Call{
		ID: c.ID, Session: c.Session, User: c.User, Arguments: arguments, Via: c.Via, Spent: c.Spent, within: c.within + 1, parent: c.tool,
	})
}

// forAgents hides tools that are only for clients.
func forAgents(d Descriptor) bool { return !d.APIOnly }

// callable returns the tool with a name, or the reason why it cannot be called.
func (v View) callable(name string) (*entry, error) {
	const op = "agent.Invoke"
	e := v.find(name)
	switch {
	case e == nil && v.registry.expects(name):
		return nil, fault.New(op, sdkapi.ToolStarting, "the plugin of the tool %.*q is starting; try again in a few seconds", MaxNameLen, name)
	case e == nil:
		return nil, fault.New(op, sdkapi.ToolNotFound, "unknown tool %.*q; list the tools to see their names", MaxNameLen, name)
	case e.Risk == Forbidden:
		return nil, fault.New(op, sdkapi.ToolForbidden, "the tool %q is forbidden on this gateway; ask its operator to allow the tool", name)
	case e.Starting:
		return nil, fault.New(op, sdkapi.ToolStarting, "the tool %q is starting; try again in a few seconds", name)
	}
	return e, nil
}

// fitArguments is FitArguments for the tool.
func (e *entry) fitArguments(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) > MaxArguments {
		return nil, fault.New("agent.Invoke", sdkapi.PayloadTooLarge, "the arguments of the tool %q are too large; send fewer or shorter values", e.Name).
			At(argumentsRoot, "expected at most %d bytes", MaxArguments)
	}
	fitting, wrong := e.input.fit(argumentsRoot, arguments)
	if len(wrong) > 0 { // without this test, invalid would allocate memory for valid calls too
		return nil, invalid(wrong, "agent.Invoke", "the arguments do not match the schema of the tool %q; details.fields lists the problems", e.Name)
	}
	return fitting, nil
}

// invalid returns a VALIDATION_ERROR with the invalid fields, or nil if there are none.
func invalid(fields []sdkapi.FieldError, op, format string, args ...any) error {
	if len(fields) == 0 {
		return nil
	}
	f := fault.New(op, sdkapi.ValidationError, format, args...)
	f.Details.Fields = fields
	return f
}

// call calls the tool and measures its time, unless the tool has measured it. It converts a panic of the
// tool to TOOL_ERROR. Faults and errors of an ended context pass unchanged.
func (e *entry) call(ctx context.Context, call Call) (res Result, err error) {
	started := time.Now()
	defer func() {
		if p := recover(); p != nil {
			res, err = Result{}, e.fault(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
		if res.Usage.WallTime == 0 {
			res.Usage.WallTime = time.Since(started)
		}
	}()
	res, err = e.tool.Call(ctx, call)
	var known *fault.Error
	if err != nil && !errors.As(err, &known) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = e.fault(err)
	}
	return res, err
}

// checkResult returns a fault if a result does not fit the tool's promises.
func (e *entry) checkResult(res Result) error {
	for _, part := range res.Content {
		if part.Kind == JSONPart && !json.Valid(part.JSON) {
			return e.fault(errors.New("a part of the content is not valid JSON"))
		}
	}
	switch {
	case len(res.Meta) > MaxMeta:
		return e.fault(fmt.Errorf("the metadata of the result has %d bytes; the limit is %d", len(res.Meta), MaxMeta))
	case len(res.Structured) > MaxStructured:
		return e.fault(fmt.Errorf("the structured output has %d bytes; the limit is %d", len(res.Structured), MaxStructured))
	case e.output != nil && !res.IsError:
		if wrong := e.output.check("output", res.Structured); len(wrong) > 0 {
			f := fault.New("agent.Invoke", sdkapi.ToolError, "the tool %q of %s failed: its output does not match its schema; details.fields lists the problems", e.Name, e.Origin)
			f.Details.Fields = wrong
			return f
		}
	case len(res.Structured) > 0 && !res.Checked && !json.Valid(res.Structured):
		return e.fault(errors.New("the structured output is not valid JSON"))
	}
	return nil
}

// fault returns a failure of the tool. Its cause is only for the log.
func (e *entry) fault(cause error) error {
	return fault.New("agent.Invoke", sdkapi.ToolError, "the tool %q of %s failed; the gateway's log has the reason", e.Name, e.Origin).Because(cause)
}

// FitArguments converts arguments to the form that a tool with this schema expects. If an optional
// field is null and the schema does not allow null, it removes the field. It returns a
// VALIDATION_ERROR if the arguments do not fit the schema. Use it for tools outside of a registry.
// For tools of a registry, View.Invoke does this conversion.
func FitArguments(schema, arguments json.RawMessage) (json.RawMessage, error) {
	s, wrong := compile("schema", schema)
	if len(wrong) == 0 {
		arguments, wrong = s.fit(argumentsRoot, arguments)
	}
	return arguments, invalid(wrong, "agent.FitArguments", "the arguments do not match the tool's schema; details.fields lists the problems")
}

// CheckSchema returns a VALIDATION_ERROR if schema is not a JSON Schema for a tool's arguments.
func CheckSchema(schema json.RawMessage) error {
	_, wrong := compileInput("schema", schema)
	if len(wrong) == 0 {
		return nil
	}
	return invalid(wrong, "agent.CheckSchema", "%s: %s", wrong[0].Path, wrong[0].Message)
}
