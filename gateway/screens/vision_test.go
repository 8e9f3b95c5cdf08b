package screens_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// The roles that can be asked for are those that there are.
func TestRolesThatCanBeAskedFor(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../../perception/elements/elements.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ident, typed := typeOf(spec); ok && typed && ident == "Role" {
			role, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			roles = append(roles, role)
		}
		return true
	})
	field, _ := reflect.TypeFor[sdkapi.ScreenElementsRequest]().FieldByName("Role")
	if want := strings.Join(roles, ","); field.Tag.Get("enum") != want {
		t.Errorf("role has the enum\n%s, want\n%s", field.Tag.Get("enum"), want)
	}
}

func typeOf(spec *ast.ValueSpec) (name string, ok bool) {
	if spec == nil {
		return "", false
	}
	ident, ok := spec.Type.(*ast.Ident)
	if !ok {
		return "", false
	}
	return ident.Name, true
}

// Where a description is, the vision model says to a session's model, if there is
// one; and where nothing looks like it, the words may be there.
func TestScreenReaderLocatesAsTheRouteDoes(t *testing.T) {
	t.Parallel()
	scenes, store := gatewaytest.Scenes(t), new(storetest.Memory)
	url := gatewaytest.Start(t, gateway.App{Store: store, Scenes: scenes})
	card := doorstest.Upload(t, url)
	for name, tt := range map[string]struct {
		says        []string // nil: there is no model
		description string
		want        desktop.Found
	}{
		"a point":           {[]string{`{"x": 30, "y": 30}`}, "the first button", desktop.Found{OK: true, X: 30, Y: 30}},
		"it fails":          {[]string{"400"}, "check out", desktop.Found{OK: true, X: 74, Y: 31}},
		"no model":          {nil, "check out", desktop.Found{OK: true, X: 74, Y: 31}},
		"it sees no such":   {[]string{"not found"}, "Check out", desktop.Found{OK: true, X: 74, Y: 31}},
		"it sees several":   {[]string{`[[30, 80], [30, 130]]`}, "add to cart", desktop.Found{Ambiguous: true, Candidates: []desktop.Candidate{{Line: `text "Add to cart", left`, X: 30, Y: 80}, {Line: `text "Add to cart", bottom left`, X: 30, Y: 130}}}},
		"nothing like that": {nil, "a purple dragon", desktop.Found{Unmet: []string{"dragon", "purple"}}},
	} {
		t.Run(name, func(t *testing.T) {
			finder := query.New(scenes, nil)
			if tt.says != nil {
				finder = query.New(scenes, doorstest.VisionModelSaying(t, tt.says...))
			}
			got, err := screens.NewScreenReader(store, finder).Locate(t.Context(), "", card, tt.description)
			if !tt.want.OK && !tt.want.Ambiguous {
				got.Candidates = nil // the nearest texts
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
}

// Comparing two images takes one turn of those that there are: with one turn,
// two that compare do not wait for each other.
func TestDiffsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	scenes := perception.NewScenes(&doorstest.CountingEngine{}, perception.Options{Cores: fair.New(fair.Options{Name: "cores", Capacity: 1}), Timeout: 10 * time.Second})
	url := gatewaytest.Start(t, gateway.App{Scenes: scenes})
	body := fmt.Sprintf(`{"before":{"image_base64":%q},"after":{"image_base64":%q}}`, doorstest.Blank(t, 100, 100, 1), doorstest.Blank(t, 100, 100, 2))
	statuses := make(chan int)
	for range 8 {
		go func() {
			resp, err := http.Post(url+sdkapi.ScreenDiffPath, "application/json", strings.NewReader(body)) //nolint:noctx // the server ends it
			if err != nil {
				statuses <- 0
				return
			}
			resp.Body.Close()
			statuses <- resp.StatusCode
		}()
	}
	for range 8 {
		if status := doorstest.Receive(t, statuses, "a comparison"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
}
