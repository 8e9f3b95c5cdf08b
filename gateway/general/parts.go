package general

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// said is a client's message before its images are stored. They are stored later because the
// message may be a repetition.
type said struct {
	name  string // the client's id of the message; empty for none
	parts []piece
}

// piece is a part of a message: a text or an image.
type piece struct {
	text    string
	picture *gateway.Picture
}

// readParts parses a message and checks its images. It stores nothing.
func (s *door) readParts(ctx context.Context, m sdkapi.V1Message) (said, error) {
	said := said{name: m.ID}
	words := false
	for i, p := range m.Parts {
		switch {
		case p.Type == "image":
			read, err := s.Core.Picture(ctx, sdkapi.ImageSource{ArtifactID: p.ArtifactID, ImageBase64: p.ImageBase64}, fmt.Sprintf("body.message.parts[%d]", i))
			if err != nil {
				return said, err
			}
			said.parts = append(said.parts, piece{picture: read})
		case p.Text != "":
			said.parts, words = append(said.parts, piece{text: p.Text}), true
		}
	}
	if !words {
		return said, fault.New("gateway.v1", sdkapi.ValidationError, "the message is empty: it must contain text").At("body.message.parts", "expected a part with text")
	}
	return said, nil
}

// keepParts converts the parts of a message to a session's and stores the images.
func (s *door) keepParts(ctx context.Context, pieces []piece) ([]session.Part, error) {
	parts := make([]session.Part, len(pieces))
	for i, p := range pieces {
		if p.picture == nil {
			parts[i] = session.Part{Text: p.text}
			continue
		}
		if err := p.picture.Keep(ctx); err != nil {
			return nil, err
		}
		parts[i] = session.Part{Artifact: p.picture.ID}
	}
	return parts, nil
}

// sameParts reports whether a message equals one of a session. It compares images by content,
// because each inline image gets a new id.
func (s *door) sameParts(ctx context.Context, parts []session.Part, pieces []piece) (bool, error) {
	if len(parts) != len(pieces) {
		return false, nil
	}
	for i, p := range pieces {
		same := parts[i].Text == p.text && parts[i].Artifact == ""
		if p.picture != nil && parts[i].Artifact != "" {
			var err error
			if same, err = p.picture.Is(ctx, parts[i].Artifact); err != nil {
				return false, err
			}
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
