// Package conversation lists the conversations of users.
//
//	list := conversation.Open(log)
//	c, err := list.Create(ctx, "ada")
//	err = list.Touch(ctx, "ada", c.ID)
//	all, err := list.List(ctx, "ada", 20, 0)
//
// The messages of a conversation are in a session (package session), which the caller must delete
// with the conversation. A user's list is derived from the events of one stream in the journal.
package conversation

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// MaxPerUser is the maximum number of conversations of a user.
const MaxPerUser = 1000

// keptEvents is the number of events in a user's stream after which a snapshot replaces them.
const keptEvents = 500

// The kinds of events in a user's stream. Their data is an entry.
const (
	created = "conversation.created"
	touched = "conversation.touched"
	deleted = "conversation.deleted"
)

// entry is the data of an event: the id of the conversation.
type entry struct {
	ID string `json:"id"`
}

// Conversation is a conversation of a user.
type Conversation struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"` // time of the last message
}

// Conversations has the conversations of all users. Open creates it. Its methods are safe for concurrent use.
type Conversations struct{ log journal.Log }

// Open returns the conversations in a journal.
func Open(log journal.Log) *Conversations { return &Conversations{log} }

// Create creates a conversation. It fails with CONVERSATION_LIMIT if the user has MaxPerUser
// conversations.
func (c *Conversations) Create(ctx context.Context, user string) (Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return Conversation{}, err
	}
	if len(known) >= MaxPerUser {
		return Conversation{}, fault.New("conversation.Create", sdkapi.ConversationLimit,
			"the user has %d conversations, the maximum; delete some first", MaxPerUser)
	}
	id := "conv_" + strings.ToLower(rand.Text())
	seq, err := c.append(ctx, user, created, id)
	if err != nil {
		return Conversation{}, err
	}
	events, err := c.log.Read(ctx, streamOf(user), seq-1, 1)
	switch {
	case err != nil:
		return Conversation{}, err
	// A snapshot has replaced the event meanwhile.
	case len(events) == 0 || events[0].Seq != seq || events[0].Kind == journal.Resync:
		return c.Get(ctx, user, id)
	}
	return Conversation{ID: id, Created: events[0].Time, Updated: events[0].Time}, nil
}

// Get returns a user's conversation. It fails with CONVERSATION_NOT_FOUND if the user has no
// conversation with this id.
func (c *Conversations) Get(ctx context.Context, user, id string) (Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return Conversation{}, err
	}
	found, ok := known[id]
	if !ok {
		return Conversation{}, fault.New("conversation", sdkapi.ConversationNotFound, "there is no conversation %q", id)
	}
	return found, nil
}

// List returns at most limit conversations of a user, most recently updated first. It skips the
// first offset conversations.
func (c *Conversations) List(ctx context.Context, user string, limit, offset int) ([]Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return nil, err
	}
	list := sorted(known)
	list = list[min(offset, len(list)):]
	return list[:min(limit, len(list))], nil
}

// Touch records a new message in a conversation. It fails with CONVERSATION_NOT_FOUND if the user
// has no conversation with this id.
func (c *Conversations) Touch(ctx context.Context, user, id string) error {
	if _, err := c.Get(ctx, user, id); err != nil {
		return err
	}
	_, err := c.append(ctx, user, touched, id)
	return err
}

// Delete removes a conversation from the list, and reports whether the list contained it.
func (c *Conversations) Delete(ctx context.Context, user, id string) (bool, error) {
	_, err := c.Get(ctx, user, id)
	switch {
	case fault.CodeOf(err) == sdkapi.ConversationNotFound:
		return false, nil
	case err != nil:
		return false, err
	}
	_, err = c.append(ctx, user, deleted, id)
	return true, err
}

// EraseUser deletes a user's list of conversations, and returns the number of conversations in the
// list. It does not delete the sessions of the conversations.
func (c *Conversations) EraseUser(ctx context.Context, user string) (int64, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return 0, err
	}
	return int64(len(known)), c.log.Drop(ctx, streamOf(user))
}

