package owned

import (
	"context"
	"io"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Damaged returns how often a reader met a damaged artifact since Open.
func (s *Store) Damaged() int64 { return s.damaged.Load() }

// noteDamage logs and counts a failure to read an artifact, if damage is why.
func (s *Store) noteDamage(ctx context.Context, id string, err error) {
	if fault.CodeOf(err) == sdkapi.ArtifactDamaged {
		s.damaged.Add(1)
		s.opts.Log.ErrorContext(ctx, "an artifact is damaged, and was not handed out; restore it from a backup", slog.String("artifact", id), slog.Any("err", err))
	}
}

// noting is a store's reader, whose damage is noted.
type noting struct {
	io.ReadCloser
	of *Store
	id string
}

// Read implements io.Reader.
func (n *noting) Read(p []byte) (int, error) {
	read, err := n.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		n.of.noteDamage(context.Background(), n.id, err)
	}
	return read, err
}

// WriteTo implements io.WriterTo, by the reader's own way where it has one.
func (n *noting) WriteTo(w io.Writer) (int64, error) {
	to, ok := n.ReadCloser.(io.WriterTo)
	if !ok {
		return io.Copy(w, struct{ io.Reader }{n}) // whose Read notes
	}
	sent, err := to.WriteTo(w)
	if err != nil {
		n.of.noteDamage(context.Background(), n.id, err)
	}
	return sent, err
}
