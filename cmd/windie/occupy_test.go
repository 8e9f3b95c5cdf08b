package main

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// One gateway at a time has a data folder, and none while a restore or a migration does.
func TestOccupy(t *testing.T) {
	t.Parallel()
	c := &config{DataDir: t.TempDir()}
	if c.occupied() {
		t.Error("an empty folder has a gateway")
	}
	leave, err := c.occupy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !c.occupied() {
		t.Error("the gateway is not seen")
	}
	if _, err := c.occupy(t.Context()); err == nil || !strings.Contains(err.Error(), "another gateway has the data folder "+c.DataDir+" open: stop that gateway") {
		t.Errorf("a second gateway: %v", err)
	}
	if _, err := c.alone(t.Context()); err == nil || !strings.Contains(err.Error(), "stop that gateway") {
		t.Errorf("a restore: %v", err)
	}
	leave()
	testkit.Eventually(t, "the locks to be free, which a process holds that another test begins, until it is another program", func() (free, done bool) {
		leave, err := c.alone(t.Context())
		if err == nil {
			leave()
		}
		return err == nil, err == nil
	})
	testkit.Eventually(t, "the folder to be free", func() (bool, bool) { return c.occupied(), !c.occupied() })
}
