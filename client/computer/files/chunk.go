package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/hashid"
)

// partAge is how long the pieces of an unfinished file are kept.
const partAge = 24 * time.Hour

// oursPattern matches the names of unfinished files: of pieces, see partName, and of replace. sweep
// removes no other file, because a user's file may begin the same way.
var oursPattern = regexp.MustCompile(`^\.windie-(part-[0-9a-f]{20}|[A-Z2-7]{26})$`)

type chunkInput struct {
	Path     string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
	Size     int64  `json:"size" minimum:"1" maximum:"1073741824" doc:"Size of the whole file in bytes."`
	SHA256   string `json:"sha256" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the whole file, in hex."`
	Offset   int64  `json:"offset" minimum:"0" doc:"Number of bytes before this piece. It is the value of \"received\" in the last answer."`
	Content  string `json:"content" maxLength:"1048576" doc:"Content of the piece, as text or base64. If the content is empty, the tool only returns \"received\"."`
	Encoding string `json:"encoding,omitempty" enum:"text,base64" default:"text"`
}

type chunkOutput struct {
	Received int64 `json:"received" doc:"Number of bytes received so far. It is the offset of the next piece."`
	Done     bool  `json:"done" doc:"The file is complete."`
}

// writeChunk appends the next piece of a file to a temporary file in the same folder. After the last
// piece it moves the temporary file into place.
func (f *Folder) writeChunk(ctx context.Context, _ agent.Call, in chunkInput) (chunkOutput, error) {
	piece := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if piece, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return chunkOutput{}, agent.Failf("content: invalid base64: %v", err)
		}
	}
	if in.Size > MaxFile || in.Offset+int64(len(piece)) > in.Size {
		return chunkOutput{}, agent.Failf("the piece ends at byte %d of a file of %d; a file has at most %d", in.Offset+int64(len(piece)), in.Size, MaxFile)
	}
	inside, old, err := f.prepare(in.Path)
	if err != nil {
		return chunkOutput{}, err
	}
	f.parts.Lock()
	defer f.parts.Unlock()
	name := partName(inside, in)
	received, err := f.appendPart(name, in.Offset, piece, modeBeside(old))
	if err != nil || received < in.Size {
		return chunkOutput{Received: received}, err
	}
	if err := f.finish(ctx, name, inside, in.SHA256, old); err != nil {
		return chunkOutput{}, err
	}
	return chunkOutput{received, true}, nil
}

// partName returns the path of the pieces of a file. It is the same for the same file with the same
// content.
func partName(inside string, in chunkInput) string {
	return path.Join(path.Dir(inside), ours+"part-"+hashid.Of(fmt.Sprintf("%s\x00%d\x00%s", path.Base(inside), in.Size, in.SHA256), 10))
}

// appendPart writes a piece, and returns the bytes received so far. A piece that has arrived
// before, partly or wholly, is no error.
func (f *Folder) appendPart(name string, offset int64, piece []byte, mode fs.FileMode) (int64, error) {
	if info, err := f.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return 0, agent.Failf("the pieces cannot be stored: %s is in the way", name)
	} else if errors.Is(err, fs.ErrNotExist) {
		f.sweep(path.Dir(name))
	}
	part, err := f.root.OpenFile(name, os.O_CREATE|os.O_RDWR, mode)
	if err != nil {
		return 0, failure(name, err)
	}
	defer part.Close()
	received, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, failure(name, err)
	}
	if len(piece) == 0 {
		return received, nil
	}
	if offset > received {
		return received, agent.Failf("the piece at byte %d is missing: only %d bytes are stored. Send it next", received, received)
	}
	known := min(received-offset, int64(len(piece)))
	have := make([]byte, known)
	if _, err := part.ReadAt(have, offset); err != nil && known > 0 {
		return received, failure(name, err)
	}
	if !bytes.Equal(have, piece[:known]) {
		return received, agent.Failf("the piece at byte %d differs from the one sent before", offset)
	}
	n, err := part.Write(piece[known:])
	if err != nil {
		return received, failure(name, err)
	}
	return received + int64(n), nil
}

// finish checks the hash of all pieces, and moves the file into place.
func (f *Folder) finish(ctx context.Context, part, inside, want string, old fs.FileInfo) error {
	got, err := f.sum(ctx, part)
	if err != nil {
		return err
	}
	if got != want {
		_ = f.root.Remove(part)
		return agent.Failf("the SHA-256 of the pieces is %s, not %s; the file is unchanged. Start again at byte 0", got, want)
	}
	file, err := f.root.OpenFile(part, os.O_WRONLY, 0)
	if err != nil {
		return failure(inside, err)
	}
	err = errors.Join(keepMode(file, old), file.Sync(), file.Close())
	if err == nil {
		err = f.root.Rename(part, inside)
	}
	if err != nil {
		return failure(inside, err)
	}
	return f.settle(path.Dir(inside))
}

// sweep removes the unfinished pieces in a folder, and temporary files of a killed program.
func (f *Folder) sweep(folder string) {
	entries, err := fs.ReadDir(f.root.FS(), folder)
	if err != nil {
		return // the next file tries again
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !oursPattern.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > partAge {
			_ = f.root.Remove(path.Join(folder, e.Name()))
		}
	}
}
