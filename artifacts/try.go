package artifacts

import (
	"context"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Try checks a store: it stores a small artifact, reads it back and deletes it. This finds a store
// that responds but loses content. If the check fails, the error says what to do.
func Try(ctx context.Context, s Store) error {
	const op, text = "artifacts.Try", "windie doctor"
	id := "doctor-" + uuid.NewString() + ".txt"
	if _, err := s.Put(ctx, id, "text/plain", strings.NewReader(text)); err != nil {
		return err
	}
	got, err := readBack(ctx, s, id)
	if removed := s.Delete(context.WithoutCancel(ctx), id); err == nil {
		err = removed
	}
	if err == nil && got != text {
		err = fault.New(op, sdkapi.StorageUnavailable, "the artifact store returns bytes that differ from the stored bytes; use another store")
	}
	return err
}

// readBack returns the content of an artifact, at most SniffLen bytes.
func readBack(ctx context.Context, s Store, id string) (string, error) {
	r, _, err := s.Get(ctx, id, 0, -1)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, SniffLen))
	return string(text), err
}
