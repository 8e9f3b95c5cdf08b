//go:build system

package upgrade_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // which reads what a version has kept

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// database is the file of a data folder that has the tables.
const database = "windie.db"

// What the version before has kept for an upgrade.
const (
	upgradeEvents    = 10_000
	upgradeArtifacts = 100
	upgradeNotes     = 20
)

// A gateway goes on with what the version before kept: 10,000 events, artifacts, plugins and memory. The version
// before refuses what this one has changed, says why, and goes on from the backup that it made.
// It runs with WINDIE_UPGRADE=1, as by make test-system PART=upgrade: it builds the version before.
func TestUpgrade(t *testing.T) {
	if os.Getenv("WINDIE_UPGRADE") == "" {
		t.Skip("make test-system PART=upgrade runs it: it builds the version before")
	}
	built, err := exec.CommandContext(t.Context(), "../../../../scripts/previous.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	before := previous{t, strings.TrimSpace(string(built)), t.TempDir()}
	artifacts := before.fill()
	rows := rowsOf(t, filepath.Join(before.dir, database), nil)
	if len(rows["events"]) < upgradeEvents {
		t.Fatalf("only %d events", len(rows["events"]))
	}
	saved := filepath.Join(t.TempDir(), "before.tar.zst")
	before.command("backup", saved)
	t.Run("on", func(t *testing.T) { upgraded(t, before.dir, artifacts, rows) })
	t.Run("back", func(t *testing.T) { before.back(t, saved, artifacts, rows) })
}

// upgraded starts this version on a folder of the version before, and looks for all that was kept.
func upgraded(t *testing.T, dir string, artifacts []string, rows map[string][]string) {
	began := time.Now()
	url := rig.Serve(t, "WINDIE_DATA_DIR="+dir)
	t.Logf("ready after %v, with %d events in %d tables", time.Since(began).Round(time.Millisecond), len(rows["events"]), len(rows))
	wantKept(t, url, artifacts)
	now := rowsOf(t, filepath.Join(dir, database), rows)
	for table, want := range rows {
		if lost := missing(want, now[table]); len(lost) > 0 {
			t.Errorf("table %s: %d of %d rows are lost or others, the first: %.300s", table, len(lost), len(want), lost[0])
		}
	}
}

// missing returns what of a sorted list is not in another.
func missing(list, in []string) (lost []string) {
	for _, row := range list {
		if _, found := slices.BinarySearch(in, row); !found {
			lost = append(lost, row)
		}
	}
	return lost
}

// wantKept asks a gateway for artifacts, memory and a plugin.
func wantKept(t *testing.T, url string, artifacts []string) {
	t.Helper()
	want, err := os.ReadFile("../../../../examples/click-target/screen.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range artifacts {
		resp, err := http.Get(url + "/api/artifacts/" + id) //nolint:noctx // it is on this machine
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("artifact %s: %s, %d bytes, %v", id, resp.Status, len(got), err)
		}
	}
	if found := rig.Invoke(t, url, "memory.search", `{"query":"heron7"}`); !strings.Contains(found, "heron7 nests") {
		t.Errorf("what was remembered is not found: %s", found)
	}
	testkit.Eventually(t, "the plugin answers", func() (string, bool) {
		said := rig.Invoke(t, url, "parrot.echo", `{"word":"polly"}`)
		return said, strings.Contains(said, "polly")
	})
}

// previous is a program of the version before, with its data folder.
type previous struct {
	t            *testing.T
	program, dir string
}

func (p previous) environ() []string {
	return []string{"WINDIE_DATA_DIR=" + p.dir, "PATH=" + os.Getenv("PATH"), "HOME=" + p.dir}
}

// command runs a command to its end, which must be 0.
func (p previous) command(args ...string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.program, args...)
	cmd.Env = p.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// serve starts the gateway and returns its URL, and what ends it.
