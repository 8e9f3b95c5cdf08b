package owned_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStore is not parallel, because the suite measures the memory in use.
func TestStore(t *testing.T) {
	for name, owner := range map[string]string{"Everybody": "", "Ada": "ada"} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) artifacts.Store {
				return owned.Open(files(t, t.TempDir()), openDatabase(t), owned.Options{TTL: time.Hour}).For(owner)
			})
		})
	}
}

// TestOthersArtifact checks that every call treats another owner's artifact like a missing one,
// whatever views have cached.
func TestOthersArtifact(t *testing.T) {
	t.Parallel()
	s := owned.Open(new(links), openDatabase(t), owned.Options{})
	mustPut(t, s.For("ada"), "adas1.png")
	for range 2 { // the second time views remember
		for call, err := range attempts(t, s.For("bob"), "adas1.png") {
			never := attempts(t, s.For("bob"), "never.png")[call]
			got, want := fault.From(err), fault.From(never)
			if got.Code != sdkapi.ArtifactNotFound || got.Code != want.Code || !reflect.DeepEqual(got.Details, want.Details) ||
				got.Op != want.Op || strings.ReplaceAll(got.Message, "adas1", "never") != want.Message {
				t.Errorf("%s of another's artifact: %v; of one that never was: %v", call, err, never)
			}
		}
	}
	if err := s.For("bob").Delete(t.Context(), "adas1.png"); err != nil {
		t.Errorf("Delete of another's artifact: %v", err)
	}
	_, err := s.For("bob").Put(t.Context(), "adas1.png", "text/plain", strings.NewReader("bob's"))
	if fault.CodeOf(err) != sdkapi.Internal {
		t.Errorf("Put over another's artifact: %v", err)
	}
	for _, v := range []artifacts.Store{s, s.For(""), s.For("ada")} {
		for call, err := range attempts(t, v, "adas1.png") {
			if err != nil {
				t.Errorf("%s by who may: %v", call, err)
			}
		}
		if text := mustGet(t, v, "adas1.png"); text != "content" {
			t.Errorf("the artifact is now %q", text)
		}
	}
}

// TestPresignerIsKept checks that a view can create links only if its store can.
func TestPresignerIsKept(t *testing.T) {
	t.Parallel()
	s := owned.Open(new(storetest.Memory), openDatabase(t), owned.Options{})
	if _, ok := s.For("ada").(artifacts.Presigner); ok {
		t.Error("a view of a store without links has links")
	}
}

// TestLinkEndsWithArtifact checks that a link of S3 expires with its artifact, and that nobody gets
// a link to another owner's artifact.
func TestLinkEndsWithArtifact(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	bucket, err := s3store.Open(t.Context(), s3store.Config{
		Endpoint: server.Endpoint, Region: server.Region, Bucket: server.Bucket, AccessKey: server.AccessKey, SecretKey: server.SecretKey,
		SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bucket.Close() })
	s := owned.Open(bucket, openDatabase(t), owned.Options{TTL: time.Minute})
	mustPut(t, s.For("ada"), "linked.png")
	link, err := s.For("ada").(artifacts.Presigner).Presign(t.Context(), "linked.png", "inline", time.Hour)
	if err != nil || !strings.Contains(link, "X-Amz-Expires=60") && !strings.Contains(link, "X-Amz-Expires=5") {
		t.Errorf("a link for an hour to what expires in a minute: %s, %v", link, err)
	}
	link, err = s.For("bob").(artifacts.Presigner).Presign(t.Context(), "linked.png", "inline", time.Hour)
	if fault.CodeOf(err) != sdkapi.ArtifactNotFound || link != "" {
		t.Errorf("a link to another's: %q, %v", link, err)
	}
}

// TestOlderThanTheTable checks that only the view "" can read and delete artifacts from before the
// table existed.
func TestOlderThanTheTable(t *testing.T) {
	t.Parallel()
	inner := new(links)
	db := openDatabase(t)
	s := owned.Open(inner, db, owned.Options{TTL: time.Hour})
	mustPut(t, inner, "older.png")
	for call, err := range attempts(t, s.For("ada"), "older.png") {
		if fault.CodeOf(err) != sdkapi.ArtifactNotFound {
			t.Errorf("%s by a user: %v", call, err)
		}
	}
	for call, err := range attempts(t, s.For(""), "older.png") {
		if err != nil {
			t.Errorf("%s by everybody: %v", call, err)
		}
	}
	if _, err := s.For("ada").Put(t.Context(), "older.png", "text/plain", strings.NewReader("x")); fault.CodeOf(err) != sdkapi.Internal {
		t.Errorf("Put over it: %v", err)
	}
	if n := rows(t, db, "TRUE"); n != 0 {
		t.Errorf("the Put that failed left %d rows, by which the janitor would remove what it is not", n)
	}
	if err := s.For("").Delete(t.Context(), "older.png"); err != nil {
		t.Error(err)
	}
	wantMissing(t, s.For(""), "older.png")
	wantMissing(t, inner, "older.png")
}

