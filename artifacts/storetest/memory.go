package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Memory is a store for tests. It works like any other artifacts.Store, but holds the content in
// memory. The zero value is empty and ready to use.
type Memory struct {
	mu     sync.RWMutex
	stored map[string]object
}

type object struct {
	info artifacts.Info
	data []byte // never modified
}

var _ artifacts.Store = (*Memory)(nil)

// Put implements artifacts.Store.
func (m *Memory) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "storetest.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", id)
	}
	var data bytes.Buffer
	info, _, err := artifacts.Receive(ctx, &data, r)
	if err != nil {
		return artifacts.Info{}, fmt.Errorf("%s: %w", op, err)
	}
	info.ID, info.ContentType = id, contentType
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.stored[id]; taken {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "the artifact %q already exists and was not changed; choose another id", id)
	}
	if m.stored == nil {
		m.stored = map[string]object{}
	}
	m.stored[id] = object{info, data.Bytes()}
	return info, nil
}

// Stat implements artifacts.Store.
func (m *Memory) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	o, err := m.find(ctx, "storetest.Stat", id)
	return o.info, err
}

// Get implements artifacts.Store.
func (m *Memory) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "storetest.Get"
	o, err := m.find(ctx, op, id)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	if offset < 0 || offset > o.info.Size {
		return nil, artifacts.Info{}, fault.New(op, sdkapi.RangeNotSatisfiable, "the artifact has only %d bytes, but the requested range begins at byte %d; request an earlier range", o.info.Size, offset)
	}
	part := o.data[offset:]
	if length >= 0 {
		part = part[:min(length, int64(len(part)))]
	}
	return io.NopCloser(&reader{ctx, bytes.NewReader(part)}), o.info, nil
}

// Delete implements artifacts.Store.
func (m *Memory) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.stored, id)
	return nil
}

// Ready implements artifacts.Store. It fails only if ctx has ended.
func (m *Memory) Ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// find returns a stored artifact. It fails with ARTIFACT_NOT_FOUND, or if ctx has ended. op is for the error.
func (m *Memory) find(ctx context.Context, op, id string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, fault.From(err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	o, ok := m.stored[id]
	if !ok {
		return object{}, artifacts.NotFound(op, id)
	}
	return o, nil
}

// reader reads r until ctx ends. After that it fails, even at the end of r.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if ended := r.ctx.Err(); ended != nil {
		return 0, ended
	}
	return n, err
}
