package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// A model cannot type out an image. So an MCP client may send a text in place of an image: an
// artifact, a data URL or, over stdio, the path of a file. The gateway stores the bytes once for
// each image, as an artifact. It calls the tool with the artifact's id, which the client may use
// again.

// imageSchema is the name of the image object in the schemas of tools. imageText and fileText are
// the schemas of the texts that replace an image and a file.
const (
	imageSchema = "ImageSource"
	imageText   = `{"type":"string","description":"artifact:ID, a data: URL, or, over stdio, the path of a file in your roots."}`
	fileText    = `{"type":"string","description":"A data: URL with base64. Over stdio, also the absolute path of a file in ` +
		`your client's roots."}`
)

// maxInline is the maximum length of a base64 argument that stays in the arguments, in bytes. A
// longer one is stored as an artifact, since the size of arguments is limited.
const maxInline = 256 << 10

// fileScheme is the start of file URLs, for files on the client's machine.
const fileScheme = "file://"

// withTexts returns a tool's input schema with a text for each image, and the names of the image
// arguments. The tool still accepts the image object of the HTTP API, but the schema does not show
// it: no model types base64, each schema would be longer, and some clients reduce a choice between
// text and object to the object.
func withTexts(d agent.Descriptor) (schema json.RawMessage, images []string) {
	var root map[string]json.RawMessage
	var defs, properties map[string]json.RawMessage
	if json.Unmarshal(d.Input, &root) != nil || json.Unmarshal(root["properties"], &properties) != nil {
		return d.Input, nil
	}
	if d.Name == gateway.UploadTool {
		properties["file"] = json.RawMessage(fileText)
		return edited(d.Input, root, "properties", properties), nil
	}
	if d.Origin.Kind != agent.Builtin || json.Unmarshal(root["$defs"], &defs) != nil || defs[imageSchema] == nil {
		return d.Input, nil
	}
	for name, property := range properties {
		var to struct {
			Ref string `json:"$ref"`
		}
		if json.Unmarshal(property, &to) == nil && to.Ref == "#/$defs/"+imageSchema {
			images = append(images, name)
			properties[name] = json.RawMessage(imageText)
		}
	}
	if hasLean(d) {
		properties[detailArgument] = detailSchema
	}
	delete(defs, imageSchema) // no longer referenced: an image is always a whole argument
	schema = edited(d.Input, root, "properties", properties)
	return edited(schema, root, "$defs", defs), images
}

// reads decodes an argument into v and reports success. The caller ignores a wrong type, since the
// tool's schema check explains it better than a decoder's error.
func reads(argument json.RawMessage, v any) bool { return json.Unmarshal(argument, v) == nil }

// edited returns a schema whose root has a new value for the member name. It deletes the member if
// the value is empty.
func edited(schema json.RawMessage, root map[string]json.RawMessage, name string, member map[string]json.RawMessage) json.RawMessage {
	var err1, err2 error
	if root[name], err1 = json.Marshal(member); len(member) == 0 {
		delete(root, name)
	}
	changed, err2 := json.Marshal(root)
	if errors.Join(err1, err2) != nil {
		return schema // unreachable: it was decoded from JSON
	}
	return changed
}

// named returns the arguments of a call with each image as an ImageSource. files are the files that
// the client may name.
func (m *server) named(ctx context.Context, d agent.Descriptor, arguments json.RawMessage, files *files) (json.RawMessage, error) {
	known, _ := m.images.Load(d.Name)
	images, _ := known.([]string)
	var given map[string]json.RawMessage
	if len(images) == 0 && d.Name != gateway.UploadTool || !reads(arguments, &given) {
		return arguments, nil
	}
	changed := false
	put := func(name string, value any) (err error) {
		given[name], err = json.Marshal(value)
		changed = true
		return err
	}
	for _, name := range images {
		source, err := m.image(ctx, given[name], files)
		if err == nil && source != nil {
			err = put(name, source)
		}
		if err != nil {
			return nil, fault.At(err, "arguments."+name, "expected artifact:ID or a data: URL; over stdio, the path of an image is also valid")
		}
	}
	if d.Name == gateway.UploadTool {
		id, err := m.file(ctx, given["file"], files)
		if err == nil && id != "" {
			err = put("file", gateway.ArtifactScheme+id)
		}
		if err != nil {
			return nil, fault.At(err, "arguments.file", "expected a data: URL; over stdio, the path of a file is also valid")
		}
	}
	if !changed {
		return arguments, nil
	}
	return json.Marshal(given)
}

