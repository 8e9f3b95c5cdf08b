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

// A model cannot type out a picture. So in place of an image an MCP client may give a text: an
// artifact, a data URL or, over pipes, a file of the machine that both run on. Bytes are kept as
// an artifact, once for each picture: the tool is called with its id, and so may be the next one.

// The name in tools' schemas of the object that names an image, and the schemas of
// the texts that clients may give in place of an image or a file.
const (
	imageSchema = "ImageSource"
	imageText   = `{"type":"string","description":"artifact:ID, a data: URL with base64 or, over stdio, the absolute path ` +
		`of an image in your client's roots."}`
	fileText = `{"type":"string","description":"A data: URL with base64 or, over stdio, the absolute path of a file in ` +
		`your client's roots."}`
)

// maxInline is how much base64 a call may hold, in bytes, before what it stands
// for is kept and named instead: arguments are bounded.
const maxInline = 256 << 10

// fileScheme begins the URI of a file on the client's machine.
const fileScheme = "file://"

// withTexts returns the schema of a tool's arguments in which an image is a text, and the names of the arguments that are
// images. The object that HTTP has is taken too, but not shown: no model types base64, each schema would cost more, and
// some clients make of a choice between a text and an object the object alone.
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
	delete(defs, imageSchema) // images are arguments, and nothing within one
	schema = edited(d.Input, root, "properties", properties)
	return edited(schema, root, "$defs", defs), images
}

// reads decodes an argument into v, and reports whether it has v's type. The tool's
// schema explains a wrong type better than a decoder's error.
func reads(argument json.RawMessage, v any) bool { return json.Unmarshal(argument, v) == nil }

// edited returns a schema with another member in its root, or without the member if it is empty.
func edited(schema json.RawMessage, root map[string]json.RawMessage, name string, member map[string]json.RawMessage) json.RawMessage {
	var err1, err2 error
	if root[name], err1 = json.Marshal(member); len(member) == 0 {
		delete(root, name)
	}
	changed, err2 := json.Marshal(root)
	if errors.Join(err1, err2) != nil {
		return schema // not reached: it was read from JSON
	}
	return changed
}

// named returns the arguments of a call with each image as an ImageSource. files are
// those that the client may name.
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
			return nil, fault.At(err, "arguments."+name, "expected artifact:ID, a data: URL or, over stdio, the path of an image")
		}
	}
	if d.Name == gateway.UploadTool {
		id, err := m.file(ctx, given["file"], files)
		if err == nil && id != "" {
			err = put("file", gateway.ArtifactScheme+id)
		}
		if err != nil {
			return nil, fault.At(err, "arguments.file", "expected a data: URL or, over stdio, the path of a file")
		}
	}
	if !changed {
		return arguments, nil
	}
	return json.Marshal(given)
}

// image returns the replacement of an argument that names an image; nil if the argument stays.
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

// artifactOf returns the id that a text names an artifact by.
func artifactOf(text string) (id string, ok bool) {
	for _, scheme := range []string{gateway.ArtifactScheme, sdkapi.ArtifactURI} {
		if id, ok = strings.CutPrefix(text, scheme); ok {
			return id, true
		}
	}
	return text, artifacts.ValidID(text)
}

// file keeps a file that is too large to be an argument, or that a path names,
// and returns the artifact's id; empty if the argument stays.
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

// handed returns what a data URL holds, or a file of the client's.
func (m *server) handed(ctx context.Context, text string, files *files, most int64) ([]byte, error) {
	switch {
	case strings.HasPrefix(text, gateway.DataScheme):
		data, err := gateway.DataOf(text)
		if err == nil && int64(len(data)) > most {
			err = fault.New("gateway.mcp", sdkapi.PayloadTooLarge, "the data: URL contains %d bytes; the limit is %d", len(data), most)
		}
		return data, err
	case (filepath.IsAbs(text) || strings.HasPrefix(text, fileScheme)) && files == nil:
		return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "only windie mcp over stdio can read files; upload this one and send the artifact_id of the response: %s", m.uploads(ctx, pathOf(text)))
	case filepath.IsAbs(text), strings.HasPrefix(text, fileScheme):
		return files.read(text, most)
	}
	return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "%q is not valid: expected artifact:ID, a data: URL or, over stdio, an absolute path", plain.Cut(text, 100))
}

// uploads returns the command that uploads a file of the client's.
func (m *server) uploads(ctx context.Context, path string) string {
	token := ""
	if m.hosted {
		token = `-H "Authorization: Bearer YOUR_TOKEN" `
	}
	quoted := "'" + strings.ReplaceAll(plain.Cut(path, 500), "'", `'\''`) + "'"
	return "curl " + token + "-F file=@" + quoted + " " + gateway.RequestOf(ctx).Base + sdkapi.ArtifactsPath
}

// keptBytes bounds what is known of the pictures that were kept.
const keptBytes = 1 << 20

// keep stores what a client handed over for the caller, and returns the id of
// the artifact. What was kept before, and is still there, is not kept again.
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

// picture returns the picture that a tool of the gateway's answered with, for clients
// to show; nil if there is no picture, or it is too large for a message.
func (m *server) picture(ctx context.Context, answer json.RawMessage) []mcp.Content {
	var made sdkapi.Artifact
	if json.Unmarshal(answer, &made) != nil || made.ArtifactID == "" || !strings.HasPrefix(made.ContentType, "image/") || made.SizeBytes > maxMCPArtifact {
		return nil
	}
	content, err := m.artifact(ctx, made.ArtifactID)
	if err != nil {
		return nil // the answer names it, and it can be read as a resource
	}
	return []mcp.Content{&mcp.ImageContent{MIMEType: content.MIMEType, Data: content.Blob}}
}