// TestViewsRemember checks that a view queries the database once for an artifact, and never for one
// that it has stored. Without the database it must serve cached artifacts, and must not report
// others as missing.
func TestViewsRemember(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(links)
	s, other := owned.Open(inner, db, owned.Options{}), owned.Open(inner, db, owned.Options{})
	mustPut(t, s.For("ada"), "known.png")
	mustPut(t, inner, "older.png")
	inner.age = time.Hour
	mustGet(t, s, "older.png")
	mustPut(t, s.For("ada"), "asked.png")
	mustGet(t, other.For("ada"), "asked.png")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustGet(t, other.For("ada"), "asked.png")
	wantMissing(t, other.For("bob"), "asked.png")
	mustGet(t, s.For("ada"), "known.png")
	mustGet(t, s, "older.png")
	wantMissing(t, s.For("bob"), "known.png")
	wantMissing(t, s.For("bob"), "older.png")
	for call, err := range attempts(t, other.For("ada"), "known.png") {
		if fault.CodeOf(err) != sdkapi.StateUnavailable {
			t.Errorf("%s without the database: %v; want %s", call, err, sdkapi.StateUnavailable)
		}
	}
	if _, err := s.For("ada").Put(t.Context(), "more.png", "text/plain", strings.NewReader("x")); fault.CodeOf(err) != sdkapi.StateUnavailable {
		t.Errorf("Put without the database: %v", err)
	}
	wantMissing(t, inner, "more.png")
}

// TestNewBytesAreNotTakenForOld checks that a view queries the row of new content again, because a
// Put may still insert it.
func TestNewBytesAreNotTakenForOld(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(links)
	s := owned.Open(inner, db, owned.Options{})
	mustPut(t, inner, "young.png")
	mustGet(t, s, "young.png")
	write(t, db, "INSERT INTO artifacts (id, owner, created, stored, expires, missing) VALUES ('young.png', 'ada', 1, TRUE, 1, 0)")
	wantMissing(t, s, "young.png")
}

// TestBytesThatComeBetweenTheLooks stores an artifact between the queries of the table and of the
// store. The view "", which shows content without a row, must not show it as such content.
func TestBytesThatComeBetweenTheLooks(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	inner := &between{}
	s := owned.Open(inner, db, owned.Options{})
	inner.first = func() {
		write(t, db, "INSERT INTO artifacts (id, owner, created, stored, expires, missing) VALUES ('between.png', 'ada', 1, FALSE, 9999999999999999, 0)")
		mustPut(t, &inner.Memory, "between.png")
	}
	wantMissing(t, s, "between.png")
	if r, _, err := s.Get(t.Context(), "between.png", 0, -1); fault.CodeOf(err) != sdkapi.ArtifactNotFound || r != nil {
		t.Errorf("Get: %v", err)
	}
}

// TestDeletedIsForgotten deletes an artifact, and gives its id to another artifact. The cached row
// must not help the first owner.
func TestDeletedIsForgotten(t *testing.T) {
	t.Parallel()
	inner := &crashing{Store: new(storetest.Memory)}
	s := owned.Open(inner, openDatabase(t), owned.Options{})
	mustPut(t, s.For("ada"), "crash.png")
	if err := s.For("ada").Delete(t.Context(), "crash.png"); err != nil {
		t.Fatal(err)
	}
	inner.afterPut = true
	if err := crashes(func() error { return put(s.For("bob")) }); err != nil {
		t.Fatal(err)
	}
	wantMissing(t, s.For("ada"), "crash.png")
}

// between is a store that calls a function before the first Stat.
type between struct {
	storetest.Memory
	first func()
}

// Stat implements artifacts.Store.
func (b *between) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	if b.first != nil {
		b.first()
		b.first = nil
	}
	return b.Memory.Stat(ctx, id)
}

// attempts returns every call that would show an artifact.
func attempts(t *testing.T, s artifacts.Store, id string) map[string]error {
	t.Helper()
	_, statErr := s.Stat(t.Context(), id)
	r, _, getErr := s.Get(t.Context(), id, 0, -1)
	if getErr == nil {
		_ = r.Close()
	}
	_, pastEnd, rangeErr := s.Get(t.Context(), id, 2, 1)
	if rangeErr == nil && pastEnd.ID != id {
		rangeErr = errors.New("the info is another's")
	}
	errs := map[string]error{"Stat": statErr, "Get": getErr, "Get of a range": rangeErr}
	if links, ok := s.(artifacts.Presigner); ok {
		_, errs["Presign"] = links.Presign(t.Context(), id, "inline", time.Minute)
	}
	return errs
}

// links is a store in memory that can create links, and can make its artifacts look older.
type links struct {
	storetest.Memory
	age time.Duration
}

// Presign implements artifacts.Presigner.
func (*links) Presign(_ context.Context, id, _ string, _ time.Duration) (string, error) {
	return "https://links.example/" + id, nil
}

// Get implements artifacts.Store.
func (l *links) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	r, info, err := l.Memory.Get(ctx, id, offset, length)
	info.CreatedAt = info.CreatedAt.Add(-l.age)
	return r, info, err
}

