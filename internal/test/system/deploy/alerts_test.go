//go:build system && !race

// With the race detector ten gateways that read screens for a minute take a machine of two cores for themselves.

package deploy_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // which holds a database while its gateway wants it

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/modelstest"
)

// minuteVariable says how long a minute of the rules takes in TestAlertsFire: 60s is as they are. Without it a minute
// takes quickMinute.
const (
	minuteVariable = "WINDIE_ALERTS_MINUTE"
	quickMinute    = 2 * time.Second
)

// trouble is what goes wrong with a gateway, so that alerts fire.
type trouble struct {
	alerts  []string
	environ func(t *testing.T) []string
	begin   func(t *testing.T, g ailing) // once, before load; nil: nothing
	load    func(ctx context.Context, g ailing, turn int)
	beside  int // how many loads at once
}

// ailing is a gateway of the test.
type ailing struct {
	*rig.Gateway
	data string
}

// troubles has one for each alert, and none: no alert may fire at the gateway of that.
var troubles = map[string]trouble{
	"the process is gone": {alerts: []string{"WindieDown"}, begin: func(_ *testing.T, g ailing) { g.Signal(syscall.SIGKILL) }},
	"an artifact's bytes are changed on the disk": {
		alerts: []string{"WindieErrors", "WindieDamage"}, begin: damageOne, beside: 1,
		load: func(ctx context.Context, g ailing, _ int) { g.fetch(ctx, "/api/artifacts/"+g.damaged()) },
	},
	"more large screens than one core reads": {
		alerts:  []string{"WindieSlow", "WindieWaits"},
		environ: func(*testing.T) []string { return []string{"GOMAXPROCS=1"} },
		load:    readLarge, beside: largeReaders,
	},
	"the provider of the model answers 500": {
		alerts: []string{"WindieModelFails", "WindieTurnsFail"}, load: promptOnce, beside: 4,
		environ: func(t *testing.T) []string {
			t.Helper()
			_, environ := rig.ModelThatSays(t, modelstest.Reply{Fault: modelstest.Broken})
			return environ
		},
	},
	"the model thinks for twelve seconds before each answer": {
		alerts: []string{"WindieModelSlow"}, load: promptInTurn, beside: 12,
		environ: func(t *testing.T) []string {
			t.Helper()
			_, environ := rig.ModelThatSays(t, modelstest.Reply{Text: []string{"Well."}, Delay: 12 * time.Second})
			return environ
		},
	},
	"a budget that nothing is left of": {
		alerts: []string{"WindieBudgets"}, load: promptOnce, beside: 1,
		environ: func(*testing.T) []string { return []string{"WINDIE_BUDGET_TOKENS_DAY=1"} },
	},
	"the file of the database is taken away": {
		alerts: []string{"WindieJournalFails"}, load: promptOnce, beside: 1,
		begin: func(t *testing.T, g ailing) {
			t.Helper()
			if err := os.Rename(filepath.Join(g.data, "windie.db"), filepath.Join(g.data, "elsewhere.db")); err != nil {
				t.Error(err)
			}
		},
	},
	"another program holds the database": {alerts: []string{"WindieDatabaseWaits"}, begin: holdDatabase, load: uploadText, beside: 16},
	"less memory than a gateway takes": {
		alerts: []string{"WindieMemory"}, load: readSmall, beside: 1,
		environ: func(*testing.T) []string { return []string{"GOMEMLIMIT=40MiB"} },
	},
	"none": {load: readSmall, beside: 1},
}

