//go:build system && !race

package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/color"
	"image/png"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// crowdVariable asks for the long test of many large images. crowdGroup names the control group that
// a gateway of a test joins before it begins.
const (
	crowdVariable = "WINDIE_TEST_CROWD"
	crowdGroup    = "BENCH_CGROUP"
)

// largest is the side of a square image that is nearly as large as one may be.
const largest = 7000

// Large images of one user, all at once, in a control group of 1 GB: the gateway lives and stays
// below 700 MB, and another user's small requests hardly notice.
func TestCrowdOfLargeImages(t *testing.T) {
	for _, c := range crowds() {
		t.Run(fmt.Sprintf("%d of %s", c.requests, c.path), func(t *testing.T) {
			bodies := c.bodies() // made before anything is measured
			h := hostIn(t, memoryGroup(t, 1<<30))
			attacker, other := h.user(t), h.user(t)
			for i := range 10 {
				other.small(t, i) // what the first ones take is not the others'
			}
			var alone, beside []time.Duration
			for i := range 40 {
				alone = append(alone, other.small(t, 100+i))
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			statuses := attacker.crowd(ctx, c.path, bodies)
			began := time.Now()
			for i := 0; i < 2000 && len(statuses) < cap(statuses); i++ {
				beside = append(beside, other.small(t, 1000+i))
			}
			counts := map[string]int{}
			for range c.requests {
				counts[<-statuses]++
			}
			peak := h.peak(t)
			t.Logf("answers %v within %v; peak %d MB; small requests alone %v and %v, beside %v and %v (median and p99 of %d)", counts, time.Since(began).Round(time.Millisecond),
				peak/1e6, quantile(alone, 0.5), quantile(alone, 0.99), quantile(beside, 0.5), quantile(beside, 0.99), len(beside))
			if counts["200"] == 0 {
				t.Error("no large image was answered")
			}
			for status := range maps.Keys(counts) {
				if !slices.Contains([]string{"200", "503", "504"}, status) {
					t.Errorf("%d were answered with %s", counts[status], status)
				}
			}
			if peak > 700e6 {
				t.Errorf("the gateway took %d MB", peak/1e6)
			}
			if len(beside) >= 10 && os.Getenv(crowdVariable) != "" {
				if quantile(beside, 0.5) > 3*quantile(alone, 0.5) {
					t.Errorf("small requests take %v, and alone %v", quantile(beside, 0.5), quantile(alone, 0.5))
				}
				if quantile(beside, 0.99) > time.Second {
					t.Errorf("small requests take up to %v", quantile(beside, 0.99))
				}
			}
			h.settles(t)
		})
	}
}

// Half-sent bodies of users at four addresses, which take up to a megabyte each and never end: the gateway lives, in
// little memory, and answers others.
func TestCrowdOfHalfSentBodies(t *testing.T) {
	for _, limit := range []int64{700e6, 1 << 30} {
		t.Run(fmt.Sprintf("%d MB", limit/1e6), func(t *testing.T) {
			h := hostIn(t, memoryGroup(t, limit), presetLimits()...)
			other := h.user(t)
			other.small(t, 0) // what the first one takes is not the others'
			for address := range 4 {
				h.user(t).halfSend(t, fmt.Sprintf("127.0.0.%d", 2+address), 590)
			}
			var beside []time.Duration
			for i := range 100 {
				beside = append(beside, other.small(t, 1000+i))
			}
			t.Logf("peak %d MB; small requests take %v and %v (median and p99)", h.peak(t)/1e6, quantile(beside, 0.5), quantile(beside, 0.99))
			if quantile(beside, 0.99) > time.Second {
				t.Errorf("small requests take up to %v", quantile(beside, 0.99))
			}
		})
	}
}

// presetLimits takes back that gateways of benchmarks have no limits.
func presetLimits() (variables []string) {
	for _, s := range settings(new(config)) {
		if strings.HasPrefix(s.key, "limits.") {
			variables = append(variables, s.env+"=")
		}
	}
	return variables
}

// halfSend sends n bodies from an address, each by a connection of its own that is made anew a second after it ends, until
// the test does: a megabyte of thirty, and then nothing.
func (v visitor) halfSend(t *testing.T, from string, n int) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n"+
		`{"image":{"image_base64":"`, sdkapi.OCRRunPath, v.token)
	part := bytes.Repeat([]byte("A"), 1e6)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for t.Context().Err() == nil {
				conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(v.url, "http://"))
				if err != nil {
					return
				}
				end := context.AfterFunc(t.Context(), func() { _ = conn.Close() })
				_, _ = io.WriteString(conn, head)
				_, _ = conn.Write(part)
				_, _ = io.Copy(io.Discard, conn) // the answer, whenever it comes
				_ = conn.Close()
				end()
				select {
				case <-t.Context().Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
	t.Cleanup(all.Wait)
}

