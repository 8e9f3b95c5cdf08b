package windie_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// toldFolders are those whose limits callers meet: each constant there whose
// name begins with Max or max stands in docs/limits.md, or in untoldLimits.
var toldFolders = []string{
	"sdkapi", "gateway", "gateway/approvals", "gateway/console", "gateway/desktop", "gateway/docs", "gateway/general", "gateway/health", "gateway/mcp", "gateway/openai", "gateway/operators", "gateway/peer",
	"gateway/prompts", "gateway/quota", "gateway/screens", "gateway/services", "gateway/sockets", "gateway/sse", "gateway/strictbody", "gateway/tickets", "gateway/toolhost", "gateway/tools",
	"gateway/turns", "journal", "agent", "agent/envelope", "agent/session", "agent/conversation", "artifacts", "perception", "models", "memory",
	"internal/egress", "mcptools", "wasmtools", "wasmtools/abi", "wasmtools/author", "wasmtools/catalogue", "wasmtools/command", "wasmtools/fuel", "wasmtools/kv", "wasmtools/rootfs", "wasmtools/shelf", "wasmtools/sign", "wasmtools/source", "ledger", "identity", "computer/browser", "computer/delegate", "computer/eyes", "computer/files", "computer/git", "computer/process", "computer/screen", "computer/x11",
}

// untoldLimits are constants that no caller meets, by their names in the code.
var untoldLimits = []string{
	// What is shown of something, and not what is taken.
	"computer/browser.maxName", "computer/delegate.maxComplaint", "computer/delegate.maxHistory", "computer/delegate.maxInput", "computer/delegate.maxLine", "computer/delegate.maxRecent", "computer/eyes.maxChanges", "agent.maxFields", "agent.maxKeyPart", "agent.maxLeaves", "agent.maxQuoted", "gateway/desktop.maxListed", "gateway/desktop.maxWrong", "gateway/toolhost.maxTitle", "mcptools.maxNoteBytes",
	"memory.maxExcerpt", "models.maxRefusal", "models.maxRefusalOut", "wasmtools.maxEcho", "wasmtools.maxDead", "wasmtools.maxReason", "wasmtools/abi.maxTail", "wasmtools/command.maxSaid", "wasmtools/shelf.maxSchemaLines", "internal/egress.maxCause", "internal/egress.maxLoggedPath",
	// How something works inside, which nobody is refused for.
	"computer/x11.maxSends", "agent.maxExponent", "agent.maxWork", "agent/session.maxBroken", "agent/session.maxEmpty", "agent/session.maxHeard", "agent/session.maxLoads", "agent/session.maxMalformed",
	"gateway.MaxHeader", "gateway/docs.maxWritten", "gateway/prompts.maxOpenPages", "gateway/mcp.maxPlainID", "gateway/openai.maxShown", "gateway/openai.maxEmbedBody", "gateway/openai.maxSpeechBody", "gateway/sockets.maxCloseReason", "gateway/sockets.maxEarly", "journal.MaxAbandoned", "journal.maxAsked", "journal.maxBuffer",
	"mcptools.maxBackoff", "mcptools.maxKeptBytes", "mcptools.maxPins", "memory.maxChunk", "memory.maxClauses", "memory.maxPosition", "memory.maxRooms",
	"internal/egress.maxDrained", "perception.maxBefore", "wasmtools/abi.maxOpName", "wasmtools/fuel.maxFuel", "wasmtools/fuel.maxPages",
	"memory.maxWord", "models.maxFound", "models.maxFigures", "models.maxPrice", "models.maxID", "models.maxName", "models.maxPrivate", "models.maxRetryAfter",
	// What only an operator's own servers and folders can meet.
	"computer/x11.maxAuthority", "identity.maxSeen", "identity.maxSystem", "mcptools.maxTimeout", "memory.maxDepth", "memory.maxUser", "memory.maxVector", "models.MaxDocument", "models.maxTags",
}

// limitRow is a row of docs/limits.md.
type limitRow struct{ what, most, where, change, beyond, code string }

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	amount   = regexp.MustCompile(`^(-?[\d,.]+) ?(KiB|MiB|GiB|ms|s|min|h|d)?\b`)
)

// units are those of docs/limits.md.
var units = map[string]int64{
	"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"ms": int64(time.Millisecond), "s": int64(time.Second), "min": int64(time.Minute), "h": int64(time.Hour), "d": 24 * int64(time.Hour),
}

