package doorstest

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/conformance/stage"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/state/runs"
)

// Update is the flag -update of the tests, which records dialogues again.
var Update = flag.Bool("update", false, "record the dialogues of testdata anew where they differ")

// TestRunsKey is the key for requests about runs in tests.
const TestRunsKey = "a key that nobody guesses"

// DialogueConfig returns the configuration of the gateway for a dialogue. The parameter name is the name of the
// dialogue, and file is the file that contains it.
func DialogueConfig(t *testing.T, name, file string) gateway.App {
	t.Helper()
	cfg := gateway.App{AllowedOrigins: []string{"https://app.example"}}
	switch name {
	case "unavailable":
		cfg.Store, cfg.Scenes = absentStore(t), AbsentReader(t)
	case "damaged-network":
		cfg.Scenes = damagedReader(t)
	case "slow", "tools-slow":
		cfg.StallTimeout, cfg.ToolTimeout = 200*time.Millisecond, 200*time.Millisecond
		cfg.Scenes = perception.NewScenes(NewSlowEngine(), perception.Options{Timeout: 200 * time.Millisecond})
	default:
		cfg.Scenes = gatewaytest.Scenes(t)
	}
	if strings.HasPrefix(name, "install-") {
		cfg.Identity = gatewaytest.Identity(t)
		cfg.Hosted = name == "install-hosted"
		cfg.OperatorToken = "a token that nobody guesses"
		plugged := WithPlugins(t)
		cfg.Plugins, cfg.Tools = plugged.Plugins, plugged.Tools
	}
	if strings.HasPrefix(name, "tools-") {
		cfg.Store = new(storetest.Memory)
		cfg.Tools = DialogueTools(t, cfg.Store, cfg.Scenes)
	}
	if strings.HasPrefix(name, "tools-audit") {
		cfg.Audit = gatewaytest.Audit(t)
	}
	if name == "tools-audit-operator" {
		cfg.OperatorToken = "a token that nobody guesses"
	}
	if strings.HasPrefix(name, "agent-") {
		cfg, _ = Scripted(t)
	}
	switch name {
	case "runs":
		cfg.Runs, cfg.RunsKey = gatewaytest.Runs(t, runs.Options{}), TestRunsKey
	case "runs-hosted":
		cfg.Identity, cfg.Hosted = gatewaytest.Identity(t), true
		cfg.Runs, cfg.RunsKey = gatewaytest.Runs(t, runs.Options{}), TestRunsKey
	case "runs-unavailable":
		cfg.Runs = gatewaytest.Runs(t, runs.Options{})
	case "transcription":
		cfg.Transcriber = Transcribing(t)
	case "runs-limits":
		cfg.Runs, cfg.RunsKey = gatewaytest.Runs(t, runs.Options{MaxActive: 100}), TestRunsKey
	case "embeddings", "embeddings-limits":
		cfg.Embeddings = CountingService()
	case "semantic", "semantic-limits":
		cfg.Digests = new(digest.Digester)
	case "embeddings-unavailable":
		cfg.Embeddings = embeddings.Local("models/all-MiniLM-L6-v2")
	}
	if strings.HasPrefix(name, "prompt-") {
		cfg = conversation(t, file)
		cfg.Conversations, cfg.ApprovalKey = convs.Open(cfg.Journal), TestKey
		WithRisks(t, cfg.Tools)
	}
	if name == "vision-model" {
		cfg.Finder = query.New(cfg.Scenes, visionModel(t, file))
	}
	if strings.HasPrefix(name, "ws-") || strings.HasPrefix(name, "v1-") || strings.HasPrefix(name, "toolhost-") {
		cfg = conversation(t, file)
	}
	switch name {
	case "toolhost-heartbeat":
		cfg.Heartbeat = 300 * time.Millisecond
	case "toolhost-approvals":
		WithRisks(t, cfg.Tools)
	}
	if name == "ws-speech" {
		cfg.Voice = &Humming{Long: 200 * time.Millisecond}
	}
	if name == "v1-approval" {
		WithRisks(t, cfg.Tools)
	}
	if strings.Contains(name, "memory") {
		Remembering(t, &cfg)
	}
	if name == "ws-progress" {
		if err := cfg.Tools.Register(stage.Counting()); err != nil {
			t.Fatal(err)
		}
	}
	cfg.ApprovalKey = TestKey
	return cfg
}

// Remembering adds a memory and its tools to the configuration of a gateway. The soft limit of the memory is 250
// bytes.
func Remembering(t *testing.T, cfg *gateway.App) {
	cfg.Memory = gatewaytest.Memory(t, memory.Options{SoftBytes: 250})
	for _, tool := range cfg.Memory.Tools() {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
}

// absentStore returns an S3 store whose server does not exist: each operation fails.
func absentStore(t *testing.T) artifacts.Store {
	store, err := s3store.Open(t.Context(), s3store.Config{
		Endpoint: "http://127.0.0.1:1", Bucket: "none", AccessKey: "key", SecretKey: "secret", SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// AbsentReader returns a text reader whose network file does not exist, so that each read fails.
func AbsentReader(t *testing.T) *perception.Scenes {
	return perception.NewScenes(reader.New(reader.Config{DataDir: t.TempDir(), Languages: "jpn"}), perception.Options{})
}

// damagedReader returns a reader whose network file is truncated. The file has a table with two entries and no data.
func damagedReader(t *testing.T) *perception.Scenes {
	dir := t.TempDir()
	table := binary.LittleEndian.AppendUint32(nil, 2)
	for _, offset := range []uint64{20, 5000} {
		table = binary.LittleEndian.AppendUint64(table, offset)
	}
	if err := os.WriteFile(filepath.Join(dir, "jpn.traineddata"), table, 0o600); err != nil {
		t.Fatal(err)
	}
	return perception.NewScenes(reader.New(reader.Config{DataDir: dir, Languages: "jpn"}), perception.Options{})
}

// SampleFile returns the content of a sample file that dialogues upload. An unknown name is an error.
func SampleFile(name string) ([]byte, error) {
	switch name {
	case "card.png":
		return gatewaytest.Card(), nil
	case "form.png":
		return gatewaytest.Screen("Your name", "Submit", "Cancel"), nil
	case "thanks.png":
		return gatewaytest.Screen("Thank you"), nil
	case "truncated.png":
		return gatewaytest.Card()[:len(gatewaytest.Card())/2], nil
	case "51mp.png":
		return PngHeader(8500, 6000), nil
	case "blank.gif":
		return blankGIF()
	case "page.html":
		return []byte("<!doctype html><script>alert(1)</script>"), nil
	case "noise.bin":
		return []byte("\x00\x01\x02\x03\xfe\xff"), nil
	case "empty.png":
		return nil, nil
	case "60kb.bin":
		return make([]byte, 60<<10), nil
	case "30mb.bin":
		return make([]byte, 30<<20), nil
	}
	return nil, fmt.Errorf("no sample file %q", name)
}

// blankGIF returns a white GIF of 40 x 20 pixels.
func blankGIF() ([]byte, error) {
	var out bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, 40, 20), color.Palette{color.White, color.Black})
	err := gif.Encode(&out, img, nil)
	return out.Bytes(), err
}

// PngHeader returns the start of a PNG: its header claims the size, and no pixels follow.
func PngHeader(width, height uint32) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, 8, 2, 0, 0, 0) // 8 bits, RGB
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	out = append(out, chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}
