package tools_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A tool gets who calls, by which request, and exactly what was sent.
func TestWhatAToolIsTold(t *testing.T) {
	t.Parallel()
	calls := make(chan agent.Call, 1)
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.note"}, Answer: func(ctx context.Context, call agent.Call) (agent.Result, error) {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > time.Minute {
			t.Errorf("the call ends at %v, %v", deadline, ok)
		}
		calls <- call
		return agent.Result{}, nil
	}}
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool)})
	for sent, want := range map[string]string{`{"n": 1.0, "a":[] }`: `{"n": 1.0, "a":[] }`, "": "{}"} {
		t.Run(sent, func(t *testing.T) {
			doorstest.Invoke(t, url, "test.note", strings.NewReader(sent))
			got := doorstest.Receive(t, calls, "the call")
			if got.User != "ada" || got.ID != "me-1" || got.Session != "" || string(got.Arguments) != want {
				t.Errorf("it is told %+v with %s", got, got.Arguments)
			}
		})
	}
}

// The name of a caller is anything that can be printed and is not long. Routes without
// tools do not ask.
func TestUsers(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory)})
	for user, want := range map[string]int{
		"ada": 200, "ada lovelace <ada@example.com>": 200, strings.Repeat("a", sdkapi.MaxUserLen): 200,
		"": 401, " ": 401, strings.Repeat("a", sdkapi.MaxUserLen+1): 422, "ad\ta": 422, "adä": 422, "ad\xff": 422,
	} {
		t.Run(user, func(t *testing.T) {
			for _, path := range []string{sdkapi.CapabilitiesPath, sdkapi.ToolsPath} {
				if resp, body := doorstest.Ask(t, http.MethodGet, url+path, user, nil); resp.StatusCode != want {
					t.Errorf("%s as %q: %s %s", path, user, resp.Status, body)
				}
			}
			if resp, body := doorstest.Ask(t, http.MethodPost, url+sdkapi.ToolPath("no.tool"), user, nil); want == 200 && resp.StatusCode != 404 || want != 200 && resp.StatusCode != want {
				t.Errorf("a call as %q: %s %s", user, resp.Status, body)
			}
		})
	}
	if resp, _ := doorstest.Get(t, url+"/openapi.json"); resp.StatusCode != http.StatusOK {
		t.Errorf("the document: %s", resp.Status)
	}
}

// A tool that is starting will be ready soon, and clients learn when to ask.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.late", Starting: true}, Answer: nil}
	tools := doorstest.RegistryOf(t, tool)
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools})
	if resp, body := doorstest.Invoke(t, url, "test.late", nil); resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "2" {
		t.Errorf("%s, after %q: %s", resp.Status, resp.Header.Get("Retry-After"), body)
	}
	ready := doorstest.FakeTool{About: agent.Descriptor{Name: "test.late"}, Answer: doorstest.Always(agent.Result{Structured: json.RawMessage(`1`)})}
	if err := tools.Update(ready.Descriptor().Origin, []agent.Tool{ready}); err != nil {
		t.Fatal(err)
	}
	if resp, body := doorstest.Invoke(t, url, "test.late", nil); body != `{"result":1}` || resp.Header.Get("Retry-After") != "" {
		t.Errorf("once it is ready: %s %s", resp.Status, body)
	}
}

// Arguments may be as large as the registry takes, whether their length is
// known or not.
func TestLargestArguments(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t,
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.take"}, Answer: doorstest.Always(agent.Result{Structured: json.RawMessage(`1`)})})})
	body := func(size int) string { return `{"s":"` + strings.Repeat("x", size-len(`{"s":""}`)) + `"}` }
	for name, reader := range map[string]func(string) io.Reader{
		"length known":   func(s string) io.Reader { return strings.NewReader(s) },
		"length unknown": func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			if resp, answer := doorstest.Invoke(t, url, "test.take", reader(body(agent.MaxArguments))); resp.StatusCode != 200 {
				t.Errorf("%s, the most: %s %s", name, resp.Status, answer)
			}
			if resp, answer := doorstest.Invoke(t, url, "test.take", reader(body(agent.MaxArguments+1))); resp.StatusCode != 413 {
				t.Errorf("%s, one more: %s %s", name, resp.Status, answer)
			}
		})
	}
}

// A call that nobody waits for any longer ends.
func TestCallEndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	tool, started, _ := doorstest.StayingTool()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool)})
	for name, wait := range map[string]time.Duration{"at once": 0, "after a while": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-User-Id: ada\r\nContent-Length: 2\r\n\r\n{}", sdkapi.ToolPath("test.stay"))
			call := doorstest.Receive(t, started, "the call "+name)
			time.Sleep(wait)
			conn.Close()
			doorstest.Receive(t, call.Done(), "the call to end when the client left "+name)
		})
	}
}

