//go:build system

package runs_test

import "testing"

// What a hook did not take is sent again, after a while.
func TestHookFails(t *testing.T) { testHook(t, false) }