// Each alert fires at a gateway in a process of its own that has the trouble the alert is for, by the rules as they are
// but for their minutes, which a real Prometheus evaluates; and none fires at one that has no trouble.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	program, minute := installed(t, "prometheus"), quickMinute
	if value := os.Getenv(minuteVariable); value != "" {
		var err error
		if minute, err = time.ParseDuration(value); err != nil {
			t.Fatal(err)
		}
	}
	rules := quickRules(t, minute)
	gateways := map[string]ailing{}
	for name, w := range troubles {
		data := t.TempDir()
		environ := []string{"WINDIE_DATA_DIR=" + data}
		if w.environ != nil {
			environ = append(environ, w.environ(t)...)
		}
		gateways[name] = ailing{rig.Start(t, io.Discard, environ...), data}
	}
	prometheus := watching(t, program, rules, max(time.Second, minute/4), gateways)
	testkit.EventuallyWithin(t, time.Minute, "Prometheus scrapes", func() (string, bool) {
		return "", answered(t, prometheus, `count(up == 1) == `+strconv.Itoa(len(gateways)))
	})
	ctx, cancel := context.WithCancel(t.Context())
	var loads sync.WaitGroup
	defer loads.Wait()
	defer cancel()
	for name, w := range troubles {
		if w.begin != nil {
			w.begin(t, gateways[name])
		}
		for one := range w.beside {
			loads.Go(func() {
				for turn := one; ctx.Err() == nil; turn += w.beside {
					w.load(ctx, gateways[name], turn)
				}
			})
		}
	}
	for name, w := range troubles {
		for _, alert := range w.alerts {
			t.Run(alert, func(t *testing.T) { wantAlert(t, prometheus, alert, gateways[name], 3*time.Minute+45*minute) })
		}
	}
	t.Run("none", func(t *testing.T) {
		for _, alert := range alertName.FindAllStringSubmatch(rules, -1) {
			if answered(t, prometheus, fmt.Sprintf(`count_over_time(ALERTS{alertstate="firing",alertname=%q,instance=%q}[2h])`, alert[1], gateways["none"].instance())) {
				t.Errorf("%s fired at a gateway without trouble", alert[1])
			}
		}
	})
}

// wantAlert waits until an alert fires at a gateway.
func wantAlert(t *testing.T, prometheus, alert string, g ailing, within time.Duration) {
	t.Helper()
	began := time.Now()
	testkit.EventuallyWithin(t, within, alert+" fires", func() (string, bool) {
		return "", answered(t, prometheus, fmt.Sprintf(`ALERTS{alertstate="firing",alertname=%q,instance=%q}`, alert, g.instance()))
	})
	t.Logf("fired after %v", time.Since(began).Round(time.Second))
}

func (g ailing) instance() string { return strings.TrimPrefix(g.URL, "http://") }

// quickRules returns the rules with minutes that are as long as minute, and checks that each alert has its trouble.
func quickRules(t *testing.T, minute time.Duration) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployed, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, alert := range alertName.FindAllSubmatch(text, -1) {
		if !slices.ContainsFunc(slices.Collect(maps.Values(troubles)), func(w trouble) bool { return slices.Contains(w.alerts, string(alert[1])) }) {
			t.Errorf("no trouble has the alert %s fire: give troubles one", alert[1])
		}
	}
	return regexp.MustCompile(`(\[|for: )(\d+)([mh])`).ReplaceAllStringFunc(string(text), func(found string) string {
		m := regexp.MustCompile(`^(.*?)(\d+)([mh])$`).FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[2]) // digits
		if m[3] == "h" {
			n *= 60
		}
		return fmt.Sprintf("%s%dms", m[1], (time.Duration(n) * minute).Milliseconds())
	})
}

// watching runs a Prometheus with rules that scrapes gateways until the test ends, and returns its URL.
func watching(t *testing.T, program, rules string, every time.Duration, gateways map[string]ailing) string {
	t.Helper()
	var targets []string
	for _, g := range gateways {
		targets = append(targets, strconv.Quote(g.instance()))
	}
	config := fmt.Sprintf("global: {scrape_interval: %dms, evaluation_interval: %[1]dms}\nrule_files: [alerts.yaml]\nscrape_configs:\n  - {job_name: windie, static_configs: [{targets: [%s]}]}\n",
		every.Milliseconds(), strings.Join(targets, ", "))
	return prometheusWith(t, program, config, map[string]string{"alerts.yaml": rules})
}

func (g ailing) send(ctx context.Context, method, path, body string) {
	g.sendAs(ctx, "application/json", method, path, body)
}

// sendAs sends a request, as a client that gives up with the test, and takes no notice of the answer.
func (g ailing) sendAs(ctx context.Context, kind, method, path, body string) {
	req, err := http.NewRequestWithContext(ctx, method, g.URL+path, strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("X-User-Id", "ada")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}

func (g ailing) fetch(ctx context.Context, path string) { g.send(ctx, http.MethodGet, path, "") }

func promptOnce(ctx context.Context, g ailing, _ int) {
	g.send(ctx, http.MethodPost, "/api/prompt", `{"input":"What is new?"}`)
	pause(ctx)
}

// promptInTurn is promptOnce that begins a second after the one before it, so that a model that takes long answers at all times.
func promptInTurn(ctx context.Context, g ailing, turn int) {
	if turn < 12 {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(turn) * time.Second):
		}
	}
	promptOnce(ctx, g, turn)
}