// limitRows reads the tables of docs/limits.md.
func limitRows(t *testing.T) (rows []limitRow) {
	t.Helper()
	text, err := os.ReadFile("docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 6 || cells[0] == "what" || cells[0] == "---" {
			continue
		}
		rows = append(rows, limitRow{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
	}
	return rows
}

// amountOf returns the number that a cell begins with, in bytes, nanoseconds or
// as it is.
func amountOf(cell string) (int64, error) {
	found := amount.FindStringSubmatch(cell)
	if found == nil {
		return 0, fmt.Errorf("%q begins with no number", cell)
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	return int64(n * float64(units[found[2]])), err
}

// TestLimitsTable compares each row of docs/limits.md with the code: with the
// constant that its last cell names, or with the default in the tag of the
// setting's field.
func TestLimitsTable(t *testing.T) {
	rows := limitRows(t)
	if len(rows) < 100 {
		t.Fatalf("docs/limits.md has %d rows", len(rows))
	}
	settings, source := settingsOf(t), sources{}
	for _, row := range rows {
		got, err := amountOf(row.most)
		if err != nil {
			t.Errorf("%s: %v", row.what, err)
			continue
		}
		var want int64
		switch name, setting := spanned(row.code), spanned(row.change); {
		case settings[setting] != nil && name == settings[setting].code:
			want = settings[setting].preset
			if hosted := settings[setting].hosted; hosted != "" && !strings.HasSuffix(strings.ReplaceAll(row.most, ",", ""), "; hosted "+hosted) {
				t.Errorf("%s: docs/limits.md says %s, and the default in hosted mode is %s", row.what, row.most, hosted)
			}
		case name != "":
			value, err := source.value(name)
			if err != nil {
				t.Errorf("%s: %v", row.what, err)
				continue
			}
			want = value
		case settings[setting] != nil:
			t.Errorf("%s: docs/limits.md does not say that its default is the tag of `%s`", row.what, settings[setting].code)
			continue
		default:
			t.Errorf("%s: neither a constant nor a setting says how much", row.what)
			continue
		}
		if got != want {
			t.Errorf("%s: docs/limits.md says %s, which is %d, and the code %d", row.what, row.most, got, want)
		}
		if row.where == "" || row.beyond == "" || row.change == "" {
			t.Errorf("%s: docs/limits.md does not say where it holds, what changes it, or what comes beyond it", row.what)
		}
	}
}

// TestLimitsAreTold finds the settings and constants that are limits, and that
// docs/limits.md does not have.
func TestLimitsAreTold(t *testing.T) {
	told := map[string]bool{}
	for _, row := range limitRows(t) {
		for _, cell := range []string{row.code, row.change} {
			for _, span := range codeSpan.FindAllStringSubmatch(cell, -1) {
				told[span[1]] = true
			}
		}
	}
	for name := range settingsOf(t) {
		if !told[name] {
			t.Errorf("docs/limits.md has no row for the setting %s", name)
		}
	}
	source, there := sources{}, map[string]bool{}
	for _, folder := range toldFolders {
		for name := range source.constants(folder) {
			if !strings.HasPrefix(strings.ToLower(name), "max") {
				continue
			}
			full := folder + "." + name
			there[full] = true
			if told[full] == slices.Contains(untoldLimits, full) {
				t.Errorf("%s stands in docs/limits.md: %t, and in untoldLimits: %t; it belongs in one of them", full, told[full], slices.Contains(untoldLimits, full))
			}
		}
	}
	for _, name := range untoldLimits {
		if !there[name] {
			t.Errorf("untoldLimits has %s, which is not there", name)
		}
	}
}

// spanned returns the first `code` of a cell.
func spanned(cell string) string {
	if found := codeSpan.FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	return ""
}

// limitSetting is a setting that holds a number or a time.
type limitSetting struct {
	code   string // folder, type and field
	preset int64
	hosted string // the default in hosted mode, where it differs
}

// settingsOf reads those of cmd/windie, by the names of their variables.
func settingsOf(t *testing.T) map[string]*limitSetting {
	t.Helper()
	all := map[string]*limitSetting{}
	for _, file := range parsed("cmd/windie") {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				kind, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				ast.Inspect(kind, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok && field.Tag != nil && len(field.Names) == 1 {
						addSetting(t, all, kind.Name.Name, field)
					}
					return true
				})
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d settings are found", len(all))
	}
	return all
}

// addSetting adds a field of a struct of cmd/windie, if the field is a setting
// that holds a number or a time.
func addSetting(t *testing.T, all map[string]*limitSetting, kind string, field *ast.Field) {
	t.Helper()
	text, _ := strconv.Unquote(field.Tag.Value)
	tag := reflect.StructTag(text)
	of := fmt.Sprint(field.Type)
	if selector, ok := field.Type.(*ast.SelectorExpr); ok {
		of = selector.Sel.Name
	}
	if tag.Get("env") == "" || !slices.Contains([]string{"int", "int64", "float64", "Duration"}, of) {
		return
	}
	preset, err := strconv.ParseInt(tag.Get("default"), 10, 64)
	if d, failed := time.ParseDuration(tag.Get("default")); err != nil && failed == nil {
		preset, err = int64(d), nil
	}
	if err != nil {
		t.Errorf("%s has the default %q", tag.Get("env"), tag.Get("default"))
	}
	code := "cmd/windie." + kind + "." + field.Names[0].Name
	all[tag.Get("env")] = &limitSetting{code, preset, tag.Get("hosted")}
}

// parsed returns the shipped files of a folder.
func parsed(folder string) (files []*ast.File) {
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// sources are the constants of folders, by their names.
type sources map[string]map[string]expression

// expression is one in a file, which knows what it imports.
type expression struct {
	ast.Expr
	file *ast.File
	iota int64
}

// constants returns those of a folder. One in a group that has no value of its
// own has that of the one before.
func (s sources) constants(folder string) map[string]expression {
	if s[folder] != nil {
		return s[folder]
	}
	found := map[string]expression{}
	for _, file := range parsed(folder) {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for at, spec := range group.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						found[name.Name] = expression{spec.Values[i], file, int64(at)}
					}
				}
			}
		}
	}
	s[folder] = found
	return found
}

