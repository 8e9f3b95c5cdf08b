package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
)

type findInput struct {
	Pattern string `json:"pattern" minLength:"1" maxLength:"1024" doc:"Path pattern. * and ? match within a name, and ** matches any folders. A pattern without a slash matches names in all folders." example:"**/*_test.go"`
	Path    string `json:"path,omitempty" default:"." maxLength:"4096" doc:"Folder, relative to the working folder."`
}

type foundFile struct {
	Path     string    `json:"path" doc:"Path, relative to the working folder."`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

type findOutput struct {
	Files []foundFile `json:"files"`
	More  bool        `json:"more" doc:"There may be more matches."`
}

// errEnough stops a walk.
var errEnough = errors.New("enough")

// find returns at most MaxEntries entries that match a pattern. Links count, folders do not.
func (f *Folder) find(ctx context.Context, _ agent.Call, in findInput) (findOutput, error) {
	fits, err := newPattern(in.Pattern)
	if err != nil {
		return findOutput{}, err
	}
	out := findOutput{Files: []foundFile{}}
	more, err := f.walk(ctx, in.Path, func(name string, below string, d fs.DirEntry) error {
		if d.IsDir() || !fits.match(below) {
			return nil
		}
		if len(out.Files) == MaxEntries {
			return errEnough
		}
		if info, err := d.Info(); err == nil { // an error means that the entry is gone
			out.Files = append(out.Files, foundFile{name, info.Size(), info.ModTime().UTC()})
		}
		return nil
	})
	out.More = more
	return out, err
}

// walk visits the entries below a folder in order, except the content of ".git". It visits links
// but does not follow them. visit gets the path relative to the working folder, and the path
// relative to folder. more is true if the walk stopped early.
func (f *Folder) walk(ctx context.Context, folder string, visit func(name, below string, d fs.DirEntry) error) (more bool, err error) {
	from := f.inside(folder)
	info, err := f.root.Stat(from)
	if err != nil {
		return false, failure(folder, err)
	}
	if !info.IsDir() {
		return false, agent.Failf("%s is not a folder but a %s", folder, kindOf(info.Mode()))
	}
	seen := 0
	err = fs.WalkDir(f.root.FS(), from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir // unreadable or gone
		case err != nil || name == from:
			return nil //nolint:nilerr // it cannot be read, or has gone: the others are looked at
		case d.IsDir() && ofGit(d.Name()):
			return fs.SkipDir
		}
		if seen++; seen > MaxWalk {
			return errEnough
		}
		below := name
		if from != "." {
			below = strings.TrimPrefix(name, from+"/")
		}
		return visit(name, below, d)
	})
	if errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}

// pattern is a pattern for paths, split into its parts.
type pattern []string

// newPattern parses a pattern. One without a slash matches a name in any folder.
func newPattern(text string) (pattern, error) {
	if !strings.Contains(text, "/") {
		text = "**/" + text
	}
	parts := strings.Split(strings.TrimPrefix(text, "./"), "/")
	parts = slices.CompactFunc(parts, func(a, b string) bool { return a == "**" && b == "**" })
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return nil, agent.Failf("invalid pattern %q: [ without ]", text)
		}
	}
	return parts, nil
}

// match reports whether a path matches. It takes time in proportion to the parts of the path times
// the parts of the pattern.
func (p pattern) match(name string) bool {
	reach := make([]bool, len(p)+1) // reach[i]: p[:i] matches the parts so far
	reach[0] = true
	skip := func() {
		for i, part := range p {
			if part == "**" && reach[i] {
				reach[i+1] = true
			}
		}
	}
	skip()
	for part := range strings.SplitSeq(name, "/") {
		for i := len(p); i >= 1; i-- {
			fits, _ := path.Match(p[i-1], part)
			reach[i] = reach[i-1] && p[i-1] != "**" && fits || p[i-1] == "**" && (reach[i] || reach[i-1])
		}
		reach[0] = false
		skip()
	}
	return reach[len(p)]
}

type grepInput struct {
	Pattern    string `json:"pattern" minLength:"1" maxLength:"1024" doc:"RE2 regular expression that the lines must match."`
	Path       string `json:"path,omitempty" default:"." maxLength:"4096" doc:"Folder or file, relative to the working folder."`
	Files      string `json:"files,omitempty" maxLength:"1024" doc:"Pattern of the files to search, as for file.find (default: all files)."`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
}

type grepMatch struct {
	Path string `json:"path" doc:"Path, relative to the working folder."`
	Line int    `json:"line" doc:"Number of the line, from 1."`
	Text string `json:"text" doc:"Text of the line. A long line is cut."`
}

type grepOutput struct {
	Matches []grepMatch `json:"matches"`
	Files   int         `json:"files" doc:"Number of files searched."`
	More    bool        `json:"more" doc:"There may be more matches."`
}

// grep searches a file, or all files below a folder. Every file is searched unless Files limits them.
func (f *Folder) grep(ctx context.Context, _ agent.Call, in grepInput) (grepOutput, error) {
	expression := in.Pattern
	if in.IgnoreCase {
		expression = "(?i)" + expression
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return grepOutput{}, agent.Failf("invalid pattern: %v", err)
	}
	fits := pattern{"**"}
	if in.Files != "" {
		if fits, err = newPattern(in.Files); err != nil {
			return grepOutput{}, err
		}
	}
	out := grepOutput{Matches: []grepMatch{}}
	if info, err := f.root.Stat(f.inside(in.Path)); err == nil && info.Mode().IsRegular() {
		out.More = f.search(ctx, f.inside(in.Path), re, &out) != nil
		return out, ctx.Err()
	}
	out.More, err = f.walk(ctx, in.Path, func(name, below string, d fs.DirEntry) error {
		if !d.Type().IsRegular() || !fits.match(below) {
			return nil
		}
		return f.search(ctx, name, re, &out)
	})
	return out, err
}

// search adds the matches in a file. It returns errEnough at the maximum number of matches. It
// skips unreadable, large and binary files.
func (f *Folder) search(ctx context.Context, name string, re *regexp.Regexp, out *grepOutput) error {
	file, info, err := f.openRegular(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 64<<10)
	if start, _ := lines.Peek(8000); info.Size() > MaxSearch || bytes.IndexByte(start, 0) >= 0 {
		return nil
	}
	out.Files++
	for n := 1; ; n++ {
		line, err := readLine(lines, MaxSearch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line = strings.TrimRight(line, "\r\n")
		if re.MatchString(line) && (line != "" || err == nil) {
			if len(out.Matches) == MaxMatches {
				return errEnough
			}
			out.Matches = append(out.Matches, grepMatch{name, n, plain.Short(strings.ToValidUTF8(line, "\uFFFD"), MaxLine)})
		}
		if err != nil {
			return nil
		}
	}
}
