package gateway

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// v1Said is a message as a client sent it, read and not kept yet: it may be one
// that was sent before.
type v1Said struct {
	name  string // of the client's for it; empty for none
	parts []v1Piece
}

// v1Piece is a part of it: a text, or a picture.
type v1Piece struct {
	text    string
	picture *picture
}

// v1Read reads a message.
func (s *Server) v1Read(ctx context.Context, m sdkapi.V1Message) (v1Said, error) {
	said := v1Said{name: m.ID}
	words := false
	for i, p := range m.Parts {
		switch {
		case p.Type == "image":
			read, err := s.picture(ctx, sdkapi.ImageSource{ArtifactID: p.ArtifactID, ImageBase64: p.ImageBase64}, fmt.Sprintf("body.message.parts[%d]", i))
			if err != nil {
				return said, err
			}
			said.parts = append(said.parts, v1Piece{picture: read})
		case p.Text != "":
			said.parts, words = append(said.parts, v1Piece{text: p.Text}), true
		}
	}
	if !words {
		return said, fault.New("gateway.v1", sdkapi.ValidationError, "the message says nothing").At("body.message.parts", "expected a part with text")
	}
	return said, nil
}

// v1Keep makes the parts of a message those of a session, for which the pictures
// that came with it are kept.
func (s *Server) v1Keep(ctx context.Context, pieces []v1Piece) ([]session.Part, error) {
	parts := make([]session.Part, len(pieces))
	for i, p := range pieces {
		if p.picture == nil {
			parts[i] = session.Part{Text: p.text}
			continue
		}
		if err := p.picture.keep(ctx); err != nil {
			return nil, err
		}
		parts[i] = session.Part{Artifact: p.picture.id}
	}
	return parts, nil
}

// v1SameParts reports whether a message says what one of a session says. Of
// pictures the bytes count: those that come with a message have no id that they
// would have again.
func (s *Server) v1SameParts(ctx context.Context, parts []session.Part, pieces []v1Piece) (bool, error) {
	if len(parts) != len(pieces) {
		return false, nil
	}
	for i, p := range pieces {
		same := parts[i].Text == p.text && parts[i].Artifact == ""
		if p.picture != nil && parts[i].Artifact != "" {
			var err error
			if same, err = p.picture.is(ctx, parts[i].Artifact); err != nil {
				return false, err
			}
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
