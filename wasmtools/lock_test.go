package wasmtools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// grantsVariable has a test process change grants in a file.
const grantsVariable = "WINDIE_TEST_GRANTS"

// A gateway and another process change grants in one file at once, and none is lost.
func TestGrantsOfTwoProcesses(t *testing.T) {
	const each = 200
	if path := os.Getenv(grantsVariable); path != "" {
		for i := range each {
			err := wasmtools.ChangeGrant(t.Context(), path, fmt.Sprintf("other_%d", i), func(wasmtools.Grant, bool) (wasmtools.Grant, bool) {
				return wasmtools.Grant{Disabled: true}, true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	if _, err := s.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo()}); err != nil {
		t.Fatal(err)
	}
	grants := filepath.Join(s.dir, ".grants.json")
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestGrantsOfTwoProcesses$")
	other.Env = append(os.Environ(), grantsVariable+"="+grants)
	var out strings.Builder
	other.Stdout, other.Stderr = &out, &out
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- other.Wait() }()
	changes := 0
	for over := false; !over; changes++ {
		if _, err := s.Grant(t.Context(), "echo", wasmtools.Grant{Config: map[string]string{"n": fmt.Sprint(changes)}}); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if over = true; err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
		default:
		}
	}
	all, err := wasmtools.ReadGrants(grants)
	if err != nil {
		t.Fatal(err)
	}
	if got := all["echo"].Config["n"]; got != fmt.Sprint(changes-1) {
		t.Errorf("the gateway's grant says %s, of %d changes", got, changes)
	}
	if len(all) != each+1 {
		t.Errorf("there are %d grants, of %d, beside %d changes of the gateway", len(all), each+1, changes)
	}
}

// Disabling changes the grant that the file has, and not the one that was read last.
func TestDisableKeepsWhatOthersWrote(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	if _, err := s.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo()}); err != nil {
		t.Fatal(err)
	}
	grants := filepath.Join(s.dir, ".grants.json")
	err := wasmtools.ChangeGrant(t.Context(), grants, "echo", func(g wasmtools.Grant, _ bool) (wasmtools.Grant, bool) {
		g.Config = map[string]string{"by": "another"}
		return g, true
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Disable(t.Context(), "echo"); err != nil {
		t.Fatal(err)
	}
	if all, err := wasmtools.ReadGrants(grants); err != nil || !all["echo"].Disabled || all["echo"].Config["by"] != "another" {
		t.Errorf("the grants are %+v, %v", all, err)
	}
}

// Changes wait for those of another process, for so long as is said, and then say why.
func TestChangesWaitForOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, wasmtools.Config{}, dir)
	if _, err := s.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo()}); err != nil {
		t.Fatal(err)
	}
	release, err := filelock.Hold(t.Context(), wasmtools.FolderLock(dir), filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() { done <- s.Remove(t.Context(), "echo") }()
	go func() {
		_, err := s.Add(t.Context(), wasmtools.Upload{Name: "other.wasm", Module: w.Echo()})
		done <- err
	}()
	if err := wasmtools.Locked(t.Context(), filepath.Join(t.TempDir(), "lock"), func() error { return nil }); err != nil {
		t.Errorf("another lock: %v", err)
	}
	select {
	case err := <-done:
		t.Errorf("a change ran beside another process's: %v", err)
	default:
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("a plugin was installed beside another process's change")
	}
	release()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "lock")
		release, err := filelock.Hold(t.Context(), file, filelock.Exclusive)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		err = wasmtools.Locked(t.Context(), file, func() error { t.Error("it ran"); return nil })
		wantCode(t, err, sdkapi.Overloaded, "try again after it ends")
	})
}
