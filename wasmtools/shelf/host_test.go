package shelf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/shelf"
)

// A plugin that was added when hosts were kept as they were written stays itself, with its grant.
func TestHostsOfAnEarlierLock(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("a:1", pkg(`{"name":"repeat","version":"1.0.0"}`))
	m.mustAdd(shelf.Request{Reference: ref})
	odd := func(text string) string { return strings.ReplaceAll(text, "oci://127.0.0.1:", "oci://127.0.0.1.:") }
	for _, file := range []string{m.cfg.Dir + ".lock.json", filepath.Join(m.cfg.Dir, "repeat", "repeat.source")} {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(odd(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m.grant(`{"repeat":{"source":"` + ref[:strings.LastIndex(ref, ":")] + `","permissions":{"env":["LANG"]}}}`)
	m.push("a:1", pkg(`{"name":"repeat","version":"1.1.0"}`))
	c := m.mustAdd(shelf.Request{Reference: ref})
	if c.Before == nil || c.Source != odd(m.oci("a")) || len(c.Inspection.Admission.Permissions.Env) != 1 {
		t.Errorf("it is %+v", c)
	}
	if list, err := m.shelf().List(); err != nil || len(list) != 1 || list[0].Problem != "" || list[0].Current.Version != "1.1.0" {
		t.Errorf("the list is %+v, %v", list, err)
	}
}
