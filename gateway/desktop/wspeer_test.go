package desktop_test

import (
	"testing"

	"github.com/windieos/windie/models/commander"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// talking runs a gateway whose model is the commander, and returns its URL.
func talking(t *testing.T) string {
	t.Helper()
	return doorstest.TalkingWith(t, commander.Model{})
}
