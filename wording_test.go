package windie_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A wording is a way to write that makes a reader stop, and what to write
// instead. CONTRIBUTING.md has the rules behind the list.
type wording struct {
	bad    *regexp.Regexp
	unless *regexp.Regexp // of the text from where bad begins; nil for always
	better string
}

// phrase compiles a pattern whose spaces also match the end of a line.
func phrase(pattern string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`))
}

// verbs are those before which "who" has no head, as in "for who asks".
const verbs = `(is|was|has|had|may|can|does|will|would|\w+[^s\W]s)\b`

// badWordings are the patterns that comments, documents and errors of clean
// folders do not have.
var badWordings = []wording{
	{phrase(`\btells\b`), nil, `"reports", "returns", "lists", "says" or "distinguishes"`},
	{phrase(`\btold\b`), phrase(`^told (not )?to\b`), `"reported", "listed" or "gets"`},
	{phrase(`\btell(ing)?\b`), phrase(`^tell(ing)? (the|a|an|its|your|people|them|somebody)\b`), `"report", "return", "list" or "distinguish"`},
	{phrase(`\bwhose all\b`), nil, "the noun: whose what?"},
	{phrase(`\bvoid\b`), nil, `"invalid" or "discarded"`},
	{phrase(`\bas (it|they|one) should be\b`), nil, `"valid", "invalid", or what is wrong`},
	{phrase(`\bso (many|much) (bytes|pixels|others|times|lines|words|events|messages|seconds|values|keys|rows|batches)\b`), nil, `"n bytes", by the name of the number`},
	{phrase(`\b\w+ (is|are|was|were) none\b`), phrase(`^[Tt]here |^\w+ \w+ none of `), `"is invalid", "is missing" or "is not a ..."`},
	{phrase(`\b\w+ none[.,;]`), phrase(`^(is|are|was|were|be|has|have|had) `), `the noun, as in "no rows"; of a zero value "if there is none"`},
	{phrase(`\bas ((the|a|an) )?[\w.]+( [\w.]+)? (has|have|had) it\b`), nil, `"as in ..." or "in the form of ..."`},
	{phrase(`(^|[.;:]\s)[Ww]ho ` + verbs), phrase(`^[^.;]*\?`), `"whoever", or the noun: a caller, a client, a reader`},
	{phrase(`\b(of|to|by|for|from|than|as|if|when|with) who ` + verbs), nil, `the noun: a caller, a client, a reader`},
	{phrase(`\b(is|are) (others|another)([.,;:]| than\b|$)`), nil, `"differs" or "has changed"`},
	{phrase(`\b(can|cannot) be had\b`), nil, `"is available"`},
	{phrase(`\bis not one\b`), phrase(`^is not one (of|that|which)\b`), `"invalid ...", or the noun`},
}

// unclean are the folders whose Go files still have such wordings, as in
// mayImport: "gateway/..." covers what lies below. The list must shrink: a
// folder on it without one fails the test.
var unclean []string

// TestWording refuses bad wordings in documents, and in comments and errors of
// Go files outside of unclean.
func TestWording(t *testing.T) {
	t.Parallel()
	left := map[string]int{}
	walk(t, func(name string, d fs.DirEntry) {
		switch {
		case d.IsDir() || strings.HasPrefix(name, "docs/changelog/"):
		case strings.HasSuffix(name, ".md"):
			for _, problem := range wordingsOfPage(t, name) {
				t.Error(problem)
			}
		case strings.HasSuffix(name, ".go") && name != "wording_test.go":
			problems := wordingsOfCode(t, name)
			if i := slices.IndexFunc(unclean, func(entry string) bool { return covers(path.Dir(name))(entry) || path.Dir(name)+"/..." == entry }); i >= 0 {
				left[unclean[i]] += len(problems)
				return
			}
			for _, problem := range problems {
				t.Error(problem)
			}
		}
	})
	for _, folder := range unclean {
		t.Logf("%s: %d", folder, left[folder])
		if left[folder] == 0 {
			t.Errorf("%s has no bad wording left: take it off unclean", folder)
		}
	}
}

// badIn lists the bad wordings of a text that begins at a line of a file.
func badIn(file string, line int, text string) (problems []string) {
	for _, w := range badWordings {
		for _, at := range w.bad.FindAllStringIndex(text, -1) {
			if w.unless != nil && w.unless.MatchString(text[at[0]:]) {
				continue
			}
			where := file + ":" + strconv.Itoa(line+strings.Count(text[:at[0]], "\n"))
			problems = append(problems, where+": "+strconv.Quote(strings.TrimSpace(text[at[0]:at[1]]))+": write "+w.better)
		}
	}
	return problems
}

// wordingsOfCode lists the bad wordings in the comments and errors of a Go file.
func wordingsOfCode(t *testing.T, file string) (problems []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names[n.Name] = true
		case *ast.CallExpr:
			if isError(n.Fun) {
				problems = append(problems, badInStrings(set, file, n)...)
			}
		}
		return true
	})
	for _, group := range f.Comments {
		if text := commentText(group, names); text != "" {
			problems = append(problems, badIn(file, set.Position(group.Pos()).Line, text)...)
		}
	}
	return problems
}

// commentText returns a comment without its marks, and without the name that
// it begins with; empty for the output of an example.
func commentText(group *ast.CommentGroup, names map[string]bool) string {
	var lines []string
	for _, c := range group.List {
		text := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*")
		if strings.HasPrefix(text, "go:") || strings.HasPrefix(text, "nolint") {
			text = ""
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	text := strings.Join(lines, "\n")
	if strings.HasPrefix(text, "Output:") || strings.HasPrefix(text, "Unordered output:") {
		return ""
	}
	if first, rest, _ := strings.Cut(text, " "); names[first] {
		return rest
	}
	return text
}

// isError reports whether a function makes an error of a text.
func isError(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := sel.X.(*ast.Ident)
	return ok && slices.Contains([]string{"fault.New", "errors.New", "fmt.Errorf"}, from.Name+"."+sel.Sel.Name)
}

// badInStrings lists the bad wordings in the strings of a call.
func badInStrings(set *token.FileSet, file string, call *ast.CallExpr) (problems []string) {
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					problems = append(problems, badIn(file, set.Position(lit.Pos()).Line, text)...)
				}
			}
			return true
		})
	}
	return problems
}

// notProse matches what a page quotes: blocks and spans of code, and where links
// lead to.
var notProse = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`]*`|\\]\\([^)]*\\)")

// wordingsOfPage lists the bad wordings of a page in Markdown.
func wordingsOfPage(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	prose := notProse.ReplaceAllStringFunc(string(text), func(quoted string) string {
		return "`" + strings.Repeat("\n", strings.Count(quoted, "\n"))
	})
	return badIn(file, 1, prose)
}