// value returns what a name stands for: "journal.MaxData" is a constant,
// "sdkapi.V1Part.Text" the longest text that a field takes, and
// "wasmtools.Defaults.WallMS" what a function sets a field to.
func (s sources) value(name string) (int64, error) {
	folder := path.Join(path.Dir(name), strings.SplitN(path.Base(name), ".", 2)[0])
	rest := strings.Split(path.Base(name), ".")[1:]
	var e expression
	switch len(rest) {
	case 1:
		e = s.constants(folder)[rest[0]]
	case 2:
		if most, ok := tagged(folder, rest[0], rest[1]); ok {
			return most, nil
		}
		e = set(folder, rest[0], rest[1])
	}
	if e.Expr == nil {
		return 0, fmt.Errorf("there is no %s in the code", name)
	}
	v, err := s.eval(folder, e)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	n, _ := constant.Int64Val(constant.ToInt(v))
	return n, nil
}

// eval works out a constant expression of a folder.
func (s sources) eval(folder string, e expression) (constant.Value, error) {
	in := func(inner ast.Expr) (constant.Value, error) { return s.eval(folder, expression{inner, e.file, e.iota}) }
	switch x := e.Expr.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(x.Value, x.Kind, 0), nil
	case *ast.ParenExpr:
		return in(x.X)
	case *ast.BinaryExpr:
		left, err := in(x.X)
		if err != nil {
			return nil, err
		}
		right, err := in(x.Y)
		if err != nil {
			return nil, err
		}
		if x.Op == token.SHL {
			n, _ := constant.Uint64Val(right)
			return constant.Shift(left, x.Op, uint(n)), nil
		}
		op := x.Op
		if op == token.QUO && left.Kind() == constant.Int && right.Kind() == constant.Int {
			op = token.QUO_ASSIGN // of whole numbers
		}
		return constant.BinaryOp(left, op, right), nil
	case *ast.Ident:
		if other, ok := s.constants(folder)[x.Name]; ok {
			return s.eval(folder, other)
		}
	case *ast.SelectorExpr:
		if known, ok := s.imported(e.file, x); ok {
			return known, nil
		}
	case *ast.CallExpr:
		if of, ok := x.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Or" && len(x.Args) == 2 { // cmp.Or with a default
			return in(x.Args[1])
		}
	}
	return nil, fmt.Errorf("%T cannot be worked out", e.Expr)
}

// times are the constants of package time.
var times = map[string]time.Duration{"Microsecond": time.Microsecond, "Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// imported returns a constant of another package.
func (s sources) imported(file *ast.File, x *ast.SelectorExpr) (constant.Value, bool) {
	of, ok := x.X.(*ast.Ident)
	if !ok {
		return nil, false
	}
	if unit, ok := times[x.Sel.Name]; ok && of.Name == "time" {
		return constant.MakeInt64(int64(unit)), true
	}
	for _, spec := range file.Imports {
		where, _ := strconv.Unquote(spec.Path.Value)
		folder, ours := strings.CutPrefix(where, module)
		if ours && path.Base(folder) == of.Name {
			if e, ok := s.constants(folder)[x.Sel.Name]; ok {
				v, err := s.eval(folder, e)
				return v, err == nil
			}
		}
	}
	return nil, false
}

// tagged returns what the tag of a struct's field says is the most.
func tagged(folder, kind, field string) (most int64, ok bool) {
	inStruct(folder, kind, func(f *ast.Field) {
		for _, name := range f.Names {
			if name.Name != field || f.Tag == nil {
				continue
			}
			text, _ := strconv.Unquote(f.Tag.Value)
			for _, key := range []string{"maxLength", "maxItems", "maximum", "maxProperties"} {
				if n, err := strconv.ParseInt(reflect.StructTag(text).Get(key), 10, 64); err == nil {
					most, ok = n, true
				}
			}
		}
	})
	return most, ok
}

// inStruct calls see with the fields of a struct.
func inStruct(folder, kind string, see func(*ast.Field)) {
	for _, file := range parsed(folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == kind {
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						see(f)
					}
				}
			}
			return true
		})
	}
}

// set returns what a function sets a field to.
func set(folder, function, field string) (found expression) {
	for _, file := range parsed(folder) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != function {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.KeyValueExpr:
					if key, ok := x.Key.(*ast.Ident); ok && key.Name == field {
						found = expression{x.Value, file, 0}
					}
				case *ast.AssignStmt:
					if to, ok := x.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == field {
						found = expression{x.Rhs[0], file, 0}
					}
				}
				return true
			})
		}
	}
	return found
}
