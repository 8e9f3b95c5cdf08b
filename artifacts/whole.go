package artifacts

import (
	"bytes"
	"context"
	"io"
)

// Read returns at most limit bytes from the start of an artifact, and the artifact's description.
func Read(ctx context.Context, store Store, id string, limit int64) ([]byte, Info, error) {
	r, info, err := store.Get(ctx, id, 0, limit)
	if err != nil {
		return nil, info, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return data, info, err
}

// Keep stores data under a new id, with the media type that Sniff detects, and returns the id.
func Keep(ctx context.Context, store Store, data []byte) (id string, err error) {
	id, kind := Sniff(data)
	_, err = store.Put(ctx, id, kind, bytes.NewReader(data))
	return id, err
}
