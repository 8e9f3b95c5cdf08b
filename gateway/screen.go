package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/sdkapi"
)

// maxImageBody bounds a JSON body that may hold an image: base64 of the
// largest one, and room for everything else.
const maxImageBody = perception.MaxImageBytes/3*4 + 64<<10

// Fields of the image input, as errors name them.
const (
	imageField    = "body.image"
	artifactField = "body.image.artifact_id"
	base64Field   = "body.image.image_base64"

	languagesField = "body.languages"
)

// screens finds the images that requests and tools name, and answers what is
// asked about them.
type screens struct {
	store  artifacts.Store
	finder *ground.Finder
}

// screen is an image named in a request.
type screen struct {
	source perception.Source
	info   sdkapi.ImageInfo // without what only the image itself tells
	field  string           // where the request names it
}

// screenOf finds the image that in names. Its bytes are read later, and only
// if nothing is known of them yet.
func (s screens) screenOf(ctx context.Context, in sdkapi.ImageSource) (screen, error) {
	switch {
	case in.ArtifactID == "" && in.ImageBase64 == "", in.ArtifactID != "" && in.ImageBase64 != "":
		return screen{}, fault.New("gateway.image", sdkapi.ValidationError, "name exactly one image: artifact_id or image_base64").
			At(imageField, "expected exactly one of artifact_id and image_base64")
	case in.ImageBase64 != "":
		return inlineScreen(in.ImageBase64)
	case !artifacts.ValidID(in.ArtifactID):
		return screen{}, fault.New("gateway.image", sdkapi.ValidationError, "artifact_id is not an id").
			At(artifactField, "expected an artifact_id, as a name with an extension and no path")
	}
	return s.storedScreen(ctx, in.ArtifactID)
}

func inlineScreen(encoded string) (screen, error) {
	data, err := decodeBase64(encoded)
	if err != nil {
		return screen{}, fault.New("gateway.image", sdkapi.ValidationError, "image_base64 is not base64").
			At(base64Field, "expected base64, or a data URL with base64 after the comma").Because(err)
	}
	source := perception.SourceOf(data)
	return screen{source: source, info: sdkapi.ImageInfo{SourceID: "inline:" + source.SHA256[:16]}, field: base64Field}, nil
}

// decodeBase64 reads base64 with or without padding, plain or behind the head
// of a data URL (RFC 2397).
func decodeBase64(s string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		head, content, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(head, ";base64") {
			return nil, errors.New("a data URL without base64")
		}
		s = content
	}
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(s), "="))
}

func (s screens) storedScreen(ctx context.Context, id string) (screen, error) {
	store, err := s.storeOf(ctx)
	if err != nil {
		return screen{}, err
	}
	info, err := store.Stat(ctx, id)
	if err != nil {
		return screen{}, unknownAt(err, artifactField)
	}
	if info.Size > perception.MaxImageBytes {
		return screen{}, fault.New("gateway.image", sdkapi.PayloadTooLarge, "the artifact has %d bytes; images of at most %d are read",
			info.Size, perception.MaxImageBytes).At(artifactField, "expected an image of at most %d bytes", perception.MaxImageBytes)
	}
	read := func(ctx context.Context) ([]byte, error) {
		r, _, err := store.Get(ctx, id, 0, -1)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		data := make([]byte, info.Size)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, fault.New("gateway.image", sdkapi.StorageUnavailable, "the artifact could not be read; try again").Because(err)
		}
		return data, nil
	}
	return screen{
		source: perception.Source{SHA256: info.SHA256, Read: read},
		info:   sdkapi.ImageInfo{SourceID: id, ArtifactID: &id},
		field:  artifactField,
	}, nil
}

// scene returns the image that in names and what is known of it, read in
// languages.
func (s screens) scene(ctx context.Context, in sdkapi.ImageSource, languages string) (screen, *perception.Scene, error) {
	sc, err := s.screenOf(ctx, in)
	if err != nil {
		return sc, nil, err
	}
	sc.source.Languages = languages
	scene, err := s.read(ctx, sc.source)
	if err != nil {
		return sc, nil, sc.blame(err)
	}
	sc.info.ContentType, sc.info.Width, sc.info.Height = scene.ContentType, scene.Width, scene.Height
	return sc, scene, nil
}

// sized returns the image that in names and how large it is. Nothing on it is
// read, but its caller is charged for it: it will be drawn on.
func (s screens) sized(ctx context.Context, in sdkapi.ImageSource) (screen, error) {
	sc, err := s.screenOf(ctx, in)
	if err != nil {
		return sc, err
	}
	data, err := sc.source.Read(ctx)
	if err != nil {
		return sc, err
	}
	header, err := perception.DecodeHeader(data)
	if err != nil {
		return sc, sc.blame(err)
	}
	if q := requestOf(ctx).quota; q != nil {
		if err := q.takeScreen(data); err != nil {
			return sc, err
		}
	}
	sc.source = perception.SourceOf(data)
	sc.info.ContentType, sc.info.Width, sc.info.Height = header.ContentType, header.Width, header.Height
	return sc, nil
}

// blame adds the request's field to an error that is about the image itself, or
// the languages to read it in.
func (sc screen) blame(err error) error {
	switch fault.CodeOf(err) {
	case sdkapi.InvalidImage, sdkapi.PayloadTooLarge:
		return at(err, sc.field, "expected a whole "+perception.Formats+" within the limits")
	case sdkapi.ValidationError:
		return at(err, languagesField, "expected languages that the reader has")
	}
	return err
}
