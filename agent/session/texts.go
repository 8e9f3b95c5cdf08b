package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Each turn shows the tools and the system prompt, which are large and the same in most
// turns. Their texts are stored once, by their hash, and events have the hash. A text
// of the deployment is in a stream of its own; a text with words of the session's client
// is in a stream of the session, and goes with it. Readers of a session get events with
// the texts.

// Bounds of shared texts.
const (
	sharedTool   = 256  // bytes of a tool's definition from which it is shared
	sharedPrompt = 1024 // bytes of a system prompt, likewise
	knownTexts   = 1024 // texts that are remembered
)

// definition is the text of a tool.
type definition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
}

// texts stores and finds shared texts.
type texts struct {
	log   journal.Log
	known *lru.Cache[string, json.RawMessage] // by stream and hash
}

func newTexts(log journal.Log) *texts {
	known, _ := lru.New[string, json.RawMessage](knownTexts) // it fails for sizes below 1
	return &texts{log, known}
}

// keep stores a value once and returns its hash: in the stream of a session's texts if
// own is set. Two gateways at once may store the same text twice, which does no harm.
func (t *texts) keep(ctx context.Context, id string, own bool, value any) (hash string, err error) {
	text, err := marshal(value)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	hash = hex.EncodeToString(sum[:16])
	stream := textOf(hash)
	if own {
		stream = textsOf(id)
	}
	_, err = t.find(ctx, stream, hash)
	if fault.CodeOf(err) != sdkapi.NotFound {
		return hash, err
	}
	events, err := encode([]shared{{hash, text}})
	if err == nil {
		_, err = t.log.Append(ctx, stream, events...)
	}
	if err == nil {
		t.known.Add(stream+" "+hash, text)
	}
	return hash, err
}

// find returns a text of a stream. It fails with NOT_FOUND if the text is not there.
func (t *texts) find(ctx context.Context, stream, hash string) (json.RawMessage, error) {
	if text, known := t.known.Get(stream + " " + hash); known {
		return text, nil
	}
	for after := int64(0); ; {
		list, err := t.log.Read(ctx, stream, after, journal.MaxEvents)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			after = e.Seq
			if s, is, err := As[shared](e); err == nil && is && s.Hash == hash {
				t.known.Add(stream+" "+hash, s.Text)
				return s.Text, nil
			}
		}
		if len(list) == 0 {
			return nil, fault.New("session.texts", sdkapi.NotFound, "the text %s is not kept", hash)
		}
	}
}

// forget forgets the texts of sessions that were erased.
func (t *texts) forget(id string) {
	for _, key := range t.known.Keys() {
		if strings.HasPrefix(key, textsOf(id)+" ") {
			t.known.Remove(key)
		}
	}
}

// read decodes a text.
func (t *texts) read(ctx context.Context, id string, own bool, hash string, to any) error {
	stream := textOf(hash)
	if own {
		stream = textsOf(id)
	}
	text, err := t.find(ctx, stream, hash)
	if fault.CodeOf(err) == sdkapi.NotFound { // erased meanwhile
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	return err
}

// expand returns an event with the texts that it names.
func (t *texts) expand(ctx context.Context, id string, e journal.Event) (journal.Event, error) {
	var whole Event
	switch e.Kind {
	case KindSystemPrompt:
		shown, _, err := As[SystemPrompt](e)
		if err != nil || shown.Hash == "" {
			return e, err
		}
		if err := t.read(ctx, id, shown.Own, shown.Hash, &shown.Text); err != nil {
			return e, err
		}
		shown.Hash, shown.Own = "", false
		whole = shown
	case KindToolSchemas:
		shown, _, err := As[ToolSchemas](e)
		if err != nil || !slices.ContainsFunc(shown.Tools, func(s ToolSchema) bool { return s.Hash != "" }) {
			return e, err
		}
		for i, s := range shown.Tools {
			if s.Hash == "" {
				continue
			}
			var d definition
			if err := t.read(ctx, id, s.Own, s.Hash, &d); err != nil {
				return e, err
			}
			shown.Tools[i] = ToolSchema{Name: s.Name, Description: d.Description, Input: d.Input}
		}
		whole = shown
	default:
		return e, nil
	}
	data, err := marshal(whole)
	e.Data = data
	return e, err
}
