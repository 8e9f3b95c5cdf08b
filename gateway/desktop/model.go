package desktop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Where a user's model runs.
const (
	modelOnline = "online"
	modelLocal  = "local"
)

// choosable is a model that a session can use.
type choosable struct {
	sdkapi.Model
	mode string // modelOnline or modelLocal
}

// choosable returns the models that a user's sessions can use. It includes the models of the
// providers in with, as if the user had keys for them.
func (s *door) choosable(ctx context.Context, user string, with ...string) []choosable {
	var all []choosable
	list := s.models.List(ctx, user, with...)
	for _, m := range list.Local {
		all = append(all, choosable{m, modelLocal})
	}
	for _, m := range list.Online {
		all = append(all, choosable{m, modelOnline})
	}
	return all
}

// modeless separates the id of a model from the name of a reasoning mode.
const modeless = "@@"

// called returns the model with that id. If the model has reasoning modes and id has none, it
// returns the default mode.
func called(list []choosable, id string) (choosable, bool) {
	at := slices.IndexFunc(list, func(m choosable) bool { return m.ID == id })
	if at < 0 {
		at = slices.IndexFunc(list, func(m choosable) bool {
			return m.ID == m.DefaultModelID && strings.HasPrefix(m.ID, id+modeless)
		})
	}
	if at < 0 {
		return choosable{}, false
	}
	return list[at], true
}

// whose returns where a model runs and its provider, even without a key for it. Both are empty
// for an unknown model.
func (s *door) whose(ctx context.Context, user, id string) (mode, provider string) {
	m, _ := called(s.choosable(ctx, user, s.models.Providers()...), id)
	return m.mode, m.Provider
}

// chooseModel returns the id of the model that a payload chooses, and a fault with the invalid
// fields. Without a choice, the id is before. If the payload has only a provider or a mode, the
// model in effect stays if it matches; otherwise the first matching model is chosen.
func (c *client) chooseModel(set sdkapi.WSSettings, before string, named map[string]json.RawMessage) (id string, f *fault.Error) {
	f = fault.New("gateway.settings", sdkapi.ValidationError, "the settings are invalid; details.fields lists the problems")
	_, asked := named["selected_model_id"]
	switch {
	case !asked && set.ModelProvider == "" && set.ModelMode == "":
		return before, f
	case set.ModelMode != "" && set.ModelMode != modelOnline && set.ModelMode != modelLocal:
		return before, f.At("payload.model_mode", "expected %s or %s", modelOnline, modelLocal)
	}
	list := c.server.choosable(c.ctx, c.user, bringing(set)...)
	if id = set.SelectedModelID; id != "" {
		return id, c.checkModel(set, list, f)
	}
	fits := func(m choosable) bool {
		return (set.ModelProvider == "" || m.Provider == set.ModelProvider) && (set.ModelMode == "" || m.mode == set.ModelMode)
	}
	if asked {
		before = ""
	}
	if m, found := called(list, cmp.Or(before, c.server.models.Default())); found && fits(m) {
		return before, f
	}
	at := slices.IndexFunc(list, func(m choosable) bool { return fits(m) && (m.DefaultModelID == "" || m.DefaultModelID == m.ID) })
	switch {
	case at >= 0:
		return list[at].ID, f
	case !slices.ContainsFunc(list, func(m choosable) bool { return set.ModelProvider == "" || m.Provider == set.ModelProvider }):
		return before, f.At("payload.model_provider", "expected a provider that has a model: %s", listed(namesOf(list, func(m choosable) string { return m.Provider })))
	}
	return before, f.At("payload.model_mode", "expected the mode of an available model: no model of this provider has the mode %s", set.ModelMode)
}

// checkModel adds the problems of the chosen model to f.
func (c *client) checkModel(set sdkapi.WSSettings, list []choosable, f *fault.Error) *fault.Error {
	const path = "payload.selected_model_id"
	m, found := called(list, set.SelectedModelID)
	if !found {
		if _, provider := c.server.whose(c.ctx, c.user, set.SelectedModelID); provider != "" {
			return f.At(path, "expected a usable model: %s has no API key; send one in provider_api_keys", provider)
		}
		return f.At(path, "expected the id of a model from list-models: %s", listed(namesOf(list, func(m choosable) string { return m.ID })))
	}
	if set.ModelProvider != "" && set.ModelProvider != m.Provider {
		f = f.At("payload.model_provider", "expected %s, the provider of the selected model, or no value", m.Provider)
	}
	if set.ModelMode != "" && set.ModelMode != m.mode {
		f = f.At("payload.model_mode", "expected %s, the mode of the selected model, or no value", m.mode)
	}
	return f
}

// bringing lists the providers for which settings contain a key.
func bringing(set sdkapi.WSSettings) []string {
	var providers []string
	for provider, key := range set.ProviderAPIKeys {
		if key.Enabled && key.APIKey != "" {
			providers = append(providers, provider)
		}
	}
	return providers
}

// namesOf returns the results of name for all models, without duplicates.
func namesOf(list []choosable, name func(choosable) string) []string {
	var names []string
	for _, m := range list {
		if n := name(m); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// maxListed is the maximum number of names that an error lists.
const maxListed = 20

// listed formats names for an error message.
func listed(names []string) string {
	if len(names) == 0 {
		return "there is none"
	}
	text := strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
