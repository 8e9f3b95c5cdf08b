package terminal

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/windieos/windie/sdkapi"
)

// A key that is pressed as a question appears, and before it can have been read, allows nothing: neither the first
// question nor one that waited behind it.
func TestKeysBeforeTheQuestionIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		steps := &Steps{}
		s := newScreen(t.Context(), Options{Steps: steps}, &runner{}, nil)
		heardOf := make(chan sdkapi.AgentMessage)
		defer steps.join(func(m sdkapi.AgentMessage) { heardOf <- m })()
		allowed := make(chan bool, 2)
		for range 2 {
			go func() {
				yes, err := steps.Ask(t.Context(), "file_write", []byte(`{}`), "")
				allowed <- yes && err == nil
			}()
			s.Update(heard{<-heardOf})
		}
		for _, key := range []rune{'y', 'a', 'p'} {
			s.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
		}
		for range 2 {
			synctest.Wait()
			if len(allowed) != 0 || s.line.Value() != "" {
				t.Fatalf("%d were allowed at once, and the line has %q", len(allowed), s.line.Value())
			}
			time.Sleep(ReadTime)
			for range 2 {
				s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
			}
			synctest.Wait()
			if !<-allowed {
				t.Error("a step was not allowed after a while")
			}
		}
	})
}