func (p previous) serve() (url string, end func()) {
	p.t.Helper()
	free, err := new(net.ListenConfig).Listen(p.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close()
	var said rig.Output
	cmd := exec.CommandContext(p.t.Context(), p.program, "serve", "--listen", at)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.environ(), &said, &said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	testkit.Eventually(p.t, "the version before is ready", func() (string, bool) {
		resp, err := http.Get("http://" + at + "/ready") //nolint:noctx // it is on this machine
		if err == nil {
			_ = resp.Body.Close()
		}
		return said.String(), err == nil && resp.StatusCode == http.StatusOK
	})
	return "http://" + at, func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			p.t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("%v\n%s", err, said.String())
		}
	}
}

// fill has the version before keep something of each kind, and returns the ids of artifacts.
func (p previous) fill() (artifacts []string) {
	if err := os.MkdirAll(filepath.Join(p.dir, "plugins"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "plugins", "parrot.wasm"), wasmtest.Echo(), 0o600); err != nil {
		p.t.Fatal(err)
	}
	url, end := p.serve()
	defer end()
	for range upgradeArtifacts {
		artifacts = append(artifacts, rig.Upload(p.t, url))
	}
	for i := range upgradeNotes {
		p.command("memory", "write", "--user", "ada", fmt.Sprintf("The heron%d nests by the weir.", i))
	}
	for len(rowsOf(p.t, filepath.Join(p.dir, database), map[string][]string{"events": nil})["events"]) < upgradeEvents {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 60 {
					rig.Post(p.t, url+"/api/prompt", `{"input":"run parrot_echo {\"word\":\"polly\"}"}`)
				}
			})
		}
		all.Wait()
	}
	return artifacts
}

// back lets the version before have the folder that this one has changed: it refuses newer tables and says so. From its
// backup it goes on.
func (p previous) back(t *testing.T, saved string, artifacts []string, rows map[string][]string) {
	p.t = t
	has, was := slices.Max(rowsOf(t, filepath.Join(p.dir, database), map[string][]string{"schema_version": nil})["schema_version"]), slices.Max(rows["schema_version"])
	if has == was {
		t.Log("the tables are the same: the version before goes on with them")
		url, end := p.serve()
		defer end()
		wantKept(t, url, artifacts)
		return
	}
	cmd := exec.CommandContext(t.Context(), p.program, "serve", "--listen", "127.0.0.1:0")
	cmd.Env = p.environ()
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "or restore") {
		t.Errorf("the version before took newer tables: %v\n%s", err, out)
	}
	p.dir = filepath.Join(t.TempDir(), "restored")
	p.command("restore", saved)
	url, end := p.serve()
	defer end()
	wantKept(t, url, artifacts)
	if lost := missing(rows["events"], rowsOf(t, filepath.Join(p.dir, database), rows)["events"]); len(lost) > 0 {
		t.Errorf("%d events are lost in the backup", len(lost))
	}
}

// changing are tables whose rows come and go by themselves.
var changing = []string{"leases", "sqlite_sequence"}

// columnsOf are those of a table at the version before, by which it is compared.
var columnsOf sync.Map

// rowsOf reads all tables of a database that are no index of words, or those of like, each as sorted texts of the columns that the table had when
// it was read first.
func rowsOf(t *testing.T, file string, like map[string][]string) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	names, err := texts(db, "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", 1)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, name := range names {
		name = strings.Trim(name, "[]")
		if _, wanted := like[name]; like != nil && !wanted || slices.Contains(changing, name) {
			continue
		}
		columns, err := texts(db, "SELECT name FROM pragma_table_info('"+name+"')", 1)
		if err != nil {
			t.Fatal(err)
		}
		known, _ := columnsOf.LoadOrStore(t.Name()[:len("TestUpgrade")]+name, columns)
		columns = known.([]string)
		for i := range columns {
			columns[i] = strings.Trim(columns[i], "[]")
		}
		if name == "schema_version" {
			columns = []string{"printf('%05d', version_id)"}
		}
		rows, err := texts(db, "SELECT "+strings.Join(columns, ", ")+" FROM "+name, len(columns))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slices.Sort(rows)
		all[name] = rows
	}
	return all
}

// texts returns the rows of a query as texts.
func texts(db *sql.DB, query string, columns int) (list []string, err error) {
	rows, err := db.Query(query) //nolint:noctx // a file of this test's
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		values, into := make([]any, columns), make([]any, columns)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprint(values))
	}
	return list, rows.Err()
}
