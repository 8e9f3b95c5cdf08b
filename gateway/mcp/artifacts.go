package mcp

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// maxMCPArtifact is the maximum size of an artifact that is read as a resource, in bytes. The whole
// artifact is in one message, which base64 makes a third longer.
const maxMCPArtifact = 8 << 20

// artifactTemplate shows clients the URI format of artifacts. The artifacts themselves are not
// listed.
var artifactTemplate = &mcp.ResourceTemplate{
	Name: "artifact", Title: "Artifact", URITemplate: sdkapi.ArtifactURI + "{id}",
	Description: "A stored file, such as a screenshot, by its artifact_id.",
}

// readArtifact returns the content of an artifact that the caller may see.
func (m *server) readArtifact(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, _, end := work(ctx, req)
	defer end()
	content, err := m.artifact(ctx, strings.TrimPrefix(req.Params.URI, sdkapi.ArtifactURI))
	if fault.CodeOf(err) == sdkapi.ArtifactNotFound {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, errors.New(m.core.Failure(ctx, err).Error())
	}
	content.URI = req.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
}

// artifact reads an artifact into a resource: as text if it is text in UTF-8, otherwise as base64.
// It fails with PAYLOAD_TOO_LARGE above maxMCPArtifact.
func (m *server) artifact(ctx context.Context, id string) (*mcp.ResourceContents, error) {
	store, err := m.core.StoreOf(ctx)
	if err != nil {
		return nil, err
	}
	r, info, err := store.Get(ctx, id, 0, maxMCPArtifact)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if info.Size > maxMCPArtifact {
		return nil, fault.New("gateway.mcp", sdkapi.PayloadTooLarge, "the artifact has %d bytes; the limit for one message is %d; download it from %s",
			info.Size, maxMCPArtifact, gateway.RequestOf(ctx).Base+sdkapi.ArtifactsPath+id)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	content := &mcp.ResourceContents{MIMEType: info.ContentType}
	if strings.HasPrefix(info.ContentType, "text/") && utf8.Valid(raw) {
		content.Text = string(raw)
	} else {
		content.Blob = raw
	}
	return content, nil
}
