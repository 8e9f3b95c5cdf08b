package desktop

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// settingsOf returns the journal stream of a user's settings. Its last event contains all of
// them.
func settingsOf(user string) string {
	return "settings/" + hashid.Of(user, 16)
}

// EraseSettings removes a user's settings from log.
func EraseSettings(ctx context.Context, log journal.Log, user string) (int64, error) {
	last, err := log.Append(ctx, settingsOf(user))
	if err != nil {
		return 0, err
	}
	return min(last, 1), log.Drop(ctx, settingsOf(user))
}

const kindSettings = "settings.updated"

// chosenSettings returns a user's choices, with defaults for the other settings. If the user has
// not chosen a model, the model is empty.
func (s *door) chosenSettings(ctx context.Context, user string) (sdkapi.WSSettings, error) {
	set := sdkapi.WSSettings{
		InteractionMode: "agent", BrowserAutomationEnabled: true, IncludeQueryScreenshot: true, ProviderAPIKeys: map[string]sdkapi.WSProviderKey{},
	}
	return set, readSettings(ctx, s.Journal, user, &set)
}

// loadSettings returns the settings in effect for a user.
func (s *door) loadSettings(ctx context.Context, user string) (sdkapi.WSSettings, error) {
	set, err := s.chosenSettings(ctx, user)
	set.SelectedModelID = cmp.Or(set.SelectedModelID, s.models.Default())
	set.ModelMode, set.ModelProvider = s.whose(ctx, user, set.SelectedModelID)
	for provider, key := range set.ProviderAPIKeys { // keys are in memory only, so a stored entry may have lost its key
		set.ProviderAPIKeys[provider] = sdkapi.WSProviderKey{Enabled: key.Enabled && s.models.Keeps(user, provider)}
	}
	return set, err
}

// readSettings decodes a user's stored settings into set.
func readSettings(ctx context.Context, log journal.Log, user string, set any) error {
	stream := settingsOf(user)
	last, err := log.Append(ctx, stream)
	if err != nil || last == 0 {
		return err
	}
	events, err := log.Read(ctx, stream, last-1, 1)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := json.Unmarshal(e.Data, set); err != nil {
			return err
		}
	}
	return nil
}

// loadSettings answers the client with the settings in effect, without API keys.
func (c *client) loadSettings(struct{}) error {
	set, err := c.server.loadSettings(c.ctx, c.user)
	if err == nil {
		c.answer(sdkapi.WSSettingsLoaded, map[string]any{"config": set})
	}
	return err
}

// updateSettings changes the settings in the payload. Provider keys stay in memory; the stored
// settings only say that a key exists.
func (c *client) updateSettings(raw json.RawMessage) error {
	var keys []string
	err := c.server.changeSettings(c.ctx, c.user, func(set *sdkapi.WSSettings) (err error) {
		keys, err = c.takeSettings(set, raw)
		return err
	})
	if err == nil {
		c.answer(sdkapi.WSSettingsUpdated, map[string]any{"updated_keys": keys})
	}
	return err
}

// takeSettings decodes a payload into set and returns the names of the changed settings.
func (c *client) takeSettings(set *sdkapi.WSSettings, raw json.RawMessage) (keys []string, err error) {
	known, rules := set.ProviderAPIKeys, set.Policy
	set.ProviderAPIKeys, set.Policy = nil, nil // a new rule must not inherit fields of an old one
	model := set.SelectedModelID
	set.SelectedModelID, set.ModelMode, set.ModelProvider = "", "", ""
	if err := checkSaidOnce(raw, set, "payload"); err != nil {
		return nil, err
	}
	if err := strict(raw, set); err != nil {
		return nil, fault.New("gateway.settings", sdkapi.ValidationError, "invalid settings: %s", err)
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return nil, err
	}
	maps.DeleteFunc(named, func(name string, value json.RawMessage) bool { // null is valid only for lists
		return string(value) == "null" && name != "policy" && name != "provider_api_keys"
	})
	if _, changed := named["policy"]; !changed {
		set.Policy = rules
	}
	choice, f := c.chooseModel(*set, model, named)
	if f = c.checkSettings(*set, f); len(f.Details.Fields) > 0 {
		return nil, f
	}
	if loosens(rules, set.Policy) { // only a person may loosen rules, as with PUT /api/rules
		if err := c.server.Core.CheckKey(c.ctx); err != nil {
			return nil, err
		}
	}
	if choice != model {
		named["selected_model_id"] = nil
	}
	set.SelectedModelID, set.ModelMode, set.ModelProvider = choice, "", ""
	if _, changed := named["provider_api_keys"]; changed {
		set.ProviderAPIKeys = c.keepKeys(known, set.ProviderAPIKeys)
	} else {
		set.ProviderAPIKeys = known
	}
	keys = slices.AppendSeq([]string{}, maps.Keys(named))
	slices.Sort(keys)
	return keys, nil
}