// uploadText stores a small artifact, which the database notes.
func uploadText(ctx context.Context, g ailing, _ int) {
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n"
	g.sendAs(ctx, "multipart/form-data; boundary=b", http.MethodPost, "/api/artifacts/", body)
	pause(ctx)
}

// pause keeps a load that is refused at once from taking a core.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// smallScreen is the question about a small screen.
var smallScreen = sync.OnceValue(func() string { return questionAbout(screenOf(1, 0)) })

// readSmall has a screen read that is kept from before.
func readSmall(ctx context.Context, g ailing, _ int) {
	g.send(ctx, http.MethodPost, "/api/sdk/ocr/run", smallScreen())
	pause(ctx)
}

// largeReaders is how many large screens are asked about at once.
const largeReaders = 80

// largeScreens has the screen of each reader: drawing it each time took twice the processor time of reading it.
var largeScreens [largeReaders]struct {
	once sync.Once
	file []byte
}

// readLarge has a large screen read in a file that nobody read before.
func readLarge(ctx context.Context, g ailing, turn int) {
	own := &largeScreens[turn%largeReaders]
	own.once.Do(func() { own.file = screenOf(3, turn) })
	g.send(ctx, http.MethodPost, "/api/sdk/ocr/run", questionAbout(withRemark(own.file, strconv.Itoa(turn))))
}

// withRemark returns a PNG file that has a remark behind its header, by which its bytes are others and its picture is not.
func withRemark(file []byte, remark string) []byte {
	const header = 8 + 25 // the signature, and the chunk that comes first
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len("Comment\x00"+remark)))
	chunk = append(chunk, "tEXtComment\x00"+remark...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return slices.Concat(file[:header], chunk, file[header:])
}

func questionAbout(screen []byte) string {
	body, _ := json.Marshal(map[string]any{"image": map[string]string{"image_base64": base64.StdEncoding.EncodeToString(screen)}}) // of strings
	return string(body)
}

// tile is what screens are made of.
var tile = sync.OnceValue(func() image.Image {
	file, err := os.Open("../../../../perception/testdata/screens/dashboard.png")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	screen, err := png.Decode(file)
	if err != nil {
		panic(err)
	}
	return screen
})

// screenOf returns a picture of a screen beside itself, as many times in each direction, moved so that each turn has another.
func screenOf(times, turn int) []byte {
	of := tile()
	size := of.Bounds().Size()
	picture := image.NewRGBA(image.Rect(0, 0, times*size.X, times*size.Y))
	for x := range times {
		for y := range times {
			at := image.Pt(x*size.X, y*size.Y).Add(image.Pt(turn%97, turn/97%97))
			draw.Draw(picture, image.Rectangle{at, at.Add(size)}, of, image.Point{}, draw.Src)
		}
	}
	var out bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, picture) // into memory
	return out.Bytes()
}

// damageOne stores an artifact, changes it on the disk, and has all artifacts looked through.
func damageOne(t *testing.T, g ailing) {
	t.Helper()
	rig.Upload(t, g.URL)
	file := g.artifact()
	text, err := os.ReadFile(file)
	if err == nil {
		text[len(text)/2] ^= 1
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
	if code, out, complaint := rig.Windie(t, nil, "scrub", "--data-dir", g.data); code != rig.ExitFailed || !strings.Contains(out, g.damaged()) {
		t.Errorf("%d %s%s", code, out, complaint)
	}
}

func (g ailing) damaged() string { return filepath.Base(g.artifact()) }

// artifact returns the file of the one artifact that there is.
func (g ailing) artifact() (file string) {
	_ = filepath.WalkDir(filepath.Join(g.data, "artifacts"), func(name string, _ fs.DirEntry, _ error) error {
		if filepath.Ext(name) == ".png" {
			file = name
		}
		return nil
	})
	return file
}

// holdDatabase has another program write to a gateway's database for a second at a time, until the test ends.
func holdDatabase(t *testing.T, g ailing) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(g.data, "windie.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			tx, err := db.BeginTx(context.Background(), nil)
			if err != nil {
				tx = nil
			}
			select {
			case <-end:
			case <-time.After(time.Second):
			}
			if tx != nil {
				_ = tx.Rollback()
			}
			select {
			case <-end:
				return
			case <-time.After(200 * time.Millisecond): // in which the gateway writes
			}
		}
	}()
	t.Cleanup(func() {
		close(end)
		<-ended
		_ = db.Close()
	})
}
