package desktop

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// maxRulesBody is the maximum size of a list of rules, in bytes. It allows for JSON escapes.
const maxRulesBody = session.MaxRules * 8 << 10

// addRules adds the routes that list and replace a user's approval rules.
func (s *door) addRules() {
	about := func(id, method, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: method, Path: sdkapi.RulesPath, Tags: []string{"decisions"}, Security: s.Core.AsksForKey(),
			Summary: summary, Description: description, Errors: append(errors, 403, 422),
		}
	}
	gateway.RegisterJSON(s.Core, about("list-rules", http.MethodGet, "List approval rules",
		"Lists the user's rules, set here or by `update-settings` at `/ws`. The list does not include the gateway's rules."), s.listRules)
	put := about("put-rules", http.MethodPut, "Set approval rules",
		"Replaces the user's rules. They apply from the next call. If rules disagree, including the gateway's rules, deny beats ask, "+
			"and ask beats allow. A user's rule never allows a call after the model has read untrusted text.", 400, 408, 413, 415)
	put.MaxBodyBytes, put.BodyReadTimeout = maxRulesBody+1, -1 // huma refuses a body of exactly the limit; the gateway watches progress
	gateway.RegisterJSON(s.Core, put, s.putRules)
}

// listRules returns the caller's rules, without the gateway's.
func (s *door) listRules(ctx context.Context, _ *struct{}) (*sdkapi.Rules, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	set, err := s.chosenSettings(ctx, user)
	return rulesAnswer(set), err
}

// rulesAnswer returns a user's rules in the wire form. Without rules the list is empty, not null.
func rulesAnswer(set sdkapi.WSSettings) *sdkapi.Rules {
	return &sdkapi.Rules{Rules: append([]sdkapi.WSPolicyRule{}, set.Policy...)}
}

// putRules replaces the caller's rules. If one is invalid, it changes nothing and its error lists
// the invalid fields.
func (s *door) putRules(ctx context.Context, in *struct{ Body sdkapi.Rules }) (*sdkapi.Rules, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	if wrong := rulesOf(in.Body.Rules).Check("body.rules"); len(wrong) > 0 {
		f := fault.New("gateway.rules", sdkapi.ValidationError, "the rules are invalid; details.fields lists the problems")
		f.Details.Fields = wrong
		return nil, f
	}
	err = s.changeSettings(ctx, user, func(set *sdkapi.WSSettings) error {
		set.Policy = in.Body.Rules
		return nil
	})
	return rulesAnswer(sdkapi.WSSettings{Policy: in.Body.Rules}), err
}
