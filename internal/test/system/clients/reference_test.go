//go:build system

package clients_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// referenceItem is an entry of a client's reference.
type referenceItem struct {
	Name      string          `json:"name"`
	Kind      string          `json:"kind,omitempty"`
	Signature string          `json:"signature"`
	Doc       string          `json:"doc"`
	Members   []referenceItem `json:"members,omitempty"`
}

// goReference returns what the Go client exports, with its comments.
func goReference(t *testing.T) []byte {
	t.Helper()
	files, fset := []*ast.File{}, token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(testkit.RepoRoot(t), "sdk", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, file)
		}
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/windieos/windie/sdk")
	if err != nil {
		t.Fatal(err)
	}
	signature := func(node any) string {
		var text bytes.Buffer
		if err := printer.Fprint(&text, fset, node); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	functions := func(list []*doc.Func, kind string) (items []referenceItem) {
		for _, f := range list {
			f.Decl.Body, f.Decl.Doc = nil, nil
			items = append(items, referenceItem{Name: f.Name, Kind: kind, Signature: signature(f.Decl), Doc: f.Doc})
		}
		return items
	}
	items := functions(pkg.Funcs, "function")
	for _, of := range pkg.Types {
		of.Decl.Doc = nil
		item := referenceItem{Name: of.Name, Kind: "type", Signature: signature(of.Decl), Doc: of.Doc}
		item.Members = append(functions(of.Funcs, ""), functions(of.Methods, "")...)
		items = append(items, item)
	}
	text, err := json.MarshalIndent(map[string]any{"title": "sdk", "language": "Go", "doc": pkg.Doc, "items": items}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// The pages below /docs/sdk are made of what the clients say of themselves; -update writes them anew.
func TestReferencesAreCurrent(t *testing.T) {
	t.Parallel()
	root := testkit.RepoRoot(t)
	for language, made := range map[string]func(t *testing.T) []byte{
		"go": goReference,
		"typescript": func(t *testing.T) []byte {
			bin := sdkTools(t)
			return []byte(runIn(t, root, os.Environ(), newNode(t), "sdk/typescript/scripts/reference.mjs", filepath.Join(filepath.Dir(bin), "typescript"), "sdk/typescript/src/index.ts"))
		},
		"python": func(t *testing.T) []byte {
			bin, _ := pythonTools(t)
			env := append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(pythonSource(t), "src"))
			return []byte(runIn(t, root, env, filepath.Join(bin, "python"), "sdk/python/scripts/make_reference.py"))
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(root, "gateway", "docs", "assets", "sdk", language+".json")
			want := made(t)
			if have, _ := os.ReadFile(at); bytes.Equal(have, want) {
				return
			}
			if !*doorstest.Update {
				t.Fatalf("%s is not what the client says; run go test -run '^TestReferencesAreCurrent$' -tags system ./internal/test/system/clients -update", at)
			}
			if err := os.WriteFile(at, want, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}
