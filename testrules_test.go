package windie_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// maySleep lists the functions of tests that sleep by the machine's clock, as
// "path:function" below the reason they share. Another test waits with
// testkit.Eventually, on a channel, or by the fake clock of synctest.
var maySleep = map[string][]string{
	"a person reads before a key counts": {
		"cmd/windie/agenttmux_test.go:terminalOf.allows",
	},
	"an expiry has to pass, by the clock of the machine or of a database": {
		"artifacts/owned/owned_test.go:TestExpiry",
		"artifacts/owned/owned_test.go:TestKeptElsewhere",
		"audit/audit_test.go:pages",
		"gateway/doors/mcp_test.go:TestMCPLimits",
		"internal/once/once_test.go:TestKeysExpire",
		"journal/journaltest/decisions.go:forget",
		"journal/journaltest/expiry.go:expiry",
		"journal/journaltest/expiry.go:noExpiryOnceDecided",
		"journal/journaltest/leases.go:appendUntilLost",
		"journal/journaltest/leases.go:leaseRenewedLate",
		"journal/sqljournal/failure_test.go:TestQueued",
		"memory/large_test.go:measured.add",
		"memory/memory_test.go:TestChangedMeanwhile",
	},
	"nothing reports that the other side runs or waits; where the time is too short, the test shows less and passes": {
		"computer/delegate/agent_test.go:agents",
		"computer/delegate/agent_test.go:serveAgent",
		"gateway/peer/calls_internal_test.go:TestCallsAreEnded",
		"gateway/peer/calls_internal_test.go:TestCallsEnd",
		"gateway/doors/mcp_test.go:TestMCPCallEndsWhenTheClientLeaves",
		"gateway/doors/tools_test.go:TestCallEndsWhenTheClientLeaves",
		"gateway/doors/wsspeech_test.go:peer.untilSilent",
		"journal/sqljournal/failure_test.go:TestDatabaseAway",
		"journal/sqljournal/failure_test.go:appended",
		"journal/sqljournal/failure_test.go:followed",
		"wasmtools/fuel/attack_test.go:TestGuestsLetOthersRun",
		"wasmtools/isolation_test.go:TestCallersLeave",
		"wasmtools/plugins_test.go:TestPluginsChangeWhileServed",
	},
	"plays a program that is slow or silent": {
		"speech/transcription/transcription_test.go:TestPartials",
		"artifacts/s3store/failure_test.go:TestSlowReader",
		"artifacts/s3store/failure_test.go:TestSlowServer",
		"artifacts/s3store/failure_test.go:cancelBeforeAnswer",
		"artifacts/s3store/server_test.go:TestRefusedUpload",
		"gateway/doors/tools_test.go:TestConnectionServesManyCalls",
		"mcptools/upstream_test.go:answer",
		"mcptools/upstream_test.go:handmadeServers",
		"models/modelstest/script.go:Reply.play",
		"wasmtools/hostile_http_test.go:TestHostileServers",
	},
	"runs beside a test, in a goroutine or process that may not fail it, and tries again or dies at a random moment": {
		"agent/session/crash_test.go:crash.killOnce",
		"agent/session/crash_test.go:oneTalk",
		"audit/audit_test.go:crash",
		"cmd/windie/stop_test.go:stops.answer",
		"cmd/windie/stop_test.go:stops.run",
		"cmd/windie/stop_test.go:stops.turn",
		"journal/journaltest/leases.go:fencing",
	},
	"measures time, or spreads what a benchmark asks over it": {
		"cmd/windie/idle_bench_test.go:BenchmarkIdleSockets",
		"cmd/windie/prompts_bench_test.go:BenchmarkPromptStreams",
		"cmd/windie/turns_bench_test.go:guest.stall",
		"cmd/windie/turns_bench_test.go:hosted.talk",
		"mcptools/hostile_test.go:TestServersThatDoNotStart",
		"speech/bench_test.go:listen",
		"wasmtools/hostile_watched_test.go:beside",
		"wasmtools/hostile_watched_test.go:busyness",
		"wasmtools/hostile_watched_test.go:patiently",
	},
	"others wait with it": {
		"internal/testkit/wait.go:EventuallyWithin",
		"internal/testkit/wait.go:Throughout",
	},
}

// mayLoop lists the functions of tests with a table whose cases do not run
// alone, as "path:function". It is meant to stay empty: a case is a call of
// t.Run, so that "go test -run Test/case" runs it.
var mayLoop = []string{}

