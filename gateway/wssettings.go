package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// Models are the language models that users can choose.
type Models interface {
	// List returns those that a user can ask.
	List(ctx context.Context, user string) sdkapi.ModelList

	// Default returns the id of the one for those who do not choose.
	Default() string

	// Keep keeps a key that a user brought, in memory alone; an empty one is
	// forgotten.
	Keep(user, provider, key string)
}

// settingsOf is the stream of a user's settings. Its last event holds them all.
func settingsOf(user string) string {
	of := sha256.Sum256([]byte(user))
	return "settings/" + hex.EncodeToString(of[:16])
}

const kindSettings = "settings.updated"

// loadSettings returns a user's settings, or the defaults.
func (s *Server) loadSettings(ctx context.Context, user string) (sdkapi.WSSettings, error) {
	set := sdkapi.WSSettings{
		ModelMode: "online", InteractionMode: "agent", IncludeQueryScreenshot: true,
		ProviderAPIKeys: map[string]sdkapi.WSProviderKey{}, SelectedModelID: s.cfg.Models.Default(),
	}
	return set, readSettings(ctx, s.cfg.Journal, user, &set)
}

// readSettings puts what a user has set into set.
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

func (c *wsClient) loadSettings(struct{}) error {
	set, err := c.server.loadSettings(c.ctx, c.user)
	if err == nil {
		c.tell(sdkapi.WSSettingsLoaded, map[string]any{"config": set})
	}
	return err
}

// updateSettings changes the settings that the payload names. Keys are kept in
// memory; what is stored says only that there was one.
func (c *wsClient) updateSettings(raw json.RawMessage) error {
	set, err := c.server.loadSettings(c.ctx, c.user)
	if err != nil {
		return err
	}
	before := slices.Collect(maps.Keys(set.ProviderAPIKeys))
	var named map[string]json.RawMessage
	rules := set.Policy
	set.Policy = nil // or what is left out of a new rule would be as in an old one
	if err := strict(raw, &set); err != nil {
		return fault.New("gateway.settings", sdkapi.ValidationError, "the settings are not as they should be: %s", err)
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return err
	}
	if _, changed := named["policy"]; !changed {
		set.Policy = rules
	}
	if err := c.checkSettings(set); err != nil {
		return err
	}
	if set.ProviderAPIKeys == nil { // null forgets them all
		set.ProviderAPIKeys = map[string]sdkapi.WSProviderKey{}
		for _, provider := range before {
			c.server.cfg.Models.Keep(c.user, provider, "")
		}
	}
	for provider, key := range set.ProviderAPIKeys {
		if key.APIKey != "" || !key.Enabled {
			c.server.cfg.Models.Keep(c.user, provider, key.APIKey)
		}
		set.ProviderAPIKeys[provider] = sdkapi.WSProviderKey{Enabled: key.Enabled}
	}
	data, err := json.Marshal(set)
	if err != nil {
		return err
	}
	last, err := c.server.cfg.Journal.Append(c.ctx, settingsOf(c.user), journal.Event{Kind: kindSettings, Data: data})
	if err != nil {
		return err
	}
	if err := c.server.cfg.Journal.Trim(c.ctx, settingsOf(c.user), last, nil); err != nil {
		return err
	}
	keys := make([]string, 0, len(named))
	for key := range named {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	c.tell(sdkapi.WSSettingsUpdated, map[string]any{"updated_keys": keys})
	return nil
}

// maxProviderKeys bounds how many keys a user brings, and maxKeyLen one's bytes.
const (
	maxProviderKeys = 20
	maxKeyLen       = 1024
)

func (c *wsClient) checkSettings(set sdkapi.WSSettings) error {
	f := fault.New("gateway.settings", sdkapi.ValidationError, "some settings cannot be; details.fields says which")
	if !slices.Contains([]string{"online", "local"}, set.ModelMode) {
		f = f.At("payload.model_mode", "expected online or local")
	}
	if !slices.Contains([]string{"chat", "agent"}, set.InteractionMode) {
		f = f.At("payload.interaction_mode", "expected chat or agent")
	}
	if len(set.SelectedModelID) > 256 || len(set.ModelProvider) > 256 {
		f = f.At("payload.selected_model_id", "expected an id that list-models has")
	}
	for provider, key := range set.ProviderAPIKeys {
		if len(set.ProviderAPIKeys) > maxProviderKeys || len(provider) > 64 || len(key.APIKey) > maxKeyLen {
			f = f.At("payload.provider_api_keys", "expected at most %d keys of at most %d bytes", maxProviderKeys, maxKeyLen)
			break
		}
	}
	f.Details.Fields = append(f.Details.Fields, rulesOf(set.Policy).Check("payload.policy")...)
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

func (c *wsClient) listModels(struct{}) error {
	c.tell(sdkapi.WSModelsListed, c.server.cfg.Models.List(c.ctx, c.user))
	return nil
}
