package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// requestsFor lists every way to ask for an artifact. candidate is one of its
// rows.
func requestsFor(id, candidate, etag string) map[string]doorstest.OwnedRequest {
	get := func(method, name, value string) doorstest.OwnedRequest {
		return doorstest.OwnedRequest{Method: method, Path: sdkapi.ArtifactsPath + id, Body: "", Header: [2]string{name, value}}
	}
	ask := func(path, rest string) doorstest.OwnedRequest {
		return doorstest.OwnedRequest{Method: http.MethodPost, Path: path, Body: fmt.Sprintf(`{"image":{"artifact_id":%q}%s}`, id, rest)}
	}
	const text, described, point = `,"text":"Check out"`, `,"description":"the text Check out"`, `,"points":[{"x":1,"y":1}]`
	return map[string]doorstest.OwnedRequest{
		"GET": get(http.MethodGet, "", ""), "HEAD": get(http.MethodHead, "", ""), "a range": get(http.MethodGet, "Range", "bytes=0-9"),
		"a range past the end": get(http.MethodGet, "Range", "bytes=99999999-"), "what one has": get(http.MethodGet, "If-None-Match", etag),
		"run": ask(sdkapi.OCRRunPath, ""), "find-text": ask(sdkapi.OCRFindTextPath, text), "resolve-text": ask(sdkapi.OCRResolveTextPath, text),
		"find-text-candidates": ask(sdkapi.OCRFindTextCandidatesPath, text), "inspect": ask(sdkapi.OCRInspectPath, `,"include_overlay":true`),
		"resolve-candidate": ask(sdkapi.OCRResolveCandidatePath, `,"candidate_id":"`+candidate+`"`), "overlay": ask(sdkapi.OCROverlayPath, ""),
		"overlay of a row": ask(sdkapi.OCROverlayPath, `,"candidate_id":"`+candidate+`"`), "ocr.read": ask(sdkapi.ToolPath("ocr.read"), ""),
		"ocr.find_text": ask(sdkapi.ToolPath("ocr.find_text"), text), "ocr.resolve_text": ask(sdkapi.ToolPath("ocr.resolve_text"), text),
		"locate": ask(sdkapi.VisionLocatePath, described), "locate-all": ask(sdkapi.VisionLocateAllPath, described), "describe": ask(sdkapi.VisionDescribePath, ""),
		"resolve-candidate of an element": ask(sdkapi.VisionResolveCandidatePath, `,"id":"0"`),
		"a drawing":                       ask(sdkapi.VisionOverlayPath, point), "elements": ask(sdkapi.ScreenElementsPath, ""), "at": ask(sdkapi.ScreenAtPath, `,"x":1,"y":1`),
		"what comes before": differs(id, base64.StdEncoding.EncodeToString(gatewaytest.Card()), "before", "after"),
		"what comes after":  differs(id, base64.StdEncoding.EncodeToString(gatewaytest.Card()), "after", "before"),
		"vision.locate":     ask(sdkapi.ToolPath("vision.locate"), described), "vision.locate_all": ask(sdkapi.ToolPath("vision.locate_all"), described),
		"vision.describe": ask(sdkapi.ToolPath("vision.describe"), ""), "vision.overlay": ask(sdkapi.ToolPath("vision.overlay"), point),
		"screen.elements": ask(sdkapi.ToolPath("screen.elements"), ""), "screen.at": ask(sdkapi.ToolPath("screen.at"), `,"x":1,"y":1`),
	}
}

// differs asks what is different between an artifact and another image.
func differs(id, image, stored, inline string) doorstest.OwnedRequest {
	return doorstest.OwnedRequest{
		Method: http.MethodPost, Path: sdkapi.ScreenDiffPath,
		Body: fmt.Sprintf(`{%q:{"artifact_id":%q},%q:{"image_base64":%q}}`, stored, id, inline, image),
	}
}

