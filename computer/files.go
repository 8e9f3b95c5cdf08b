package computer

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
)

type listInput struct {
	Path string `json:"path,omitempty" default:"." maxLength:"4096" doc:"The folder, relative to the working folder."`
}

type listEntry struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

type listOutput struct {
	Entries []listEntry `json:"entries"`
	More    bool        `json:"more" doc:"Whether there are more than are listed."`
}

func (c *Computer) list(_ context.Context, _ agent.Call, in listInput) (listOutput, error) {
	folder, err := c.root.Open(clean(in.Path))
	if err != nil {
		return listOutput{}, failure(in.Path, err)
	}
	defer folder.Close()
	entries, err := folder.ReadDir(MaxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return listOutput{}, failure(in.Path, err)
	}
	out := listOutput{Entries: []listEntry{}, More: len(entries) > MaxEntries}
	for _, e := range entries[:min(len(entries), MaxEntries)] {
		entry := listEntry{Name: e.Name()}
		if e.IsDir() {
			entry.Name += "/"
		} else if info, err := e.Info(); err == nil {
			entry.Size = info.Size()
		}
		out.Entries = append(out.Entries, entry)
	}
	return out, nil
}

type readInput struct {
	Path      string `json:"path" minLength:"1" maxLength:"4096" doc:"The file, relative to the working folder."`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1" doc:"The first line."`
	LineEnd   int    `json:"line_end,omitempty" minimum:"1" doc:"The last line; without it as much as fits."`
}

type readOutput struct {
	Text    string `json:"text"`
	LineEnd int    `json:"line_end" doc:"The last line of the text."`
	More    bool   `json:"more" doc:"Whether the file goes on."`
}

func (c *Computer) read(ctx context.Context, _ agent.Call, in readInput) (readOutput, error) {
	f, err := c.root.Open(clean(in.Path))
	if err != nil {
		return readOutput{}, failure(in.Path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return readOutput{}, agent.Failf("%s is no file", in.Path)
	}
	out, lines := readOutput{LineEnd: in.LineStart - 1}, bufio.NewReader(f)
	var text strings.Builder
	for n := 1; ; n++ {
		line, err := readLine(lines, MaxRead)
		switch {
		case ctx.Err() != nil:
			return readOutput{}, ctx.Err()
		case err != nil && !errors.Is(err, io.EOF):
			return readOutput{}, failure(in.Path, err)
		case line == "":
			out.Text = text.String()
			return out, nil
		case n < in.LineStart:
			continue
		case in.LineEnd != 0 && n > in.LineEnd, text.Len()+len(line) > MaxRead:
			out.Text, out.More = text.String(), true
			if out.Text == "" {
				return readOutput{}, agent.Failf("line %d of %s has more than %d bytes", n, in.Path, MaxRead)
			}
			return out, nil
		case !utf8.ValidString(line):
			return readOutput{}, agent.Failf("%s is no text in UTF-8", in.Path)
		}
		text.WriteString(line)
		out.LineEnd = n
	}
}

// readLine returns the next line with its end, at most little more than most bytes of it.
func readLine(r *bufio.Reader, most int) (string, error) {
	var line strings.Builder
	for line.Len() <= most {
		part, err := r.ReadSlice('\n')
		line.Write(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line.String(), err
		}
	}
	return line.String(), nil
}

type writeInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"The file, relative to the working folder."`
	Text string `json:"text" maxLength:"1048576" doc:"All that it will hold."`
}

type writeOutput struct {
	Size int64 `json:"size"`
}

func (c *Computer) write(_ context.Context, _ agent.Call, in writeInput) (writeOutput, error) {
	if len(in.Text) > MaxWrite {
		return writeOutput{}, agent.Failf("the text has %d bytes, of at most %d", len(in.Text), MaxWrite)
	}
	return writeOutput{int64(len(in.Text))}, c.Put(in.Path, strings.NewReader(in.Text))
}

// Put writes a file of the folder from a reader, whole or not at all. Its errors are for people.
func (c *Computer) Put(name string, content io.Reader) error {
	name = clean(name)
	if folder := path.Dir(name); folder != "." {
		if err := c.root.MkdirAll(folder, 0o755); err != nil {
			return failure(name, err)
		}
	}
	beside := path.Join(path.Dir(name), ".windie-"+rand.Text())
	f, err := c.root.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return failure(name, err)
	}
	_, err = io.Copy(f, content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = c.root.Rename(beside, name)
	}
	if err != nil {
		_ = c.root.Remove(beside)
		return failure(name, err)
	}
	return nil
}

// clean returns a path as os.Root takes it.
func clean(name string) string { return path.Clean(filepath.ToSlash(name)) }

// failure is an error about a file, for the model.
func failure(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agent.Failf("there is no %s", name)
	case errors.Is(err, fs.ErrPermission):
		return agent.Failf("%s may not be used", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return agent.Failf("%s: %v", name, err)
}
