package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

func ids(t *testing.T, c *conversation.Conversations, user string, limit, offset int) []string {
	t.Helper()
	all, err := c.List(t.Context(), user, limit, offset)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, one := range all {
		list = append(list, one.ID)
	}
	return list
}

func create(t *testing.T, c *conversation.Conversations, user string) string {
	t.Helper()
	made, err := c.Create(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	if made.Created.IsZero() || !made.Created.Equal(made.Updated) {
		t.Errorf("a new conversation says %v", made)
	}
	return made.ID
}

// What is said last comes first; pages are parts of that.
func TestList(t *testing.T) {
	t.Parallel()
	c := conversation.Open(journaltest.NewMemory())
	if got := ids(t, c, "ada", 20, 0); len(got) != 0 {
		t.Errorf("nobody has said anything, and there is %v", got)
	}
	first, second, third := create(t, c, "ada"), create(t, c, "ada"), create(t, c, "ada")
	if err := c.Touch(t.Context(), "ada", first); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, c, "ada", 20, 0); !slices.Equal(got, []string{first, third, second}) {
		t.Errorf("got %v", got)
	}
	if got := ids(t, c, "ada", 1, 1); !slices.Equal(got, []string{third}) {
		t.Errorf("the second page is %v", got)
	}
	if got := ids(t, c, "ada", 20, 7); len(got) != 0 {
		t.Errorf("beyond the end is %v", got)
	}
}

// A conversation is its user's alone, and gone when it was deleted.
func TestOwnersAndDelete(t *testing.T) {
	t.Parallel()
	c := conversation.Open(journaltest.NewMemory())
	id := create(t, c, "ada")
	if _, err := c.Get(t.Context(), "bob", id); fault.CodeOf(err) != sdkapi.ConversationNotFound {
		t.Errorf("somebody else's: %v", err)
	}
	if gone, err := c.Delete(t.Context(), "bob", id); gone || err != nil {
		t.Errorf("bob deleted it: %v, %v", gone, err)
	}
	if gone, err := c.Delete(t.Context(), "ada", id); !gone || err != nil {
		t.Errorf("ada did not: %v, %v", gone, err)
	}
	if gone, err := c.Delete(t.Context(), "ada", id); gone || err != nil {
		t.Errorf("twice: %v, %v", gone, err)
	}
	if err := c.Touch(t.Context(), "ada", id); fault.CodeOf(err) != sdkapi.ConversationNotFound {
		t.Errorf("touched though deleted: %v", err)
	}
}

// A user's events are gathered, and nothing of them is lost by it.
func TestGathered(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	c := conversation.Open(log)
	kept, gone := create(t, c, "ada"), create(t, c, "ada")
	for range 1300 {
		if err := c.Touch(t.Context(), "ada", kept); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Delete(t.Context(), "ada", gone); err != nil {
		t.Fatal(err)
	}
	last := create(t, c, "ada")
	if got := ids(t, c, "ada", 20, 0); !slices.Equal(got, []string{last, kept}) {
		t.Errorf("got %v", got)
	}
	events, err := log.Read(t.Context(), conversation.StreamOf("ada"), 0, journal.MaxEvents)
	if err != nil || len(events) > 600 || events[0].Kind != journal.Resync {
		t.Errorf("%d events are kept, %v", len(events), err)
	}
}

// untrimmed is a journal that cannot replace events with a snapshot.
type untrimmed struct{ journal.Log }

func (untrimmed) Trim(context.Context, string, int64, json.RawMessage) error {
	return errors.New("no room")
}

// A list whose events cannot be gathered is complete all the same.
func TestNotGathered(t *testing.T) {
	t.Parallel()
	c := conversation.Open(untrimmed{journaltest.NewMemory()})
	kept := create(t, c, "ada")
	for range 600 {
		if err := c.Touch(t.Context(), "ada", kept); err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(t, c, "ada", 20, 0); !slices.Equal(got, []string{kept}) {
		t.Errorf("got %v", got)
	}
}

// A user has so many and no more.
func TestLimit(t *testing.T) {
	t.Parallel()
	c := conversation.Open(journaltest.NewMemory())
	for range conversation.MaxPerUser {
		create(t, c, "ada")
	}
	if _, err := c.Create(t.Context(), "ada"); fault.CodeOf(err) != sdkapi.ConversationLimit {
		t.Errorf("one more: %v", err)
	}
	create(t, c, "bob")
}
