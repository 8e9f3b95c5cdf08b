package wasmtools_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/windieos/windie/wasmtools"
)

// TestKilledProcessesLeaveNothing opens a folder as processes leave it that are killed while they put plugins there.
func TestKilledProcessesLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(folder, name, version string) {
		t.Helper()
		files := map[string][]byte{name + ".wasm": module(t), name + ".json": []byte(`{"version":"` + version + `"}`)}
		made, err := wasmtools.NewFolder(dir, files)
		if err == nil && folder != "" {
			err = os.Rename(made, filepath.Join(dir, folder))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("", "unfinished", "1")
	put(".old-half", "half", "1") // killed between the two renames
	put(".old-whole", "whole", "1")
	put("whole", "whole", "2") // killed after them
	s := serve(t, wasmtools.Config{}, dir)
	for name, version := range map[string]string{"half": "1", "whole": "2"} {
		if st := s.until("a plugin", name, ready); st.Admission.Version != version {
			t.Errorf("%s is of version %q, expected %q", name, st.Admission.Version, version)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{filepath.Base(wasmtools.FolderLock(dir)), "half", "whole"}; !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, expected %q", names, want)
	}

	left := filepath.Join(dir, ".new-.grants.json-1")
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Grant(t.Context(), "half", wasmtools.Grant{Config: map[string]string{"greeting": "x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left beside the grants is still there: %v", err)
	}
}
