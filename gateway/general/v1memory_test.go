package general_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// asUser sends a request to a hosted gateway, and returns its status and body.
func asUser(t *testing.T, token, user, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	if user != "" {
		req.Header.Set(sdkapi.UserHeader, user)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A memory is its user's: a token opens no other, whoever the request names, and
// nobody's session hears of another's.
func TestMemoryIsItsUsers(t *testing.T) {
	t.Parallel()
	cfg, ids := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	ada, adas := doorstest.Registered(t, ids)
	eve, eves := doorstest.Registered(t, ids)
	_, made := asUser(t, adas, "", http.MethodPost, url+sdkapi.V1SessionsPath, `{}`)
	_, rest, _ := strings.Cut(made, `"general_session_id":"`)
	session, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatal(made)
	}
	write := func(content string) string {
		return `{"general_session_id":"` + session + `","target":"long_term","content":"` + content + `"}`
	}
	edit := func(was, text string) string {
		return `{"path":"memory/MEMORY.md","line_start":4,"was":"` + was + `","text":"` + text + `"}`
	}
	const search, passage = sdkapi.V1MemorySearchPath + "?q=tea", sdkapi.V1MemoryGetPath + "?path=memory/MEMORY.md"
	for _, tt := range []struct {
		name, token, user, method, path, body string
		status                                int
		want                                  string
	}{
		{"hers", adas, "", http.MethodPost, sdkapi.V1MemoryWritePath, write("Ada drinks tea."), 200, "memory/MEMORY.md"},
		{"hers, by name", adas, ada.User, http.MethodGet, search, "", 200, "Ada drinks tea."},
		{"all of hers", adas, "", http.MethodGet, passage, "", 200, " · session "},
		{"eve's", eves, "", http.MethodGet, search, "", 200, `{"results":[]}`},
		{"eve's, by name", eves, eve.User, http.MethodGet, passage, "", 404, "MEMORY_NOT_FOUND"},
		{"eve for ada", eves, ada.User, http.MethodGet, search, "", 403, "PERMISSION_DENIED"},
		{"eve for ada, to read", eves, ada.User, http.MethodGet, passage, "", 403, "PERMISSION_DENIED"},
		{"eve for ada, to write", eves, ada.User, http.MethodPost, sdkapi.V1MemoryWritePath, `{"target":"daily","content":"a"}`, 403, "PERMISSION_DENIED"},
		{"eve in ada's session", eves, "", http.MethodPost, sdkapi.V1MemoryWritePath, write("Eve was here."), 404, "SESSION_NOT_FOUND"},
		{"nobody", "wnd_install_x", "", http.MethodGet, search, "", 401, "AUTH_REQUIRED"},
		{"hers, changed", adas, "", http.MethodPut, sdkapi.V1MemoryFilesPath, edit("Ada drinks tea.", "Ada drinks coffee."), 200, "memory/MEMORY.md"},
		{"hers, as it was", adas, "", http.MethodPut, sdkapi.V1MemoryFilesPath, edit("Ada drinks tea.", "Ada drinks milk."), 409, "MEMORY_CHANGED"},
		{"eve's, to change", eves, "", http.MethodPut, sdkapi.V1MemoryFilesPath, edit("Ada drinks coffee.", "Eve was here."), 404, "MEMORY_NOT_FOUND"},
		{"eve for ada, to change", eves, ada.User, http.MethodPut, sdkapi.V1MemoryFilesPath, edit("Ada drinks coffee.", "Eve was here."), 403, "PERMISSION_DENIED"},
		{"hers, as it was before", adas, "", http.MethodGet, sdkapi.V1MemoryHistoryPath + "?path=memory/MEMORY.md", "", 200, `"by":"client","line_start":4,"was":"Ada drinks tea.","text":"Ada drinks coffee."`},
		{"eve's, as it was before", eves, "", http.MethodGet, sdkapi.V1MemoryHistoryPath + "?path=memory/MEMORY.md", "", 404, "MEMORY_NOT_FOUND"},
		{"eve for ada, as it was before", eves, ada.User, http.MethodGet, sdkapi.V1MemoryHistoryPath + "?path=memory/MEMORY.md", "", 403, "PERMISSION_DENIED"},
		{"hers, as she left it", adas, "", http.MethodGet, passage, "", 200, `"lines":4`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, got := asUser(t, tt.token, tt.user, tt.method, url+tt.path, tt.body); status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %d %s", tt.name, status, got)
			}
		})
	}
}
