package models_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/models"
)

func TestDiscovery(t *testing.T) {
	t.Parallel()
	many := `{"models":[` + strings.Repeat(`{"name":"m:1"},`, 3) + `{"name":"a/b:2"},{"name":"../x y"},{"name":""}],"more":1}`
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"some", 200, many, "a/b:2 m:1"},
		{"none", 200, `{"models":[]}`, ""},
		{"no JSON", 200, `hello`, ""},
		{"an error", 500, many, ""},
		{"elsewhere", 307, many, ""},
		{"too much", 200, `{"models":[{"name":"m"}],"more":"` + strings.Repeat("a", 5<<20) + `"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.URL.Path != "/api/tags" {
					t.Errorf("%s: asked for %s", tt.name, r.URL.Path)
				}
				w.Header().Set("Location", "/other")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			text := "providers: [{id: o, kind: openai, local: true, discover: ollama, base_url: " + server.URL + "/v1}]"
			c, err := models.ParseCatalogue([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{}}
			d := models.NewDiscovery(client)
			for range 3 {
				var names []string
				for _, m := range d.Extend(t.Context(), c).List(nil).Local {
					names = append(names, m.ID)
				}
				if got := strings.Join(names, " "); got != tt.want {
					t.Errorf("%s: %s", tt.name, got)
				}
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("%s: asked %d times", tt.name, n)
			}
			client.CloseIdleConnections()
			server.Close()
		})
	}
}

func TestDiscoveryWithoutAServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := models.ParseCatalogue([]byte("providers: [{id: o, kind: openai, discover: ollama, base_url: " + server.URL + "/v1}]"))
	if err != nil {
		t.Fatal(err)
	}
	d := models.NewDiscovery(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if list := d.Extend(ctx, c).List(nil); len(list.Local)+len(list.Online) != 0 {
			t.Errorf("%+v", list)
		}
	}
}
