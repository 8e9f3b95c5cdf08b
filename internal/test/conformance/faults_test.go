//go:build system

package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/conformance"
	"github.com/windieos/windie/internal/test/conformance/stage"
	"github.com/windieos/windie/internal/test/gatewaytest"
)

// A client that says nothing of a fault's call, or does it wrong, fails: here one whose every answer is made up.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	driver := filepath.Join(t.TempDir(), "driver.sh")
	const made = "#!/bin/sh\necho '{\"language\": \"shell\"}'\nwhile read -r line; do id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\),\"op\".*/\\1/'); echo \"{\\\"id\\\": $id, \\\"ok\\\": {}}\"; done\n"
	if err := os.WriteFile(driver, []byte(made), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := conformance.Start(t.Context(), []string{driver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	r := conformance.Runner{Stage: &stage.Stage{Scenes: gatewaytest.Scenes(t)}, Drivers: []*conformance.Driver{d}, Faults: conformance.OwnFaults("*")}
	cases, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 20 {
		t.Fatalf("only %d faults were run", len(cases))
	}
	for _, c := range cases {
		if c.Steps[0].Result != conformance.Failed {
			t.Errorf("%s is %s", c.Name, c.Steps[0].Result)
		}
	}
}
