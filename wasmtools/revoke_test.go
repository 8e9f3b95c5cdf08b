package wasmtools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

// What a plugin had been granted ends with its grant, also where its files cannot be opened under the new one.
func TestRevokedWhateverIsWrongWithTheFiles(t *testing.T) {
	t.Parallel()
	otherHash := fmt.Sprintf(`{"guest":{"sha256":"%064d"}}`, 0)
	broken := func(name, content string) func(served) {
		return func(s served) {
			s.put(name, []byte(content))
			s.until("a problem of the files, with the version before in use", "guest", func(st wasmtools.Status) bool { return ready(st) && st.Problem != "" })
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(served)
		grants string
		state  wasmtools.State
	}{
		{"disabled, with a manifest that cannot be read", broken("guest.json", `{"titel":""}`), `{"guest":{"disabled":true}}`, wasmtools.Disabled},
		{"disabled, with a module that is none", broken("guest.wasm", "junk"), `{"guest":{"disabled":true}}`, wasmtools.Disabled},
		{"disabled, in a folder that holds too many", tooMany, `{"guest":{"disabled":true}}`, wasmtools.Disabled},
		{"disabled, while its files go on changing", goOnChanging, `{"guest":{"disabled":true}}`, wasmtools.Disabled},
		{"revoked, with a manifest that cannot be read", broken("guest.json", `{"titel":""}`), `{}`, wasmtools.Broken},
		{"revoked, with a module that is none", broken("guest.wasm", "junk"), `{}`, wasmtools.Broken},
		{"granted to another file", func(served) {}, otherHash, wasmtools.Broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, ".grants.json", []byte(`{"guest":{"config":{"greeting":"granted"}}}`))
			put(t, dir, "guest.wasm", module(t))
			s := serve(t, wasmtools.Config{}, dir)
			s.until("a plugin", "guest", ready)
			for _, change := range []func(served){func(served) {}, tt.damage} {
				change(s)
				if a, err := s.invoke("guest.config", `{"text":"greeting"}`); err != nil || a.Text != "granted" {
					t.Fatalf("%+v, %v", a, err)
				}
			}
			s.put(".grants.json", []byte(tt.grants))
			s.until(string(tt.state), "guest", func(st wasmtools.Status) bool { return st.State == tt.state })
			_, err := s.invoke("guest.config", `{"text":"greeting"}`)
			wantCode(t, err, sdkapi.ToolNotFound, "")
		})
	}
}

func tooMany(s served) {
	for i := range 1000 {
		s.put(fmt.Sprintf("b%d.wasm", i), nil)
	}
}

// goOnChanging changes the plugin's manifest until the test ends.
func goOnChanging(s served) {
	ended, gone := make(chan struct{}), make(chan struct{})
	s.t.Cleanup(func() {
		close(ended)
		<-gone
	})
	go func() {
		defer close(gone)
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
				put(s.t, s.dir, "guest.json", []byte("{}"+strings.Repeat(" ", i%1000)))
			}
		}
	}()
}

// A request to disable a plugin answers that it is, and a second plugin that took its name does not stay in use
// under it.
func TestDisableOfWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	s.put("guest.wasm", module(t))
	s.put("other.wasm", module(t))
	s.until("a plugin", "guest", ready)
	s.until("another plugin", "other", ready)
	s.put("guest.json", []byte(`{"titel":""}`))
	s.until("its problem", "guest", func(st wasmtools.Status) bool { return st.Problem != "" })
	if st, err := s.Disable(t.Context(), "guest"); err != nil || st.State != wasmtools.Disabled || len(st.Tools) != 0 {
		t.Errorf("%+v, %v", st, err)
	}
	_, err := s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")
	s.put("guest.json", []byte(`{}`))
	if st, err := s.Enable(t.Context(), "guest"); err != nil || st.State != wasmtools.Ready {
		t.Errorf("%+v, %v", st, err)
	}

	s.put("guest.json", []byte(`{"name":"other"}`))
	testkit.Eventually(t, "the end of what has the name of another", func() (struct{}, bool) {
		_, there := s.registry.Get("guest.echo")
		return struct{}{}, !there
	})
	if _, err := s.invoke("other.echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
}