// openDatabase returns an empty database for the test.
func openDatabase(t testing.TB) *database.DB { return databasetest.Open(t, databasetest.InFile(t)) }

// files returns a store in the folder dir.
func files(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustPut(t testing.TB, s artifacts.Store, id string) artifacts.Info {
	t.Helper()
	info, err := s.Put(t.Context(), id, "text/plain", strings.NewReader("content"))
	if err != nil {
		t.Fatalf("Put of %s: %v", id, err)
	}
	return info
}

func mustGet(t testing.TB, s artifacts.Store, id string) string {
	t.Helper()
	r, _, err := s.Get(t.Context(), id, 0, -1)
	if err != nil {
		t.Fatalf("Get of %s: %v", id, err)
	}
	defer func() { _ = r.Close() }()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantMissing fails unless the artifact is missing in s.
func wantMissing(t testing.TB, s artifacts.Store, id string) {
	t.Helper()
	if info, err := s.Stat(t.Context(), id); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Stat of %s: %+v, %v; want %s", id, info, err, sdkapi.ArtifactNotFound)
	}
}

// rows counts the rows that satisfy the condition where.
func rows(t testing.TB, db *database.DB, where string) (n int) {
	t.Helper()
	if err := db.Read().NewRaw("SELECT count(*) FROM artifacts WHERE "+where).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// write changes the table without the store.
func write(t testing.TB, db *database.DB, query string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(query, args...).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRemovingPassesFailures checks that an artifact that cannot be deleted does not stop EraseUser
// and Prune. If the store is unreachable, they must not try every artifact.
func TestRemovingPassesFailures(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), &stubborn{keeps: map[string]bool{"adas1.png": true}}
	s := owned.Open(inner, db, owned.Options{})
	for i := range 150 { // more than a batch
		mustPut(t, s.For("ada"), fmt.Sprintf("adas%d.png", i))
	}
	mustPut(t, s.For("bob"), "bobs1.png")
	if n, err := s.EraseUser(t.Context(), "ada"); n != 149 || fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("EraseUser: %d, %v", n, err)
	}
	if n, err := s.Prune(t.Context(), time.Now().Add(time.Hour), false); n != 1 || fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Prune: %d, %v", n, err)
	}
	inner.keeps = nil
	if n, err := s.EraseUser(t.Context(), "ada"); n != 1 || err != nil || rows(t, db, "TRUE") != 0 {
		t.Errorf("EraseUser, again: %d, %v; %d rows are left", n, err, rows(t, db, "TRUE"))
	}
	inner.keeps = map[string]bool{}
	for i := range 50 {
		id := fmt.Sprintf("eves%d.png", i)
		mustPut(t, s.For("eve"), id)
		inner.keeps[id] = i < 49
	}
	if n, err := s.EraseUser(t.Context(), "eve"); n != 0 || err == nil {
		t.Errorf("EraseUser of a store that is away: %d, %v", n, err)
	}
}

// lateStore is a store that calls a function after the content of a Put is stored, and is
// unreachable from then on.
type lateStore struct {
	storetest.Memory
	before, after func()
	away          bool
}

// Put implements artifacts.Store.
func (l *lateStore) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	l.before()
	info, err := l.Memory.Put(ctx, id, contentType, r)
	l.after()
	return info, err
}

// Delete implements artifacts.Store.
func (l *lateStore) Delete(ctx context.Context, id string) error {
	if l.away {
		return errors.New("away")
	}
	return l.Memory.Delete(ctx, id)
}

// TestEraseDuringPut erases a user during a Put, before and after the content is stored. The
// content must not stay: if the Put cannot delete it, the janitor must.
func TestEraseDuringPut(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"before its bytes": true, "after its bytes": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openDatabase(t)
			inner := &lateStore{}
			s := owned.Open(inner, db, owned.Options{})
			erase := func() {
				if n, err := s.EraseUser(t.Context(), "ada"); n != 1 || err != nil {
					t.Errorf("EraseUser: %d, %v", n, err)
				}
			}
			inner.before, inner.after = func() {}, func() { erase(); inner.away = true }
			if early {
				inner.before, inner.after = erase, func() { inner.away = true }
			}
			if _, err := s.For("ada").Put(t.Context(), "adas1.png", "text/plain", strings.NewReader("private")); err == nil {
				t.Error("Put of what was erased succeeded")
			}
			if n := rows(t, db, "owner = 'ada'"); n != 0 {
				t.Errorf("%d rows name ada", n)
			}
			inner.away = false
			write(t, db, "UPDATE artifacts SET expires = 1 WHERE expires > 0") // a day later
			clean(t, s)
			wantMissing(t, inner, "adas1.png")
			wantMissing(t, s, "adas1.png")
		})
	}
}

// slowStore is a store whose Put takes a given time.
type slowStore struct {
	artifacts.Store

	wait time.Duration
}

func (s slowStore) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	if err := background.Sleep(ctx, s.wait); err != nil {
		return artifacts.Info{}, err
	}
	return s.Store.Put(ctx, id, contentType, r)
}