// image returns the ImageSource that replaces an argument, or nil if the argument needs no
// replacement.
func (m *server) image(ctx context.Context, argument json.RawMessage, files *files) (*sdkapi.ImageSource, error) {
	var text string
	if !reads(argument, &text) {
		var source sdkapi.ImageSource
		if len(argument) <= maxInline || !reads(argument, &source) || source.ImageBase64 == "" || source.ArtifactID != "" {
			return nil, nil
		}
		if text = source.ImageBase64; !strings.HasPrefix(text, gateway.DataScheme) {
			text = gateway.DataScheme + ";base64," + text
		}
	}
	if id, ok := artifactOf(text); ok {
		return &sdkapi.ImageSource{ArtifactID: id}, nil
	}
	data, err := m.handed(ctx, text, files, perception.MaxImageBytes)
	if err == nil {
		_, err = perception.DecodeHeader(data)
	}
	if err != nil {
		return nil, err
	}
	id, err := m.keep(ctx, data)
	return &sdkapi.ImageSource{ArtifactID: id}, err
}

// artifactOf returns the artifact id that a text contains: artifact:ID, the resource URI, or the
// bare id.
func artifactOf(text string) (id string, ok bool) {
	for _, scheme := range []string{gateway.ArtifactScheme, sdkapi.ArtifactURI} {
		if id, ok = strings.CutPrefix(text, scheme); ok {
			return id, true
		}
	}
	return text, artifacts.ValidID(text)
}

// file stores the file of an upload that is a path, or too large for an argument. It returns the
// artifact's id, or empty if the argument needs no replacement.
func (m *server) file(ctx context.Context, argument json.RawMessage, files *files) (id string, err error) {
	var text string
	if !reads(argument, &text) || len(text) <= maxInline && strings.HasPrefix(text, gateway.DataScheme) || strings.HasPrefix(text, gateway.ArtifactScheme) {
		return "", nil
	}
	data, err := m.handed(ctx, text, files, m.maxArtifactBytes)
	if err != nil {
		return "", err
	}
	return m.keep(ctx, data)
}

// handed returns the bytes of a data URL or of a client's file, up to most bytes.
func (m *server) handed(ctx context.Context, text string, files *files, most int64) ([]byte, error) {
	switch {
	case strings.HasPrefix(text, gateway.DataScheme):
		data, err := gateway.DataOf(text)
		if err == nil && int64(len(data)) > most {
			err = fault.New("gateway.mcp", sdkapi.PayloadTooLarge, "the data: URL contains %d bytes; the limit is %d", len(data), most)
		}
		return data, err
	case (filepath.IsAbs(text) || strings.HasPrefix(text, fileScheme)) && files == nil:
		return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "only windie mcp over stdio can read files; upload this file and send the artifact_id of the response: %s", m.uploads(ctx, pathOf(text)))
	case filepath.IsAbs(text), strings.HasPrefix(text, fileScheme):
		return files.read(text, most)
	}
	return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "invalid value %q: expected artifact:ID or a data: URL; over stdio, an absolute path is also valid", plain.Cut(text, 100))
}

// uploads returns a curl command that uploads a file of the client's machine.
func (m *server) uploads(ctx context.Context, path string) string {
	token := ""
	if m.hosted {
		token = `-H "Authorization: Bearer YOUR_TOKEN" `
	}
	quoted := "'" + strings.ReplaceAll(plain.Cut(path, 500), "'", `'\''`) + "'"
	return "curl " + token + "-F file=@" + quoted + " " + gateway.RequestOf(ctx).Base + sdkapi.ArtifactsPath
}

// keptBytes is the maximum memory for the ids of stored images, in bytes.
const keptBytes = 1 << 20

// keep stores data for the caller and returns the artifact's id. If the caller's artifact with the
// same data still exists, keep returns that one.
func (m *server) keep(ctx context.Context, data []byte) (string, error) {
	store, err := m.core.StoreOf(ctx)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	key := gateway.RequestOf(ctx).Owner + " " + string(sum[:])
	if id, known := m.kept.Get(key); known {
		if _, err := store.Stat(ctx, id); err == nil {
			return id, nil
		}
	}
	id, err := artifacts.Keep(ctx, store, data)
	if err == nil {
		m.kept.Put(key, id)
	}
	return id, err
}

// picture returns the image that a tool of the gateway produced, as content for clients. It returns
// nil if there is no image, or if it is larger than maxMCPArtifact.
func (m *server) picture(ctx context.Context, answer json.RawMessage) []mcp.Content {
	var made sdkapi.Artifact
	if json.Unmarshal(answer, &made) != nil || made.ArtifactID == "" || !strings.HasPrefix(made.ContentType, "image/") || made.SizeBytes > maxMCPArtifact {
		return nil
	}
	content, err := m.artifact(ctx, made.ArtifactID)
	if err != nil {
		return nil // the answer has the artifact's id, and the client can read it as a resource
	}
	return []mcp.Content{&mcp.ImageContent{MIMEType: content.MIMEType, Data: content.Blob}}
}