// Another user's artifact is answered to the letter as one that never was, by
// every route and tool, also when its screen was read before.
func TestOthersArtifactsAreNotThere(t *testing.T) {
	t.Parallel()
	scenes := gatewaytest.Scenes(t)
	store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{})
	url := doorstest.StartOwned(t, gateway.App{Store: store, Scenes: scenes, Tools: doorstest.RegistryOf(t, screens.BuiltinTools(store, query.New(scenes, nil))...)})
	stored := doorstest.UploadAs(t, url, "ada", gatewaytest.Card())
	candidate := rowOf(t, url, "ada", stored.ArtifactID)
	never := strings.Replace(stored.ArtifactID, stored.ArtifactID[:8], "00000000", 1)
	etag := `"` + stored.SHA256 + `"`
	missing := requestsFor(never, candidate, etag)
	for name, r := range requestsFor(stored.ArtifactID, candidate, etag) {
		if status, body := doorstest.SendAs(t, url, "ada", r); status >= http.StatusBadRequest && name != "a range past the end" {
			t.Errorf("%s by its owner: %d %s", name, status, body)
		}
		status, body := doorstest.SendAs(t, url, "bob", r)
		wantStatus, wantBody := doorstest.SendAs(t, url, "bob", missing[name])
		if status != http.StatusNotFound || status != wantStatus || strings.ReplaceAll(body, stored.ArtifactID, never) != wantBody {
			t.Errorf("%s by another: %d %s\nof one that never was: %d %s", name, status, body, wantStatus, wantBody)
		}
		if name != "HEAD" && !strings.Contains(body, string(sdkapi.ArtifactNotFound)) {
			t.Errorf("%s by another: %s", name, body)
		}
		if status, body := doorstest.SendAs(t, url, "", r); status != http.StatusUnauthorized {
			t.Errorf("%s by nobody: %d %s", name, status, body)
		}
	}
}

// A candidate_id is a row of the image that is asked about, and of no other
// that was read before, one's own or another's. A user with the same image
// has the same rows.
func TestCandidatesOfOthersDoNotResolve(t *testing.T) {
	t.Parallel()
	store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{})
	url := doorstest.StartOwned(t, gateway.App{Store: store, Scenes: gatewaytest.Scenes(t)})
	hers := rowOf(t, url, "ada", doorstest.UploadAs(t, url, "ada", gatewaytest.Card()).ArtifactID)
	other := doorstest.UploadAs(t, url, "bob", blankScreen(t)).ArtifactID
	resolve := func(id, candidate string) (int, string) {
		return doorstest.SendAs(t, url, "bob", requestsFor(id, candidate, "")["resolve-candidate"])
	}
	status, body := resolve(other, hers)
	wantStatus, wantBody := resolve(other, "ocr_000000000000")
	if status != http.StatusNotFound || status != wantStatus || strings.ReplaceAll(body, hers, "ocr_000000000000") != wantBody {
		t.Errorf("a row of another's image: %d %s\nno row at all: %d %s", status, body, wantStatus, wantBody)
	}
	same := doorstest.UploadAs(t, url, "bob", gatewaytest.Card()).ArtifactID
	if status, body := resolve(same, hers); status != http.StatusOK || strings.Contains(body, `"ada`) {
		t.Errorf("a row of an image that one has too: %d %s", status, body)
	}
}

// What is drawn for a user is the user's.
func TestOverlaysBelongToTheCaller(t *testing.T) {
	t.Parallel()
	store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{})
	url := doorstest.StartOwned(t, gateway.App{Store: store, Scenes: gatewaytest.Scenes(t)})
	requests := requestsFor(doorstest.UploadAs(t, url, "ada", gatewaytest.Card()).ArtifactID, "", "")
	for _, name := range []string{"overlay", "inspect", "a drawing"} {
		_, body := doorstest.SendAs(t, url, "ada", requests[name])
		var answer struct {
			sdkapi.Artifact
			Overlay sdkapi.Artifact
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		id := answer.ArtifactID + answer.Overlay.ArtifactID // one of which is empty
		for user, want := range map[string]int{"ada": http.StatusOK, "bob": http.StatusNotFound} {
			t.Run(user, func(t *testing.T) {
				if status, body := doorstest.SendAs(t, url, user, requestsFor(id, "", "")["GET"]); id == "" || status != want {
					t.Errorf("%s of %s: %d %.200s", user, name, status, body)
				}
			})
		}
	}
}