// TestSleepsHaveAReason fails for a test that sleeps by the machine's clock and
// is not in maySleep, and for an entry of maySleep that sleeps no longer.
func TestSleepsHaveAReason(t *testing.T) {
	var unused []string
	for reason, functions := range maySleep {
		if reason == "" {
			t.Errorf("no reason is given for %q", functions)
		}
		unused = append(unused, functions...)
	}
	for _, p := range testPackages(t) {
		for _, d := range p.decls {
			if len(d.sleeps) == 0 || d.bubble || d.ownTests() && p.inBubbles(d, map[string]bool{}) {
				continue
			}
			at := d.file + ":" + d.name
			if i := slices.Index(unused, at); i >= 0 {
				unused = slices.Delete(unused, i, i+1)
			} else {
				t.Errorf("%s sleeps, in line %d; wait with testkit.Eventually, or give maySleep a reason", at, d.sleeps[0])
			}
		}
	}
	for _, at := range unused {
		t.Errorf("maySleep has %s, which does not sleep, or twice", at)
	}
}

// TestCasesRunAlone fails for a table in a test, a slice or map of cases written
// out, whose cases a loop checks without t.Run.
func TestCasesRunAlone(t *testing.T) {
	unused := slices.Clone(mayLoop)
	for _, p := range testPackages(t) {
		for _, d := range p.decls {
			at := d.file + ":" + d.name
			if i := slices.Index(unused, at); i >= 0 && len(d.loops) > 0 {
				unused = slices.Delete(unused, i, i+1)
				continue
			}
			for _, line := range d.loops {
				t.Errorf("%s has a table in line %d whose cases do not run alone; call t.Run for each", at, line)
			}
		}
	}
	for _, at := range unused {
		t.Errorf("mayLoop has %s, which has no such table", at)
	}
}

// testPackage is the code for tests in one folder.
type testPackage struct {
	decls []*testDecl
	// bubbles names the functions that run a function they are given in a
	// bubble of synctest.
	bubbles map[string]bool
}

// testDecl is a declaration of a test, of its helpers, or of their types.
type testDecl struct {
	file, name string // name is Func, or Type.Method
	owner      string // the name by which others use it: the function's, or the type's
	uses       map[string]bool
	bubble     bool  // it opens a bubble of synctest
	sleeps     []int // lines
	loops      []int // lines of tables whose cases do not run alone
}

// testPackages reads the test files of every folder, and what testOnly names.
func testPackages(t *testing.T) []*testPackage {
	t.Helper()
	folders := map[string][]*ast.File{}
	set := token.NewFileSet()
	walk(t, func(name string, d fs.DirEntry) {
		folder := path.Dir(name)
		if d.IsDir() || !strings.HasSuffix(name, ".go") || !strings.HasSuffix(name, "_test.go") && !slices.Contains(testOnly, folder) {
			return
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		folders[folder] = append(folders[folder], f)
	})
	var packages []*testPackage
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		packages = append(packages, readTests(set, folders[folder]))
	}
	return packages
}

func readTests(set *token.FileSet, files []*ast.File) *testPackage {
	p := &testPackage{bubbles: map[string]bool{"synctest.Test": true}}
	for _, f := range files { // first, as a file may use the helpers of another
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && takesFunc(fn.Type) && p.callsBubble(fn) {
				p.bubbles[fn.Name.Name] = true
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			p.decls = append(p.decls, p.read(set, d))
		}
	}
	return p
}

func (p *testPackage) read(set *token.FileSet, d ast.Decl) *testDecl {
	found := &testDecl{file: set.Position(d.Pos()).Filename, uses: map[string]bool{}}
	switch d := d.(type) {
	case *ast.FuncDecl:
		found.name, found.owner = d.Name.Name, d.Name.Name
		if d.Recv != nil {
			found.owner = typeName(d.Recv.List[0].Type)
			found.name = found.owner + "." + d.Name.Name
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				found.name = s.Name.Name
			case *ast.ValueSpec:
				found.name = s.Names[0].Name
			}
		}
		found.owner = found.name
	}
	found.bubble = p.callsBubble(d)
	inSelect := map[ast.Stmt]bool{} // where <-time.After(d) is a limit
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommClause:
			inSelect[n.Comm] = true
		case *ast.Ident:
			found.uses[n.Name] = true
		case *ast.CallExpr:
			if calls(n, "time.Sleep") {
				found.sleeps = append(found.sleeps, set.Position(n.Pos()).Line)
			}
		case *ast.ExprStmt: // <-time.After(d) as a statement of its own is a sleep
			if wait, ok := n.X.(*ast.UnaryExpr); ok && wait.Op == token.ARROW && calls(wait.X, "time.After") && !inSelect[n] {
				found.sleeps = append(found.sleeps, set.Position(n.Pos()).Line)
			}
		}
		return true
	})
	if fn, ok := d.(*ast.FuncDecl); !ok || fn.Type.Results == nil { // what returns something prepares a test
		for _, loop := range p.bareTables(d) {
			found.loops = append(found.loops, set.Position(loop.Pos()).Line)
		}
	}
	return found
}

