package identity_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) *database.DB {
		db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	})
}

// suite checks what Identity promises, on databases that open gives. Each is
// empty, and the test's own.
func suite(t *testing.T, open func(*testing.T) *database.DB) {
	for name, check := range map[string]func(*testing.T, *database.DB){
		"a token lets in":         tokenLetsIn,
		"refusals are alike":      refusalsAreAlike,
		"tokens are not kept":     tokensAreNotKept,
		"revoked at once":         revokedAtOnce,
		"users":                   users,
		"unknown":                 unknown,
		"operating systems":       operatingSystems,
		"lists have no end":       longLists,
		"seen":                    seen,
		"many at once":            manyAtOnce,
		"a database that is away": databaseAway,
		"revocations are listed":  revocationsAreListed,
		"revocations in order":    revocationsInOrder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open(t))
		})
	}
}

// register makes a user with an install.
func register(t *testing.T, ids *identity.Identity) (identity.Install, string) {
	t.Helper()
	install, token, err := ids.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	return install, token
}

// all returns what a list holds.
func all[T any](t *testing.T, list iter.Seq2[T, error]) []T {
	t.Helper()
	var items []T
	for item, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

func tokenLetsIn(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	first, token := register(t, ids)
	for what, tt := range map[string]struct{ got, form string }{
		"user":    {first.User, `^user_[a-z2-7]{26}$`},
		"install": {first.ID, `^install_[a-z2-7]{26}$`},
		"token":   {token, `^wnd_install_[A-Za-z0-9_-]{43}$`},
	} {
		t.Run(what, func(t *testing.T) {
			if !regexp.MustCompile(tt.form).MatchString(tt.got) {
				t.Errorf("%s %q is not as %s", what, tt.got, tt.form)
			}
		})
	}
	if got, err := ids.Authenticate(t.Context(), token); err != nil || got != first || got.OperatingSystem != "Windows" || time.Since(got.Created).Abs() > time.Minute {
		t.Errorf("%+v, %v, want %+v", got, err, first)
	}
	second, other, err := ids.Create(t.Context(), first.User, "")
	if err != nil {
		t.Fatal(err)
	}
	if second.ID == first.ID || other == token || second.User != first.User {
		t.Errorf("a second install: %+v after %+v", second, first)
	}
	stranger, strangers := register(t, ids)
	for token, want := range map[string]identity.Install{token: first, other: second, strangers: stranger} {
		t.Run(token, func(t *testing.T) {
			if got, err := identity.Open(db).Authenticate(t.Context(), token); err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
		})
	}
	if stranger.User == first.User {
		t.Error("two registrations made one user")
	}
}

// Nobody learns from a refusal whether a token was ever one.
func refusalsAreAlike(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	install, revoked := register(t, ids)
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	_, token := register(t, ids)
	deleted, gone := register(t, ids)
	if err := ids.DeleteUser(t.Context(), deleted.User); err != nil {
		t.Fatal(err)
	}
	refusals := map[string]bool{}
	for name, token := range map[string]string{
		"nothing": "", "the prefix": "wnd_install_", "another prefix": "wnd_installx" + token[12:], "unknown": "wnd_install_" + strings.Repeat("A", 43),
		"upper case": strings.ToUpper(token), "one less": token[:len(token)-1], "one more": token + "A", "a space": token[:len(token)-1] + " ",
		"revoked": revoked, "of a deleted user": gone, "huge": strings.Repeat("x", 1<<20), "a wildcard": "wnd_install_" + strings.Repeat("%", 43),
		"its hash": hexHash(token),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ids.Authenticate(t.Context(), token)
			if fault.CodeOf(err) != sdkapi.AuthRequired || got != (identity.Install{}) {
				t.Errorf("%s: %+v, %v", name, got, err)
				return
			}
			f := fault.From(err)
			refusals[fmt.Sprintf("%s %v %v", f.Message, f.Details, f.Cause)] = true
		})
	}
	if len(refusals) != 1 {
		t.Errorf("they differ: %v", refusals)
	}
}

func hexHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// A reader of the database cannot act as a user with what it holds.
func tokensAreNotKept(t *testing.T, db *database.DB) {
	_, token := register(t, identity.Open(db))
	var rows []map[string]any
	if err := db.Read().NewRaw("SELECT * FROM installs").Scan(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(rows)
	if strings.Contains(text, token[12:]) || !strings.Contains(text, hexHash(token)) {
		t.Error(text)
	}
}

func revokedAtOnce(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	install, token := register(t, ids)
	_, other, err := ids.Create(t.Context(), install.User, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ids.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	var when time.Time
	for range 2 { // by another gateway, or the command line
		if err := identity.Open(db).Revoke(t.Context(), install.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := ids.Authenticate(t.Context(), token); fault.CodeOf(err) != sdkapi.AuthRequired {
			t.Errorf("after it was revoked: %v", err)
		}
		revoked := all(t, ids.List(t.Context(), install.User))[0].Revoked
		if revoked.IsZero() || !when.IsZero() && revoked != when {
			t.Errorf("revoked at %v, then at %v", when, revoked)
		}
		when = revoked
	}
	if _, err := ids.Authenticate(t.Context(), other); err != nil {
		t.Errorf("the user's other install: %v", err)
	}
}

func users(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	made, err := ids.CreateUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	install, token := register(t, ids)
	second, _, err := ids.Create(t.Context(), install.User, "")
	if err == nil {
		err = ids.Revoke(t.Context(), second.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	list := all(t, ids.Users(t.Context()))
	if len(list) != 2 || list[0] != made || list[1].ID != install.User || list[1].Installs != 1 {
		t.Errorf("users: %+v", list)
	}
	if got := all(t, ids.List(t.Context(), "")); len(got) != 2 || got[0] != install || got[1].ID != second.ID {
		t.Errorf("installs: %+v", got)
	}
	if got := all(t, ids.List(t.Context(), made.ID)); len(got) != 0 {
		t.Errorf("installs of one who has none: %+v", got)
	}
	if err := ids.DeleteUser(t.Context(), install.User); err != nil {
		t.Fatal(err)
	}
	if _, err := ids.Authenticate(t.Context(), token); fault.CodeOf(err) != sdkapi.AuthRequired {
		t.Errorf("the token of one who was deleted: %v", err)
	}
	if got := all(t, ids.List(t.Context(), "")); len(got) != 0 {
		t.Errorf("installs of one who was deleted: %+v", got)
	}
	if list := all(t, ids.Users(t.Context())); len(list) != 1 || list[0] != made {
		t.Errorf("who is left: %+v", list)
	}
}

func unknown(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	_, token, create := ids.Create(t.Context(), "user_x", "")
	for what, err := range map[string]error{
		"Create": create, "Revoke": ids.Revoke(t.Context(), "install_x"), "DeleteUser": ids.DeleteUser(t.Context(), "user_x"),
	} {
		t.Run(what, func(t *testing.T) {
			if fault.CodeOf(err) != sdkapi.NotFound {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	if _, err := ids.Authenticate(t.Context(), token); fault.CodeOf(err) != sdkapi.AuthRequired {
		t.Errorf("a token made for nobody: %v", err)
	}
}

// What a client says of itself can be shown on a terminal. What is refused
// leaves no user behind.
func operatingSystems(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	for system, fine := range map[string]bool{
		"": true, strings.Repeat("x", 64): true, "Debian GNU/Linux 12 ~": true, strings.Repeat("x", 65): false, "\x1b[2J": false, "a\nb": false, "é": false, "\xff": false,
	} {
		t.Run(fmt.Sprintf("%.60q", system), func(t *testing.T) {
			if _, _, err := ids.Register(t.Context(), system); (err == nil) != fine || !fine && fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("%q: %v", system, err)
			}
		})
	}
	if n := len(all(t, ids.Users(t.Context()))); n != 3 {
		t.Errorf("%d users", n)
	}
}

// Lists go on where a page ends, also among rows of one moment.
func longLists(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	const n = 1100
	err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		for i := range n {
			if _, err := tx.NewRaw("INSERT INTO users (id, created) VALUES (?, ?)", fmt.Sprintf("user_%04d", i), i/400).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw("INSERT INTO installs (id, user_id, token_hash, operating_system, created, last_seen, revoked) " +
			"SELECT id, id, id, '', created, 0, 0 FROM users").Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	users, installs := all(t, ids.Users(t.Context())), all(t, ids.List(t.Context(), ""))
	if len(users) != n || len(installs) != n {
		t.Fatalf("%d users and %d installs of %d", len(users), len(installs), n)
	}
	for i := range n {
		if want := fmt.Sprintf("user_%04d", i); users[i].ID != want || installs[i].ID != want {
			t.Fatalf("%d is %s and %s", i, users[i].ID, installs[i].ID)
		}
	}
	for _, err := range ids.Users(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break // a caller that has seen enough may leave
	}
}

// An install that asks is written down by Run, also as it ends, and again only
// after a minute.
func seen(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	install, token := register(t, ids)
	look := func() time.Time { return all(t, ids.List(t.Context(), ""))[0].LastSeen }
	ask := func() {
		if _, err := ids.Authenticate(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	runBriefly := func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ids.Run(ctx)
	}
	ask()
	if !look().IsZero() {
		t.Error("it is written down while the request waits")
	}
	runBriefly()
	first := look()
	if time.Since(first).Abs() > time.Minute {
		t.Errorf("seen at %v", first)
	}
	ask()
	if runBriefly(); look() != first {
		t.Errorf("written down again at once: %v after %v", look(), first)
	}
	back := func(d time.Duration) {
		err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("UPDATE installs SET last_seen = ? WHERE id = ?", database.Micros(first.Add(-d)), install.ID).Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	back(2 * time.Minute)
	ask()
	back(10 * time.Second) // another gateway has written it meanwhile
	if runBriefly(); look() != first.Add(-10*time.Second) {
		t.Errorf("written over what another wrote: %v", look())
	}
	back(2 * time.Minute)
	ask()
	if runBriefly(); look().Before(first) {
		t.Errorf("not written after two minutes: %v", look())
	}
	back(2 * time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ids.Run(ctx)
	}()
	ask()
	testkit.Eventually(t, "the use is written while Run runs", func() (time.Time, bool) {
		at := look()
		return at, !at.Before(first)
	})
	cancel()
	<-ended
}

func manyAtOnce(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { ids.Run(ctx) })
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			install, token, err := ids.Register(ctx, "Linux")
			for range 10 {
				if err == nil {
					_, err = ids.Authenticate(ctx, token)
				}
			}
			if err == nil {
				err = ids.Revoke(ctx, install.ID)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	cancel()
	all.Wait()
}

// A database that does not answer refuses nobody: the caller is asked to come
// again, and not to register anew.
func databaseAway(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	_, token := register(t, ids)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ids.Authenticate(ctx, token); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has left: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, authenticate := ids.Authenticate(t.Context(), token)
	_, _, register := ids.Register(t.Context(), "")
	for what, err := range map[string]error{"Authenticate": authenticate, "Register": register} {
		t.Run(what, func(t *testing.T) {
			if fault.CodeOf(err) != sdkapi.StateUnavailable {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	for _, err := range ids.Users(t.Context()) {
		if fault.CodeOf(err) != sdkapi.StateUnavailable {
			t.Errorf("Users: %v", err)
		}
	}
}
