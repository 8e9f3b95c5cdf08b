package files

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
)

type listInput struct {
	Path string `json:"path,omitempty" default:"." maxLength:"4096" doc:"Path, relative to the working folder."`
}

type listEntry struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

type listOutput struct {
	Entries []listEntry `json:"entries"`
	More    bool        `json:"more" doc:"There are more entries than this list has."`
}

// list returns at most MaxEntries entries of a folder, in the order of the file system. The size of a
// link is that of the link itself.
func (f *Folder) list(_ context.Context, _ agent.Call, in listInput) (listOutput, error) {
	if info, err := f.root.Stat(f.inside(in.Path)); err != nil {
		return listOutput{}, failure(in.Path, err)
	} else if !info.IsDir() {
		return listOutput{}, agent.Failf("%s is not a folder but a %s", in.Path, kindOf(info.Mode()))
	}
	folder, err := f.root.Open(f.inside(in.Path) + "/.") // fails at once if a pipe has taken its place
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
	Path      string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1"`
	LineEnd   int    `json:"line_end,omitempty" minimum:"1" doc:"Last line to read (default: as many lines as fit)."`
}

type readOutput struct {
	Text    string `json:"text"`
	LineEnd int    `json:"line_end"`
	More    bool   `json:"more" doc:"The file has more lines after these."`
}

// read is the tool for Lines.
func (f *Folder) read(ctx context.Context, _ agent.Call, in readInput) (readOutput, error) {
	text, last, more, err := f.Lines(ctx, in.Path, in.LineStart, in.LineEnd)
	return readOutput{text, last, more}, err
}

// Lines returns lines of a text file. It starts at the line number first, counted from 1. It ends at
// the line number last, or at the end of the file if last is 0. It returns at most MaxRead bytes of
// whole lines. The result stop is the number of the last line in text. The result more reports
// whether the file has lines after it.
func (f *Folder) Lines(ctx context.Context, name string, first, last int) (text string, stop int, more bool, err error) {
	if last != 0 && last < first {
		return "", 0, false, agent.Failf("line_end %d is before line_start %d", last, first)
	}
	file, _, err := f.openRegular(name)
	if err != nil {
		return "", 0, false, err
	}
	defer file.Close()
	stop = first - 1
	var b strings.Builder
	lines := bufio.NewReader(untilEnd{ctx, file})
	for n := 1; ; n++ {
		line, err := readLine(lines, MaxRead)
		switch {
		case ctx.Err() != nil:
			return "", 0, false, ctx.Err()
		case err != nil && !errors.Is(err, io.EOF):
			return "", 0, false, failure(name, err)
		case line == "":
			return b.String(), stop, false, nil
		case n < first:
			continue
		case last != 0 && n > last, b.Len()+len(line) > MaxRead:
			if b.Len() == 0 {
				return "", 0, false, agent.Failf("line %d of %s has more than %d bytes, the limit", n, name, MaxRead)
			}
			return b.String(), stop, true, nil
		case !utf8.ValidString(line):
			return "", 0, false, agent.Failf("%s is not UTF-8 text", name)
		}
		b.WriteString(line)
		stop = n
	}
}

// readLine returns the next line with its end. It cuts a longer line a little after limit bytes.
func readLine(r *bufio.Reader, limit int) (string, error) {
	var line strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if line.Len() <= limit {
			line.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line.String(), err
		}
	}
}

type statInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
	Sum  bool   `json:"sum,omitempty" doc:"Also compute the SHA-256 of the file."`
}

type statOutput struct {
	Kind     string    `json:"kind" enum:"file,folder,link,pipe,socket,device"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Mode     string    `json:"mode" doc:"Mode of the file, such as -rw-r--r--."`
	Target   string    `json:"target,omitempty" doc:"Target of the path, if the path is a link."`
	SHA256   string    `json:"sha256,omitempty"`
}

// stat describes a path. It describes a link itself, but the hash is that of the link's target.
func (f *Folder) stat(ctx context.Context, _ agent.Call, in statInput) (statOutput, error) {
	inside := f.inside(in.Path)
	info, err := f.root.Lstat(inside)
	if err != nil {
		return statOutput{}, failure(in.Path, err)
	}
	out := statOutput{Kind: kindOf(info.Mode()), Size: info.Size(), Modified: info.ModTime().UTC(), Mode: info.Mode().String()}
	if info.Mode()&fs.ModeSymlink != 0 {
		out.Target, _ = f.root.Readlink(inside)
	}
	if in.Sum {
		out.SHA256, err = f.sum(ctx, in.Path)
	}
	return out, err
}

// sum returns the SHA-256 of a regular file, in hex.
func (f *Folder) sum(ctx context.Context, name string) (string, error) {
	file, info, err := f.openRegular(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info.Size() > MaxSum {
		return "", agent.Failf("%s has %d bytes; the limit for a SHA-256 is %d", name, info.Size(), MaxSum)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, untilEnd{ctx, file}); err != nil {
		return "", failure(name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), ctx.Err()
}

// untilEnd is a reader that fails once its context ends.
type untilEnd struct {
	ctx context.Context
	r   io.Reader
}

// Read fails with the error of the context if the context has ended. It does not interrupt a read that is in progress.
func (u untilEnd) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