// Prune removes old conversations from the lists of all users. A conversation is old if it was last
// used before the given time. Prune returns the number of old conversations. If dry is true, it
// only counts them.
func (c *Conversations) Prune(ctx context.Context, before time.Time, dry bool) (removed int64, err error) {
	for after := ""; ; {
		streams, err := c.log.Streams(ctx, prefix, after, journal.MaxEvents)
		if err != nil || len(streams) == 0 {
			return removed, err
		}
		for _, s := range streams {
			after = s.Name
			n, err := c.pruneStream(ctx, s.Name, before, dry)
			if removed += n; err != nil {
				return removed, err
			}
		}
	}
}

// pruneStream is Prune for the list in one stream. After an error, removed has the number of removals before it.
func (c *Conversations) pruneStream(ctx context.Context, stream string, before time.Time, dry bool) (removed int64, err error) {
	known, err := c.loadStream(ctx, stream)
	if err != nil {
		return 0, err
	}
	for id, one := range known {
		if !one.Updated.Before(before) {
			continue
		}
		if !dry {
			if _, err := c.appendTo(ctx, stream, deleted, id); err != nil {
				return removed, err
			}
		}
		removed++
	}
	return removed, nil
}

// prefix is the start of the names of users' streams.
const prefix = "conversations/"

// streamOf returns the name of a user's stream. It contains a hash instead of the user's id, which may be too
// long for a stream's name.
func streamOf(user string) string { return prefix + hashid.Of(user, 32) }

// append adds an event to a user's stream and returns its number.
func (c *Conversations) append(ctx context.Context, user, kind, id string) (seq int64, err error) {
	return c.appendTo(ctx, streamOf(user), kind, id)
}

// appendTo adds an event about the conversation id to a stream, and returns the number of the event.
func (c *Conversations) appendTo(ctx context.Context, stream, kind, id string) (seq int64, err error) {
	data, err := json.Marshal(entry{id})
	if err != nil {
		return 0, err
	}
	return c.log.Append(ctx, stream, journal.Event{Kind: kind, Data: data})
}

// load returns a user's conversations by id. If there are many events, it replaces them with a
// snapshot. Two gateways that do so at once write the same snapshot. If the snapshot cannot be
// written, the events stay, and the next load tries again.
func (c *Conversations) load(ctx context.Context, user string) (map[string]Conversation, error) {
	return c.loadStream(ctx, streamOf(user))
}

// loadStream is load for the list in one stream. A missing stream is an empty list.
func (c *Conversations) loadStream(ctx context.Context, stream string) (map[string]Conversation, error) {
	known := map[string]Conversation{}
	read := 0 // number of events since the snapshot
	for after := int64(0); ; {
		events, err := c.log.Read(ctx, stream, after, journal.MaxEvents)
		if err != nil {
			return known, err
		}
		for _, e := range events {
			after = e.Seq
			if e.Kind != journal.Resync {
				read++
			}
			if err := apply(known, e); err != nil {
				return known, err
			}
		}
		switch {
		case len(events) > 0:
			continue
		case read < keptEvents:
			return known, nil
		}
		snapshot, err := json.Marshal(sorted(known))
		if err != nil {
			return known, err
		}
		_ = c.log.Trim(ctx, stream, after+1, snapshot) // known is complete without it
		return known, nil
	}
}

// apply applies the next event. A message in a deleted conversation changes nothing.
func apply(known map[string]Conversation, e journal.Event) error {
	var all []Conversation
	if e.Kind == journal.Resync {
		err := json.Unmarshal(e.Data, &all)
		for _, one := range all {
			known[one.ID] = one
		}
		return err
	}
	var about entry
	if err := json.Unmarshal(e.Data, &about); err != nil {
		return err
	}
	one, there := known[about.ID]
	switch {
	case e.Kind == created:
		known[about.ID] = Conversation{ID: about.ID, Created: e.Time, Updated: e.Time}
	case e.Kind == touched && there:
		one.Updated = e.Time
		known[about.ID] = one
	case e.Kind == deleted:
		delete(known, about.ID)
	}
	return nil
}

// sorted returns conversations, most recently updated first.
func sorted(known map[string]Conversation) []Conversation {
	return slices.SortedFunc(maps.Values(known), func(a, b Conversation) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
}
