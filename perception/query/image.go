package query

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Images provides the images that requests refer to. Its methods are safe for concurrent use.
type Images interface {
	// Image returns the image that in names. Its Source may load the bytes later. It fails with
	// ValidationError if in does not name exactly one image.
	Image(ctx context.Context, in sdkapi.ImageSource) (Image, error)

	// Keep stores the picture that the reader picture returns, for the caller of ctx. It fails if
	// the reader does, and then stores nothing.
	Keep(ctx context.Context, picture io.Reader) (sdkapi.Artifact, error)
}

// Image is the image that a request refers to.
type Image struct {
	// Source loads the image.
	Source perception.Source
	// Info describes the image. Its type and size are zero until the image is decoded.
	Info sdkapi.ImageInfo
	// Field is the name of the request's field that contains or names the image.
	Field string
}

// measured copies the type and size from the image's header to its Info.
func (i *Image) measured(h perception.Header) {
	i.Info.ContentType, i.Info.Width, i.Info.Height = h.ContentType, h.Width, h.Height
}

// Blame adds the request's field to an error about the image or about its languages. Blame returns
// all other errors unchanged.
func (i Image) Blame(err error) error {
	switch fault.CodeOf(err) {
	case sdkapi.InvalidImage, sdkapi.PayloadTooLarge:
		return fault.At(err, i.Field, "expected a valid "+perception.Formats+" within the limits")
	case sdkapi.ValidationError:
		return fault.At(err, languagesField, "expected only languages that the OCR engine supports")
	}
	return err
}

// Stored implements Images. It provides the images of a store and the images that requests contain.
// Store and Artifact are required.
type Stored struct {
	// Store returns the store of artifacts that the caller in ctx may use.
	Store func(ctx context.Context) (artifacts.Store, error)
	// Artifact returns the form of info that the caller in ctx may see.
	Artifact func(ctx context.Context, info artifacts.Info) sdkapi.Artifact
	// User returns the owner of the work. The work uses this user's share of cores and memory. If
	// User is nil, all callers count as one user.
	User func(ctx context.Context) string
}

var _ Images = Stored{}

// Image implements Images.
func (s Stored) Image(ctx context.Context, in sdkapi.ImageSource) (Image, error) {
	switch {
	case in.ArtifactID == "" && in.ImageBase64 == "", in.ArtifactID != "" && in.ImageBase64 != "":
		return Image{}, fault.New("query.image", sdkapi.ValidationError, "send exactly one image, as artifact_id or as image_base64").
			At(imageField, "expected exactly one of artifact_id and image_base64")
	case in.ImageBase64 != "":
		img, err := inline(in.ImageBase64)
		img.Source.User = s.user(ctx)
		return img, err
	case !artifacts.ValidID(in.ArtifactID):
		return Image{}, fault.New("query.image", sdkapi.ValidationError, "invalid artifact_id").
			At(artifactField, "expected a name with an extension and without a path, such as screen-1.png")
	}
	return s.stored(ctx, in.ArtifactID)
}

// Keep implements Images.
func (s Stored) Keep(ctx context.Context, picture io.Reader) (sdkapi.Artifact, error) {
	store, err := s.Store(ctx)
	if err != nil {
		return sdkapi.Artifact{}, err
	}
	buffered := bufio.NewReaderSize(picture, artifacts.SniffLen)
	head, err := buffered.Peek(artifacts.SniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return sdkapi.Artifact{}, err
	}
	id, contentType := artifacts.Sniff(head)
	info, err := store.Put(ctx, id, contentType, buffered)
	if err != nil {
		return sdkapi.Artifact{}, err
	}
	return s.Artifact(ctx, info), nil
}

// user returns the user who is charged for the work, or "" if all callers share one user.
func (s Stored) user(ctx context.Context) string {
	if s.User == nil {
		return ""
	}
	return s.User(ctx)
}

// inline returns the image in a request. Its SourceID has the first 16 digits of its SHA-256.
func inline(encoded string) (Image, error) {
	data, err := DecodeBase64(encoded)
	if err != nil {
		return Image{}, fault.New("query.image", sdkapi.ValidationError, "image_base64 is not valid base64").
			At(base64Field, "expected base64, or a data URL with base64 after the comma").Because(err)
	}
	source := perception.SourceOf(data)
	return Image{Source: source, Info: sdkapi.ImageInfo{SourceID: "inline:" + source.SHA256[:16]}, Field: base64Field}, nil
}

// DecodeBase64 decodes base64 with or without padding. s may also be a data URL (RFC 2397).
func DecodeBase64(s string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(s, "data:"); ok {
		head, content, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(head, ";base64") {
			return nil, errors.New("the data URL is not in base64")
		}
		s = content
	}
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(s), "="))
}

// stored returns the image in an artifact. It only checks that the artifact exists and is small
// enough; Source loads the content.
func (s Stored) stored(ctx context.Context, id string) (Image, error) {
	store, err := s.Store(ctx)
	if err != nil {
		return Image{}, err
	}
	info, err := store.Stat(ctx, id)
	if fault.CodeOf(err) == sdkapi.ArtifactNotFound {
		return Image{}, fault.At(err, artifactField, "expected the id of a stored artifact")
	}
	if err != nil {
		return Image{}, err
	}
	if info.Size > perception.MaxImageBytes {
		return Image{}, fault.New("query.image", sdkapi.PayloadTooLarge, "the artifact has %d bytes; an image may have at most %d",
			info.Size, perception.MaxImageBytes).At(artifactField, "expected an image of at most %d bytes", perception.MaxImageBytes)
	}
	read := func(ctx context.Context) ([]byte, error) {
		r, _, err := store.Get(ctx, id, 0, -1)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		data := make([]byte, info.Size)
		switch _, err := io.ReadFull(r, data); {
		case fault.CodeOf(err) == sdkapi.ArtifactDamaged:
			return nil, err
		case err != nil:
			return nil, fault.New("query.image", sdkapi.StorageUnavailable, "reading the artifact failed; try again").Because(err)
		}
		return data, nil
	}
	return Image{
		Source: perception.Source{SHA256: info.SHA256, Read: read, Size: info.Size, User: s.user(ctx)},
		Info:   sdkapi.ImageInfo{SourceID: id, ArtifactID: &id},
		Field:  artifactField,
	}, nil
}
