package mcp

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// files are the files that a client over pipes may name: those in its roots, which
// are folders that it shows, and in folders that the command line names. Nil means
// no files: a client over HTTP may be on another machine.
type files struct {
	folders []string // that the command line names

	mu    sync.Mutex
	known bool     // whether the client was asked for its roots, or has none
	roots []string // that it named
}

// errNoRoots is the error of naming a file before the client has said which folders it shows.
var errNoRoots = errors.New("the client has not listed its roots")

// rootsInputID names the question for a client's roots.
const rootsInputID = "roots"

// learn takes the roots that a client answered with, or that it has none.
func (f *files) learn(req *mcp.CallToolRequest) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	client := req.Session.InitializeParams()
	if client == nil || client.Capabilities == nil || client.Capabilities.RootsV2 == nil {
		f.known = true
		return
	}
	list, ok := req.Params.InputResponses[rootsInputID].(*mcp.ListRootsResult)
	if !ok {
		return
	}
	f.known, f.roots = true, nil
	for _, root := range list.Roots {
		if path := pathOf(root.URI); filepath.IsAbs(path) {
			f.roots = append(f.roots, path)
		}
	}
}

// forget has the client asked for its roots again, which have changed.
func (f *files) forget() {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.known, f.roots = false, nil
	}
}

// askForRoots is the answer to a call that names a file, before the client's
// roots are known: the call comes again with them.
func askForRoots() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{rootsInputID: &mcp.ListRootsParams{}}}
}

// pathOf returns the path that a text has, be it as a file URL.
func pathOf(text string) string {
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		text = filepath.FromSlash(u.Path)
	}
	return filepath.Clean(text)
}

// read returns the content of a file of at most most bytes; f is not nil. No link leads out of a folder.
func (f *files) read(name string, most int64) ([]byte, error) {
	const op = "gateway.mcp"
	f.mu.Lock()
	folders, known := append(append([]string{}, f.folders...), f.roots...), f.known
	f.mu.Unlock()
	path := pathOf(name)
	for _, folder := range folders {
		within, err := filepath.Rel(folder, path)
		if err != nil || !filepath.IsLocal(within) {
			continue
		}
		data, err := readWithin(folder, within, most)
		if errors.Is(err, errTooLarge) {
			return nil, fault.New(op, sdkapi.PayloadTooLarge, "the file %s has more than %d bytes, the limit", plain.Cut(path, 200), most)
		}
		if err != nil {
			return nil, fault.New(op, sdkapi.ValidationError, "the file %s cannot be read; check that it exists and that the gateway's user may read it", plain.Cut(path, 200)).Because(err)
		}
		return data, nil
	}
	if !known {
		return nil, errNoRoots
	}
	return nil, fault.New(op, sdkapi.PermissionDenied, "%s is outside the client's roots and the folders of `windie mcp --root FOLDER`",
		plain.Cut(path, 200))
}

// errTooLarge is readWithin's error for a file over the limit.
var errTooLarge = errors.New("the file is too large")

// readWithin reads a file of at most most bytes below a folder.
func readWithin(folder, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name) // first: opening a pipe waits for a writer
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > most:
		return nil, errTooLarge
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}

// rootsChanged is called when the client over pipes has other roots.
func rootsChanged(ctx context.Context, _ *mcp.RootsListChangedRequest) {
	if caller, ok := ctx.Value(callerKey{}).(*caller); ok {
		caller.files.forget()
	}
}