// ownTests reports whether the tests of one folder alone use a declaration.
func (d *testDecl) ownTests() bool { return strings.HasSuffix(d.file, "_test.go") }

// inBubbles reports whether everything that uses a declaration runs in a bubble
// of synctest. seen holds the owners that are being looked at.
func (p *testPackage) inBubbles(d *testDecl, seen map[string]bool) bool {
	if strings.HasPrefix(d.owner, "Test") || strings.HasPrefix(d.owner, "Benchmark") {
		return false
	}
	if seen[d.owner] {
		return true
	}
	seen[d.owner] = true
	used := false
	for _, user := range p.decls {
		if user.owner == d.owner || !user.uses[d.owner] {
			continue
		}
		used = true
		if !user.bubble && !p.inBubbles(user, seen) {
			return false
		}
	}
	return used
}

// callsBubble reports whether a node calls something of bubbles.
func (p *testPackage) callsBubble(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && p.bubbles[callee(call)]
		return !found
	})
	return found
}

// bareTables returns the loops over a table whose cases are checked without
// t.Run. A loop inside a bubble does not count: its cases are steps on one clock, and
// t.Run may not be called there.
func (p *testPackage) bareTables(n ast.Node) (found []*ast.RangeStmt) {
	tables := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !p.bubbles[callee(n)]
		case *ast.AssignStmt:
			for i, name := range n.Lhs {
				if name, ok := name.(*ast.Ident); ok && i < len(n.Rhs) && isTable(n.Rhs[i]) {
					tables[name.Name] = true
				}
			}
		case *ast.RangeStmt:
			name, _ := n.X.(*ast.Ident)
			if (isTable(n.X) || name != nil && tables[name.Name] && n.Value != nil) && fails(n.Body) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// isTable reports whether an expression is a list of cases: a slice or array of
// structs, or a map by names, with two elements at least.
func isTable(x ast.Expr) bool {
	list, ok := x.(*ast.CompositeLit)
	if !ok || len(list.Elts) < 2 {
		return false
	}
	switch kind := list.Type.(type) {
	case *ast.MapType:
		return true
	case *ast.ArrayType:
		if _, ok := kind.Elt.(*ast.StructType); ok {
			return true
		}
		element, ok := list.Elts[0].(*ast.CompositeLit)
		return ok && element.Type == nil && isName(kind.Elt) // of a named struct
	}
	return false
}

func isName(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// fails reports whether the body of a loop may fail the test, and runs nothing
// by t.Run.
func fails(body *ast.BlockStmt) bool {
	fails, runs := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch callee(call) {
			case "t.Error", "t.Errorf", "t.Fatal", "t.Fatalf":
				fails = true
			case "t.Run":
				runs = true
			}
		}
		return true
	})
	return fails && !runs
}

// calls reports whether an expression calls a function, named as in the code.
func calls(x ast.Expr, name string) bool {
	call, ok := x.(*ast.CallExpr)
	return ok && callee(call) == name
}

// callee returns the name of what is called, as in the code; empty for what is
// no name.
func callee(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if of, ok := fn.X.(*ast.Ident); ok {
			return of.Name + "." + fn.Sel.Name
		}
	}
	return ""
}

// takesFunc reports whether a function has a parameter that is a function.
func takesFunc(fn *ast.FuncType) bool {
	return slices.ContainsFunc(fn.Params.List, func(p *ast.Field) bool { _, ok := p.Type.(*ast.FuncType); return ok })
}

// typeName returns the name of a receiver's type.
func typeName(x ast.Expr) string {
	for {
		switch of := x.(type) {
		case *ast.StarExpr:
			x = of.X
		case *ast.IndexExpr:
			x = of.X
		case *ast.IndexListExpr:
			x = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}
