package owned

import (
	"context"
	"io"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Damaged returns the number of reads since Open that have found a damaged artifact.
func (s *Store) Damaged() int64 { return s.damaged.Load() }

// noteDamage logs and counts err if it says that an artifact is damaged.
func (s *Store) noteDamage(ctx context.Context, id string, err error) {
	if fault.CodeOf(err) == sdkapi.ArtifactDamaged {
		s.damaged.Add(1)
		s.opts.Log.ErrorContext(ctx, "an artifact is damaged; the gateway did not serve it; restore it from a backup", slog.String("artifact", id), slog.Any("err", err))
	}
}

// noting is a reader of an artifact. It logs and counts damage.
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

// WriteTo implements io.WriterTo. If the underlying reader has a WriteTo, it uses that method.
func (n *noting) WriteTo(w io.Writer) (int64, error) {
	to, ok := n.ReadCloser.(io.WriterTo)
	if !ok {
		return io.Copy(w, struct{ io.Reader }{n}) // Read notes damage
	}
	sent, err := to.WriteTo(w)
	if err != nil {
		n.of.noteDamage(context.Background(), n.id, err)
	}
	return sent, err
}