// keepKeys stores a user's new keys in memory. It returns the entries to store for the new and
// the known keys. If brought is nil, it removes all keys.
func (c *client) keepKeys(known, brought map[string]sdkapi.WSProviderKey) map[string]sdkapi.WSProviderKey {
	if brought == nil {
		for provider := range known {
			c.server.models.Keep(c.user, provider, "")
		}
		return map[string]sdkapi.WSProviderKey{}
	}
	for provider, key := range brought {
		switch {
		case !key.Enabled:
			c.server.models.Keep(c.user, provider, "")
		case key.APIKey != "":
			c.server.models.Keep(c.user, provider, key.APIKey)
		}
		known[provider] = sdkapi.WSProviderKey{Enabled: key.Enabled}
	}
	return known
}

// Time limits of changing settings. Across all gateways, one caller at a time may change them.
const (
	settingsTTL   = 10 * time.Second // the lease ends after this time if its gateway died
	settingsWait  = 15 * time.Second // maximum wait for the lease
	settingsPause = 10 * time.Millisecond
)

// changeSettings applies change to a user's choices and stores them. It fails with OVERLOADED if
// it does not get the lease within settingsWait.
func (s *door) changeSettings(ctx context.Context, user string, change func(*sdkapi.WSSettings) error) error {
	lease, err := s.leaseSettings(ctx, user)
	if err != nil {
		return err
	}
	defer func() { _ = s.Journal.Release(context.WithoutCancel(ctx), lease) }() // otherwise the lease expires
	set, err := s.chosenSettings(ctx, user)
	if err != nil {
		return err
	}
	if err := change(&set); err != nil {
		return err
	}
	data, err := json.Marshal(set)
	if err != nil {
		return err
	}
	last, err := s.Journal.AppendAs(ctx, lease, settingsOf(user), journal.Event{Kind: kindSettings, Data: data})
	if err != nil {
		return err
	}
	return s.Journal.Trim(ctx, settingsOf(user), last, nil)
}

// leaseSettings waits for the lease that allows changing a user's settings.
func (s *door) leaseSettings(ctx context.Context, user string) (journal.Lease, error) {
	owner := rand.Text()
	for until := time.Now().Add(settingsWait); ; {
		lease, err := s.Journal.Lease(ctx, settingsOf(user), owner, settingsTTL)
		switch {
		case fault.CodeOf(err) != sdkapi.LeaseHeld:
			return lease, err
		case time.Now().After(until):
			return lease, fault.New("gateway.settings", sdkapi.Overloaded, "these settings are being changed by other requests; try again").Because(err)
		}
		if err := background.Sleep(ctx, settingsPause); err != nil {
			return lease, err
		}
	}
}

// maxProviderKeys is the maximum number of a user's keys, and maxKeyLen of one key's bytes.
const (
	maxProviderKeys = 20
	maxKeyLen       = 1024
)

// checkSettings adds the invalid fields of set to f.
func (c *client) checkSettings(set sdkapi.WSSettings, f *fault.Error) *fault.Error {
	if !slices.Contains([]string{"chat", "agent"}, set.InteractionMode) {
		f = f.At("payload.interaction_mode", "expected chat or agent")
	}
	if len(set.ProviderAPIKeys) > maxProviderKeys {
		f = f.At("payload.provider_api_keys", "expected at most %d keys", maxProviderKeys)
		set.ProviderAPIKeys = nil
	}
	takers := c.server.models.Providers()
	for _, provider := range slices.Sorted(maps.Keys(set.ProviderAPIKeys)) {
		key, at := set.ProviderAPIKeys[provider], fmt.Sprintf("payload.provider_api_keys.%.64s", provider)
		switch {
		case !slices.Contains(takers, provider):
			f = f.At(at, "expected one of the providers with an API key: %s", listed(takers))
		case len(key.APIKey) > maxKeyLen:
			f = f.At(at+".api_key", "expected at most %d bytes", maxKeyLen)
		case key.Enabled && key.APIKey == "" && !c.server.models.Keeps(c.user, provider):
			f = f.At(at+".api_key", "expected a key: the gateway has no key for this provider. Keys are only in memory, so a restart of the gateway removes them")
		}
	}
	f.Details.Fields = append(f.Details.Fields, rulesOf(set.Policy).Check("payload.policy")...)
	return f
}

// listModels answers the client with the models that the user can choose.
func (c *client) listModels(struct{}) error {
	c.answer(sdkapi.WSModelsListed, c.server.models.List(c.ctx, c.user))
	return nil
}