// A download that is sent to the S3 server is the owner's alone.
func TestPresignedDownloadOfOthers(t *testing.T) {
	t.Parallel()
	s3 := testkit.S3(t)
	bucket, err := s3store.Open(t.Context(), s3store.Config{
		Endpoint: s3.Endpoint, Region: s3.Region, Bucket: s3.Bucket, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey,
		SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bucket.Close() })
	url := doorstest.StartOwned(t, gateway.App{Store: owned.Open(bucket, doorstest.StateOf(t), owned.Options{}), PresignTTL: time.Minute})
	get := requestsFor(doorstest.UploadAs(t, url, "ada", []byte("content")).ArtifactID, "", "")["GET"]
	for user, want := range map[string]int{"ada": http.StatusTemporaryRedirect, "bob": http.StatusNotFound} {
		t.Run(user, func(t *testing.T) {
			if status, body := doorstest.SendAs(t, url, user, get); status != want {
				t.Errorf("%s: %d %s", user, status, body)
			}
		})
	}
}

// A call of a tool that no request makes sees what the user it is made for may
// see, and what is everybody's where there are no users.
func TestToolsSeeTheirUsersArtifacts(t *testing.T) {
	t.Parallel()
	scenes := gatewaytest.Scenes(t)
	store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{})
	if _, err := store.For("ada").Put(t.Context(), "hers.png", "image/png", bytes.NewReader(gatewaytest.Card())); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		store artifacts.Store
		user  string
		want  sdkapi.Code
	}{
		{store, "ada", ""}, {store, "bob", sdkapi.ArtifactNotFound}, {store, "", sdkapi.AuthRequired},
		{store.For(""), "ada", ""}, {store.For(""), "bob", ""}, {store.For(""), "", ""},
	} {
		t.Run(fmt.Sprint(c.user, " ", c.store), func(t *testing.T) {
			call := agent.Call{ID: "1", User: c.user, Arguments: json.RawMessage(`{"image":{"artifact_id":"hers.png"}}`)}
			_, err := doorstest.RegistryOf(t, screens.BuiltinTools(c.store, query.New(scenes, nil))...).Invoke(t.Context(), "ocr.read", call)
			if fault.CodeOf(err) != c.want {
				t.Errorf("a call for %q: %v; want %q", c.user, err, c.want)
			}
		})
	}
}

// Users and a store that does not keep them apart do not go together.
func TestUsersNeedAStoreForThem(t *testing.T) {
	t.Parallel()
	url := doorstest.StartOwned(t, gateway.App{Store: new(storetest.Memory)})
	if status, body := doorstest.SendAs(t, url, "ada", requestsFor("a.png", "", "")["GET"]); status != http.StatusInternalServerError {
		t.Errorf("%d %s", status, body)
	}
}

// An artifact that expires says so, and is cached for no longer.
func TestExpiryIsTold(t *testing.T) {
	t.Parallel()
	store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{TTL: time.Hour})
	url := doorstest.StartOwned(t, gateway.App{Store: store})
	stored := doorstest.UploadAs(t, url, "ada", []byte("content"))
	if stored.ExpiresAt == nil || time.Until(*stored.ExpiresAt).Round(time.Minute) != time.Hour {
		t.Errorf("it expires at %v", stored.ExpiresAt)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stored.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	doorstest.Sign(t, url, "ada", req)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	var seconds int
	cache := resp.Header.Get("Cache-Control")
	if _, err := fmt.Sscanf(cache, "private, max-age=%d, immutable", &seconds); err != nil || seconds > 3601 || seconds < 3500 {
		t.Errorf("Cache-Control: %s", cache)
	}
}

// blankScreen is a picture with nothing on it.
func blankScreen(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rowOf returns the candidate_id of a row of owner's image.
func rowOf(t *testing.T, url, owner, id string) string {
	t.Helper()
	_, body := doorstest.SendAs(t, url, owner, requestsFor(id, "", "")["resolve-text"])
	var answer sdkapi.OCRResolveTextResult
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Match.CandidateID == "" {
		t.Fatalf("resolve-text by %q: %s", owner, body)
	}
	return answer.Match.CandidateID
}