// A stopping gateway lets calls finish.
func TestDrainOfCalls(t *testing.T) {
	t.Parallel()
	tool, started, end := doorstest.StayingTool()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := doors.New(gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool), DrainTimeout: doorstest.Patience})
	ctx, stop := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	go func() {
		_, body := doorstest.Invoke(t, "http://"+ln.Addr().String(), "test.stay", nil)
		answered <- body
	}()
	doorstest.Receive(t, started, "the call")
	stop()
	select {
	case err := <-ended:
		t.Fatalf("Serve returned with a call running: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(end)
	if body := doorstest.Receive(t, answered, "the answer"); body != `{"result":"done"}` {
		t.Errorf("the call that was running: %s", body)
	}
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Calls short and long, answered and refused, leave the connection fit for the
// next one.
func TestConnectionServesManyCalls(t *testing.T) {
	t.Parallel()
	pause := func(d time.Duration) func(context.Context, agent.Call) (agent.Result, error) {
		return func(context.Context, agent.Call) (agent.Result, error) {
			time.Sleep(d)
			return agent.Result{Structured: json.RawMessage(`1`)}, nil
		}
	}
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t,
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.quick"}, Answer: pause(0)}, doorstest.FakeTool{About: agent.Descriptor{Name: "test.slow"}, Answer: pause(20 * time.Millisecond)})})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(doorstest.Patience))
	answers := bufio.NewReader(conn)
	for i, tool := range []string{"test.quick", "test.slow", "test.none", "test.quick", "test.slow", "test.slow", "test.quick"} {
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-User-Id: ada\r\nContent-Length: 2\r\n\r\n{}", sdkapi.ToolPath(tool))
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		body, _ := io.ReadAll(resp.Body)
		if want := tool == "test.none"; (resp.StatusCode == http.StatusNotFound) != want || !want && string(body) != `{"result":1}` {
			t.Errorf("call %d of %s: %s %s", i, tool, resp.Status, body)
		}
	}
}

// The gateway's own tools answer as the routes do, and fail as they do.
func TestBuiltinToolsAnswerAsTheRoutes(t *testing.T) {
	t.Parallel()
	store, scenes := new(storetest.Memory), gatewaytest.Scenes(t)
	url := gatewaytest.Start(t, gateway.App{Store: store, Scenes: scenes, Tools: doorstest.RegistryOf(t, screens.BuiltinTools(store, query.New(scenes, nil))...)})
	image := fmt.Sprintf(`{"image":{"image_base64":%q}`, base64.StdEncoding.EncodeToString(gatewaytest.Card()))
	stored := fmt.Sprintf(`{"image":{"artifact_id":%q}`, doorstest.Upload(t, url))
	for _, tt := range []struct{ tool, route, body string }{
		{"ocr.read", sdkapi.OCRRunPath, image + `}`},
		{"ocr.read", sdkapi.OCRRunPath, stored + `,"languages":"eng"}`},
		{"ocr.find_text", sdkapi.OCRFindTextPath, stored + `,"text":"Add to cart"}`},
		{"ocr.find_text", sdkapi.OCRFindTextPath, image + `,"text":"Add to crat","threshold":0.5,"max_results":1}`},
		{"ocr.find_text", sdkapi.OCRFindTextPath, image + `,"text":"nowhere"}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, image + `,"text":"Check out"}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, image + `,"text":"Add to cart","near":"Check out"}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, image + `,"text":"Add to cart"}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, image + `,"text":"Add to cart","occurrence":3}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, image + `,"text":"Check out","region":{"x":999,"y":999,"width":1,"height":1}}`},
		{"ocr.resolve_text", sdkapi.OCRResolveTextPath, `{"image":{"artifact_id":"shot.png"},"text":"Check out"}`},
		{"ocr.find_text", sdkapi.OCRFindTextPath, `{"image":{},"text":"Check out"}`},
		{"ocr.read", sdkapi.OCRRunPath, `{"image":{"image_base64":"AAAA"}}`},
		{"ocr.read", sdkapi.OCRRunPath, image + `,"languages":"xyz"}`},
		{"vision.locate", sdkapi.VisionLocatePath, image + `,"description":"the text Check out"}`},
		{"vision.locate", sdkapi.VisionLocatePath, image + `,"description":"add to cart"}`},
		{"vision.locate", sdkapi.VisionLocatePath, stored + `,"description":"a purple dragon"}`},
		{"vision.locate", sdkapi.VisionLocatePath, stored + `,"description":"é` + strings.Repeat("é", 600) + `"}`},
		{"vision.locate_all", sdkapi.VisionLocateAllPath, stored + `,"description":"add to cart","max_results":1}`},
		{"vision.describe", sdkapi.VisionDescribePath, image + `,"region":{"x":10,"y":60,"width":999,"height":50}}`},
		{"vision.describe", sdkapi.VisionDescribePath, image + `,"region":{"x":-1,"y":60,"width":999,"height":50}}`},
		{"vision.overlay", sdkapi.VisionOverlayPath, image + `,"points":[{"x":360,"y":0}]}`},
		{"screen.elements", sdkapi.ScreenElementsPath, stored + `,"text":"CART"}`},
		{"screen.at", sdkapi.ScreenAtPath, image + `,"x":30,"y":30}`},
		{"screen.at", sdkapi.ScreenAtPath, image + `,"x":30,"y":160}`},
		{"screen.diff", sdkapi.ScreenDiffPath, strings.Replace(image, "image", "before", 1) + `,` + strings.Replace(image[1:], "image", "after", 1) + `}`},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.body), func(t *testing.T) {
			resp, got := doorstest.Invoke(t, url, tt.tool, strings.NewReader(tt.body))
			routeResp, want := doorstest.Ask(t, http.MethodPost, url+tt.route, "", strings.NewReader(tt.body))
			if routeResp.StatusCode == http.StatusOK {
				want = `{"result":` + want + `}`
			}
			if diff := recorded.SameJSON(want, got, func(w, g string) bool { return w == g }); diff != "" || resp.StatusCode != routeResp.StatusCode {
				t.Errorf("%s of %.80s: %s, the route %s: %s", tt.tool, tt.body, resp.Status, routeResp.Status, diff)
			}
		})
	}
}

// Other callers than HTTP's read paths of arguments, not of a body.
func TestBuiltinToolsNameArguments(t *testing.T) {
	t.Parallel()
	tools := doorstest.RegistryOf(t, screens.BuiltinTools(new(storetest.Memory), query.New(perception.NewScenes(doorstest.FullEngine{}, perception.Options{}), nil))...)
	_, err := tools.Invoke(t.Context(), "ocr.read", agent.Call{Arguments: json.RawMessage(`{"image":{"artifact_id":"shot.png"}}`)})
	if f := fault.From(err); f.Code != sdkapi.ArtifactNotFound || f.Details.Fields[0].Path != "arguments.image.artifact_id" {
		t.Errorf("%+v", f)
	}
}

// crowded finds rows, with a number of words each, one under another.
type crowded struct{ rows, words int }

func (crowded) Name() string { return "crowded" }

func (crowded) Ready(context.Context) error { return nil }

func (c crowded) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	rows := make([]perception.Row, c.rows)
	for i := range rows {
		box := image.Rect(10, i%150, 350, i%150+1)
		rows[i] = perception.Row{Text: strings.Repeat("words ", c.words), Confidence: 0.96, Box: box}
		for range c.words {
			rows[i].Words = append(rows[i].Words, perception.Word{Text: "words", Confidence: 0.96, Box: box})
		}
	}
	return rows, nil
}

// As much text as ocr.read takes fits the registry's limits too. Of more, it
// asks for a region.
func TestReadOfACrowdedScreen(t *testing.T) {
	t.Parallel()
	card := base64.StdEncoding.EncodeToString(gatewaytest.Card())
	for _, tt := range []struct {
		screen crowded
		more   string
		fails  bool
	}{
		{crowded{2000, 4}, "", false},
		{crowded{1000, 8}, "", false},
		{crowded{2001, 1}, "", true},
		{crowded{1001, 8}, "", true},
		{crowded{2001, 4}, `,"region":{"x":0,"y":0,"width":360,"height":10}`, false},
	} {
		t.Run(fmt.Sprint(tt.screen), func(t *testing.T) {
			tools := doorstest.RegistryOf(t, screens.BuiltinTools(new(storetest.Memory), query.New(perception.NewScenes(tt.screen, perception.Options{}), nil))...)
			res, err := tools.Invoke(t.Context(), "ocr.read", agent.Call{Arguments: json.RawMessage(`{"image":{"image_base64":"` + card + `"}` + tt.more + `}`)})
			if err != nil || res.IsError != tt.fails {
				t.Errorf("%+v: %v, %v %+v", tt.screen, err, res.IsError, res.Content)
			}
			if tt.fails && !strings.Contains(res.Content[0].Text, "read a region") {
				t.Errorf("%+v: %+v", tt.screen, res.Content)
			}
		})
	}
}
