package windie_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools"
)

// pluginParts are the folders whose errors authors and users of plugins meet, by the
// names that the table of plugins in docs/errors.md has for them.
var pluginParts = map[string]string{
	"calls":           "agent",
	"the engine":      "wasmtools",
	"operations":      "wasmtools/abi",
	"requests":        "internal/egress",
	"stores":          "wasmtools/kv",
	"folders":         "wasmtools/rootfs",
	"programs":        "wasmtools/command",
	"references":      "wasmtools/source",
	"signatures":      "wasmtools/sign",
	"catalogues":      "wasmtools/catalogue",
	"`windie plugin`": "wasmtools/shelf",
	"`/api/tools`":    "gateway/tools",
}

// TestCodesOfPlugins compares the table of plugins in docs/errors.md with the code: each
// code that a part returns has a row that names the part, and each row a part that returns it.
func TestCodesOfPlugins(t *testing.T) {
	returned := map[string][]string{}
	names := codeNames(t)
	for part, folder := range pluginParts {
		for _, code := range codesOf(folder, names) {
			returned[code] = append(returned[code], part)
		}
	}
	rows := pluginCodeRows(t)
	if len(rows) < 10 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for code, parts := range returned {
		slices.Sort(parts)
		if !slices.Equal(parts, rows[code]) {
			t.Errorf("%s is returned by %s, and docs/errors.md says by %s", code, strings.Join(parts, ", "), strings.Join(rows[code], ", "))
		}
	}
	for code := range rows {
		if returned[code] == nil {
			t.Errorf("docs/errors.md has %s for plugins, which no part returns", code)
		}
	}
}

// TestLimitsOfPlugins checks that each limit of a grant has a row in docs/limits.md, and
// that the codes in the rows of plugins exist and stand in the table of plugins.
func TestLimitsOfPlugins(t *testing.T) {
	rows := limitRows(t)
	told := map[string]bool{}
	codes := pluginCodeRows(t)
	for _, row := range rows {
		told[spanned(row.code)] = true
		folder, _, _ := strings.Cut(spanned(row.code), ".")
		if !slices.Contains(slices.Collect(maps.Values(pluginParts)), folder) || folder == "agent" {
			continue
		}
		for _, code := range regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(row.beyond, -1) {
			if codes[code[1]] == nil {
				t.Errorf("%s: docs/limits.md says `%s`, which the table of plugins in docs/errors.md lacks", row.what, code[1])
			}
		}
	}
	for field := range reflect.TypeFor[wasmtools.Limits]().Fields() {
		if !told["wasmtools.Defaults."+field.Name] {
			t.Errorf("docs/limits.md has no row for wasmtools.Defaults.%s", field.Name)
		}
	}
}

// pluginCodeRows reads the table of plugins in docs/errors.md: for each code the parts, sorted.
func pluginCodeRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Plugins\n")
	rows := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([^|]+) \\| [^|]+ \\|$").FindAllStringSubmatch(table, -1) {
		parts := strings.Split(row[2], ", ")
		slices.Sort(parts)
		rows[row[1]] = parts
	}
	return rows
}

// codeNames returns the codes of sdkapi by the names of their constants.
func codeNames(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, file := range parsed("sdkapi") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			of, isIdent := spec.Type.(*ast.Ident)
			literal, isLiteral := spec.Values[0].(*ast.BasicLit)
			if isIdent && isLiteral && of.Name == "Code" {
				names[spec.Names[0].Name], _ = strconv.Unquote(literal.Value)
			}
			return true
		})
	}
	if len(names) < 50 {
		t.Fatalf("sdkapi has %d codes", len(names))
	}
	return names
}

// codesOf returns the codes that the shipped files of a folder name, but for those that
// they only compare with.
func codesOf(folder string, names map[string]string) []string {
	found := map[string]bool{}
	for _, file := range parsed(folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			if compared, ok := n.(*ast.BinaryExpr); ok && (compared.Op == token.EQL || compared.Op == token.NEQ) {
				return false
			}
			if name, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := name.X.(*ast.Ident); ok && of.Name == "sdkapi" && names[name.Sel.Name] != "" {
					found[names[name.Sel.Name]] = true
				}
			}
			return true
		})
	}
	return slices.Collect(maps.Keys(found))
}
