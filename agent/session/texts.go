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

// Each turn shows the tools and the system prompt, which are large and equal in most turns. Their
// texts are stored once, by hash, and events have only the hash. A text of the deployment has a
// stream of its own. A text with words of the session's client is in a stream of the session, and
// is deleted with it. Readers of a session get events with the texts filled in.

// Limits of shared texts.
const (
	sharedTool   = 256  // size of a tool's definition from which it is shared, in bytes
	sharedPrompt = 1024 // size of a system prompt from which it is shared, in bytes
	knownTexts   = 1024 // texts in the cache
)

// definition is the text of a tool.
type definition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
}

// texts stores and finds shared texts.
type texts struct {
	log   journal.Log
	known *lru.Cache[string, stored] // by stream and hash
}

// stored is a text in the cache, with the number of its event.
type stored struct {
	text json.RawMessage
	seq  int64
}

// newTexts returns the shared texts of a journal, with an empty cache.
func newTexts(log journal.Log) *texts {
	known, _ := lru.New[string, stored](knownTexts) // it fails only for sizes below 1
	return &texts{log, known}
}

// keep stores a value once and returns its hash. If own is true, it stores the value in the stream
// of the session's texts. If two gateways store the same text at once, it is stored twice, which
// does no harm.
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
		if err := t.verify(ctx, stream, hash); err != nil {
			return "", err
		}
	}
	_, err = t.find(ctx, stream, hash)
	if fault.CodeOf(err) != sdkapi.NotFound {
		return hash, err
	}
	events, err := encode([]shared{{hash, text}})
	var seq int64
	if err == nil {
		seq, err = t.log.Append(ctx, stream, events...)
	}
	if err == nil {
		t.known.Add(stream+" "+hash, stored{text, seq})
	}
	return hash, err
}

// verify removes a text from the cache if its stream lacks it now. Another process may have erased
// the session, and begun a new one with the same id.
func (t *texts) verify(ctx context.Context, stream, hash string) error {
	known, cached := t.known.Get(stream + " " + hash)
	if !cached {
		return nil
	}
	list, err := t.log.Read(ctx, stream, known.seq-1, 1)
	if err != nil {
		return err
	}
	for _, e := range list {
		if s, is, err := As[shared](e); err == nil && is && s.Hash == hash {
			return nil
		}
	}
	t.known.Remove(stream + " " + hash)
	return nil
}

// find returns a text of a stream. It fails with NOT_FOUND if the stream lacks the text.
func (t *texts) find(ctx context.Context, stream, hash string) (json.RawMessage, error) {
	if known, cached := t.known.Get(stream + " " + hash); cached {
		return known.text, nil
	}
	for after := int64(0); ; {
		list, err := t.log.Read(ctx, stream, after, journal.MaxEvents)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			after = e.Seq
			if s, is, err := As[shared](e); err == nil && is && s.Hash == hash {
				t.known.Add(stream+" "+hash, stored{s.Text, e.Seq})
				return s.Text, nil
			}
		}
		if len(list) == 0 {
			return nil, fault.New("session.texts", sdkapi.NotFound, "the text %s is not stored", hash)
		}
	}
}

// forget removes an erased session's texts from the cache.
func (t *texts) forget(id string) {
	for _, key := range t.known.Keys() {
		if strings.HasPrefix(key, textsOf(id)+" ") {
			t.known.Remove(key)
		}
	}
}

// read decodes a text into to. An erased text leaves to unchanged.
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

// expand returns an event with its texts filled in.
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
