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

// files are the files that a client over stdio may name: files below its roots, and below the
// folders of the command line. A nil *files allows no file: a client over HTTP may run on another
// machine.
type files struct {
	folders []string // from the command line

	mu    sync.Mutex
	known bool     // the client has sent its roots, or supports none
	roots []string // from the client
}

// errNoRoots is the error for a file that a client names before it has sent its roots.
var errNoRoots = errors.New("the client has not listed its roots")

// rootsInputID is the key of the request for roots in a result's InputRequests.
const rootsInputID = "roots"

// learn stores the roots that req contains. For a client without support for roots it records that
// there are none.
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

// forget discards the client's roots after a change, so that the next call asks for them again.
func (f *files) forget() {
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.known, f.roots = false, nil
	}
}

// askForRoots returns the result for a call that names a file before the roots are known. The
// client sends its roots and repeats the call.
func askForRoots() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{rootsInputID: &mcp.ListRootsParams{}}}
}

// pathOf returns the cleaned path of a file URL or of a path.
func pathOf(text string) string {
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		text = filepath.FromSlash(u.Path)
	}
	return filepath.Clean(text)
}

// read returns the content of a file of up to most bytes; f must not be nil. It never follows a
// link out of a folder. It fails with errNoRoots if the client must send its roots first, and with
// PERMISSION_DENIED for a file outside all folders.
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

// errTooLarge is readWithin's error for a file over its limit.
var errTooLarge = errors.New("the file is too large")

// readWithin reads a regular file below folder, of up to most bytes.
func readWithin(folder, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name) // before Open, which would block on a pipe without a writer
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

// rootsChanged handles the notification that a client's roots have changed.
func rootsChanged(ctx context.Context, _ *mcp.RootsListChangedRequest) {
	if caller, ok := ctx.Value(callerKey{}).(*caller); ok {
		caller.files.forget()
	}
}
