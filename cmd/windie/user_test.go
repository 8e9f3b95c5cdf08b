package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// manage runs a command on the data in dir and reads what it prints as JSON.
func manage(t *testing.T, dir string, out any, args ...string) {
	t.Helper()
	code, stdout, stderr := windie(t, nil, append(args, "--data-dir", dir, "--json")...)
	if code != 0 {
		t.Fatalf("%v: %d %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), out); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stdout)
	}
}

// Users and tokens are managed beside a gateway that runs, and by what a client
// registers itself.
func TestHostedGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := serveForTest(t, "WINDIE_MODE=hosted", "WINDIE_DATA_DIR="+dir, "WINDIE_LIMITS_USER_REQUESTS=3")
	client := func(token, user string) *sdk.Client {
		c, err := sdk.New(url, sdk.WithToken(token), sdk.WithUser(user), sdk.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var user userInfo
	manage(t, dir, &user, "user", "create")
	var made tokenInfo
	manage(t, dir, &made, "token", "create", user.UserID, "--system", "Plan 9")
	if made.UserID != user.UserID || made.OperatingSystem != "Plan 9" || !strings.HasPrefix(made.InstallToken, "wnd_install_") {
		t.Fatalf("%+v of %+v", made, user)
	}
	byHand := client(made.InstallToken, user.UserID)
	if _, err := byHand.Tools.List(t.Context()); err != nil {
		t.Error(err)
	}
	for _, want := range []sdkapi.Code{sdkapi.ToolNotFound, sdkapi.RateLimited} {
		if _, err := byHand.Tools.Invoke(t.Context(), "no.tool", nil); !errors.Is(err, &sdkapi.Error{Code: want}) {
			t.Errorf("want %s: %v", want, err)
		}
	}
	me, err := client("", "").Install.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	var users userInfos
	manage(t, dir, &users, "user", "list")
	var tokens tokenInfos
	manage(t, dir, &tokens, "token", "list")
	if len(users.Users) != 2 || len(tokens.Installs) != 2 || tokens.Installs[1].InstallID != me.InstallID || tokens.Installs[0].InstallToken != "" {
		t.Errorf("%+v %+v", users, tokens)
	}
	var done note
	manage(t, dir, &done, "token", "revoke", made.InstallID)
	manage(t, dir, &done, "user", "delete", me.UserID)
	for what, c := range map[string]*sdk.Client{"revoked": byHand, "deleted": client(me.InstallToken, me.UserID)} {
		t.Run(what, func(t *testing.T) {
			if _, err := c.Tools.List(t.Context()); !errors.Is(err, &sdkapi.Error{Code: sdkapi.AuthRequired}) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	manage(t, dir, &tokens, "token", "list", user.UserID)
	if len(tokens.Installs) != 1 || tokens.Installs[0].Revoked.IsZero() {
		t.Errorf("%+v", tokens)
	}
}

// What people read: a token is shown when it is made, and never again.
func TestTokensForPeople(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(want int, args ...string) string {
		code, out, complaint := windie(t, nil, append(args, "--data-dir", dir)...)
		if code != want {
			t.Fatalf("%v: %d %s", args, code, complaint)
		}
		return out + complaint
	}
	user := strings.TrimSpace(say(0, "user", "create"))
	made := say(0, "token", "create", user)
	fields := strings.Fields(made)
	install, token := fields[3], fields[5]
	if fields[1] != user || !strings.HasPrefix(token, "wnd_install_") || !strings.Contains(made, "not shown again") {
		t.Errorf("made:\n%s", made)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"user", "list"}, 0, user},
		{[]string{"token", "list"}, 0, install},
		{[]string{"token", "list", user}, 0, install},
		{[]string{"token", "create", "user_x"}, exitFailed, `there is no user "user_x"`},
		{[]string{"token", "create", user, "--system", "\x1b[2J"}, exitFailed, "printable"},
		{[]string{"token", "revoke", "install_x"}, exitFailed, `there is no install "install_x"`},
		{[]string{"user", "delete", "user_x"}, exitFailed, `there is no user "user_x"`},
		{[]string{"token", "create"}, exitUsage, "missing USER"},
		{[]string{"token", "revoke", install}, 0, install},
		{[]string{"user", "delete", user}, 0, user},
		{[]string{"token", "list"}, 0, "INSTALL"},
	} {
		t.Run(fmt.Sprint(tt.args, " ", tt.want), func(t *testing.T) {
			if out := say(tt.code, tt.args...); !strings.Contains(out, tt.want) || strings.Contains(out, token) {
				t.Errorf("%v:\n%s", tt.args, out)
			}
		})
	}
}