// crowd is many requests at once.
type crowd struct {
	path     string
	requests int
	body     string // around the image
}

func crowds() (list []crowd) {
	elements := crowd{sdkapi.ScreenElementsPath, 3, `{"image":{"image_base64":%q}}`}
	if os.Getenv(crowdVariable) == "" {
		return []crowd{elements}
	}
	inspect := crowd{sdkapi.OCRInspectPath, 6, `{"image":{"image_base64":%q}}`}
	overlay := crowd{sdkapi.VisionOverlayPath, 6, `{"image":{"image_base64":%q},"regions":[{"x":0,"y":0,"width":6000,"height":6000}]}`}
	for _, c := range []crowd{elements, inspect, overlay} {
		for _, c.requests = range []int{6, 60} {
			list = append(list, c)
		}
	}
	return list
}

// memoryGroup makes a control group of version 1 that may have limit bytes, or skips the test.
func memoryGroup(t *testing.T, limit int64) string {
	t.Helper()
	folder := filepath.Join("/sys/fs/cgroup/memory", fmt.Sprintf("windie-test-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		testkit.Skip(t, "a control group of version 1 for memory", "run as root where /sys/fs/cgroup/memory is mounted: "+err.Error())
	}
	t.Cleanup(func() {
		_ = testkit.Eventually(t, "the group to be empty", func() (error, bool) { err := os.Remove(folder); return err, err == nil })
	})
	if err := os.WriteFile(filepath.Join(folder, "memory.limit_in_bytes"), []byte(strconv.FormatInt(limit, 10)), 0o600); err != nil {
		testkit.Skip(t, "a limit of memory", err.Error())
	}
	return folder
}

// hostIn starts a gateway in a control group.
func hostIn(t *testing.T, folder string, variables ...string) *hosted {
	t.Helper()
	return hostWith(t, []any{"serve"}, append(variables, crowdGroup+"="+filepath.Join(folder, "cgroup.procs"))...)
}

// joinGroup puts this process into the control group that its environment names.
func joinGroup() error {
	if file := os.Getenv(crowdGroup); file != "" {
		return os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	return nil
}

var statusOf = map[string]*regexp.Regexp{"VmHWM": regexp.MustCompile(`VmHWM:\s+(\d+)`), "VmRSS": regexp.MustCompile(`VmRSS:\s+(\d+)`)}

// status returns a figure of the gateway's memory in bytes.
func (h *hosted) status(t *testing.T, name string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.pid))
	if err != nil {
		t.Fatal("the gateway is gone: ", err)
	}
	found := statusOf[name].FindSubmatch(text)
	if found == nil {
		t.Fatal("the gateway was killed")
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// peak returns the most memory that the gateway has had.
func (h *hosted) peak(t *testing.T) int64 { t.Helper(); return h.status(t, "VmHWM") }

// settles waits until the gateway has given its memory back.
func (h *hosted) settles(t *testing.T) {
	t.Helper()
	began := time.Now()
	testkit.EventuallyWithin(t, 30*time.Second, "the memory to be given back", func() (int64, bool) {
		now := h.status(t, "VmRSS")
		return now, now < 200e6
	})
	t.Logf("%d MB after %v", h.status(t, "VmRSS")/1e6, time.Since(began).Round(time.Second))
}

// visitor is a user of a gateway.
type visitor struct {
	url, token string
}

func (h *hosted) user(t *testing.T) visitor {
	t.Helper()
	c, err := sdk.New(h.url)
	if err != nil {
		t.Fatal(err)
	}
	install, err := c.Install.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	return visitor{h.url, install.InstallToken}
}

// post sends a body and returns the status of the answer.
func (v visitor) post(ctx context.Context, path string, body []byte) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url+path, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return strconv.Itoa(resp.StatusCode)
}

// small asks for the elements of a small screen, each n another, and returns how long that took.
func (v visitor) small(t *testing.T, n int) time.Duration {
	t.Helper()
	img := testkit.Canvas(640, 400, color.White)
	for line := range 6 {
		testkit.Pen{}.Write(img, 20, 40+50*line, fmt.Sprintf("Invoice %d of %d to be paid", n*7919, n+line))
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	body := fmt.Appendf(nil, `{"image":{"image_base64":%q}}`, base64.StdEncoding.EncodeToString(out.Bytes()))
	began := time.Now()
	if status := v.post(t.Context(), sdkapi.ScreenElementsPath, body); status != "200" {
		t.Fatalf("a small request was answered with %s", status)
	}
	return time.Since(began)
}

// crowd sends all bodies at once.
func (v visitor) crowd(ctx context.Context, path string, bodies [][]byte) (statuses chan string) {
	statuses = make(chan string, len(bodies))
	for _, body := range bodies {
		go func() { statuses <- v.post(ctx, path, body) }()
	}
	return statuses
}

// bodies returns the requests' bodies.
func (c crowd) bodies() (list [][]byte) {
	for i := range c.requests {
		list = append(list, fmt.Appendf(nil, c.body, base64.StdEncoding.EncodeToString(largePNG(i))))
	}
	return list
}

// largeRows returns the compressed rows of an image of largest pixels a side, 16 bits a channel: flat
// and transparent, or full of dots.
var largeRows = []func() []byte{
	sync.OnceValue(func() []byte { return deflateRows(func(int) []byte { return make([]byte, 8*largest) }) }),
	sync.OnceValue(func() []byte {
		dots, gap := make([]byte, 8*largest), bytes.Repeat([]byte{0xff}, 8*largest)
		for x := range largest {
			v := byte(0xff)
			if x%6 < 2 {
				v = 0
			}
			copy(dots[8*x:], []byte{v, v, v, v, v, v, 0xff, 0xff})
		}
		return deflateRows(func(y int) []byte {
			if y%6 < 2 {
				return dots
			}
			return gap
		})
	}),
}

func deflateRows(row func(y int) []byte) []byte {
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.BestSpeed) // a good level
	for y := range largest {
		_, _ = z.Write([]byte{0}) // memory takes all
		_, _ = z.Write(row(y))
	}
	_ = z.Close()
	return out.Bytes()
}

// largePNG returns a large image, each n another.
func largePNG(n int) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, largest), largest)
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		kind string
		data []byte
	}{{"IHDR", append(header, 16, 6, 0, 0, 0)}, {"tEXt", fmt.Appendf(nil, "n\x00%d", n)}, {"IDAT", largeRows[n%len(largeRows)]()}, {"IEND", nil}} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c.data)))
		from := len(out)
		out = append(append(out, c.kind...), c.data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	}
	return out
}

// quantile returns what a part of the durations do not exceed.
func quantile(list []time.Duration, part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(float64(len(sorted)-1)*part)].Round(100 * time.Microsecond)
}
