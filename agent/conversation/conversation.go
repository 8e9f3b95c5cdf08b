// Package conversation keeps which conversations users have.
//
//	list := conversation.Open(log)
//	c, err := list.Create(ctx, "ada")
//	err = list.Touch(ctx, "ada", c.ID)
//	all, err := list.List(ctx, "ada", 20, 0)
//
// What is said in a conversation is a session's (agent/session), which lives on
// when its conversation is deleted. A user's conversations are a stream of the
// journal: they follow from its events, whichever gateway wrote them.
package conversation

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// MaxPerUser is how many conversations a user may have.
const MaxPerUser = 1000

// keptEvents is about how many events a user's stream has before they are
// gathered into one snapshot.
const keptEvents = 500

// The kinds of events in a user's stream. The data of each is an entry.
const (
	created = "conversation.created"
	touched = "conversation.touched"
	deleted = "conversation.deleted"
)

// entry says which conversation an event is about.
type entry struct {
	ID string `json:"id"`
}

// Conversation is one of a user's.
type Conversation struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"` // when something was last said
}

// Conversations are those of all users. Its methods may be called from several
// goroutines at once.
type Conversations struct{ log journal.Log }

// Open returns the conversations that are in a journal.
func Open(log journal.Log) *Conversations { return &Conversations{log} }

// Create makes a conversation. It fails with CONVERSATION_LIMIT for a user who
// has MaxPerUser.
func (c *Conversations) Create(ctx context.Context, user string) (Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return Conversation{}, err
	}
	if len(known.byID) >= MaxPerUser {
		return Conversation{}, fault.New("conversation.Create", sdkapi.ConversationLimit,
			"there are %d conversations already; delete some first", MaxPerUser)
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
	case len(events) == 0 || events[0].Seq != seq || events[0].Kind == journal.Resync: // gathered meanwhile
		return c.Get(ctx, user, id)
	}
	return Conversation{ID: id, Created: events[0].Time, Updated: events[0].Time}, nil
}

// Get returns a conversation. It fails with CONVERSATION_NOT_FOUND when there
// is none of that id, or it is somebody else's.
func (c *Conversations) Get(ctx context.Context, user, id string) (Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return Conversation{}, err
	}
	found, ok := known.byID[id]
	if !ok {
		return Conversation{}, missing(id)
	}
	return found, nil
}

// List returns at most limit of a user's conversations, the most recently
// updated first, without the first offset.
func (c *Conversations) List(ctx context.Context, user string, limit, offset int) ([]Conversation, error) {
	known, err := c.load(ctx, user)
	if err != nil {
		return nil, err
	}
	list := known.sorted()
	list = list[min(offset, len(list)):]
	return list[:min(limit, len(list))], nil
}

// Touch notes that something is said in a conversation. It fails as Get does.
func (c *Conversations) Touch(ctx context.Context, user, id string) error {
	if _, err := c.Get(ctx, user, id); err != nil {
		return err
	}
	_, err := c.append(ctx, user, touched, id)
	return err
}

// Delete removes a conversation, and reports whether there was one.
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

func missing(id string) error {
	return fault.New("conversation", sdkapi.ConversationNotFound, "there is no conversation %q", id)
}

// streamOf is where a user's conversations are. A user's name may be longer
// than a stream's.
func streamOf(user string) string {
	return "conversations/" + hashid.Of(user, 32)
}

func (c *Conversations) append(ctx context.Context, user, kind, id string) (seq int64, err error) {
	data, err := json.Marshal(entry{id})
	if err != nil {
		return 0, err
	}
	return c.log.Append(ctx, streamOf(user), journal.Event{Kind: kind, Data: data})
}

// list is what a user has, as of an event.
type list struct {
	byID   map[string]Conversation
	events int // that it was made of, besides the snapshot
}

// load reads what a user has, and gathers what has become long. Whoever gathers
// at the same time gathers the same.
func (c *Conversations) load(ctx context.Context, user string) (list, error) {
	known := list{byID: map[string]Conversation{}}
	for after := int64(0); ; {
		events, err := c.log.Read(ctx, streamOf(user), after, journal.MaxEvents)
		if err != nil {
			return known, err
		}
		for _, e := range events {
			after = e.Seq
			if err := known.apply(e); err != nil {
				return known, err
			}
		}
		if len(events) == 0 {
			return known, c.gather(ctx, user, known, after)
		}
	}
}

func (c *Conversations) gather(ctx context.Context, user string, known list, last int64) error {
	if known.events < keptEvents {
		return nil
	}
	snapshot, err := json.Marshal(known.sorted())
	if err != nil {
		return err
	}
	return c.log.Trim(ctx, streamOf(user), last+1, snapshot)
}

// apply brings l up to date with the next event. What is said of a conversation
// that was deleted meanwhile is nothing.
func (l *list) apply(e journal.Event) error {
	if e.Kind == journal.Resync {
		return l.restore(e.Data)
	}
	l.events++
	var about entry
	if err := json.Unmarshal(e.Data, &about); err != nil {
		return err
	}
	switch e.Kind {
	case created:
		l.byID[about.ID] = Conversation{ID: about.ID, Created: e.Time, Updated: e.Time}
	case touched:
		if known, ok := l.byID[about.ID]; ok {
			known.Updated = e.Time
			l.byID[about.ID] = known
		}
	case deleted:
		delete(l.byID, about.ID)
	}
	return nil
}

func (l *list) restore(snapshot json.RawMessage) error {
	var all []Conversation
	if err := json.Unmarshal(snapshot, &all); err != nil {
		return err
	}
	for _, one := range all {
		l.byID[one.ID] = one
	}
	return nil
}

// sorted returns all, the most recently updated first.
func (l *list) sorted() []Conversation {
	all := make([]Conversation, 0, len(l.byID))
	for _, one := range l.byID {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Conversation) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
	return all
}
