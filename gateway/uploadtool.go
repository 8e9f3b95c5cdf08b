package gateway

import (
	"bytes"
	"context"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// uploadToolName is the tool by which a client that has no other way, as one of
// MCP, hands over a file. Models of conversations have no files of their own and
// are not offered it.
const uploadToolName = "artifact.upload"

func uploadTool(s screens) agent.Tool {
	about := agent.Descriptor{
		Name: uploadToolName, Tag: "Artifacts", Risk: agent.Safe, APIOnly: true,
		Description: "Keeps a file, such as a screenshot, as an artifact that other tools take by its artifact_id. The same screen need be handed over only once.",
	}
	return agent.Func(about, func(ctx context.Context, call agent.Call, in sdkapi.UploadArguments) (sdkapi.Artifact, error) {
		ctx = s.forCall(ctx, call)
		info, err := s.upload(ctx, in.File)
		if err != nil {
			return sdkapi.Artifact{}, fault.At(err, "arguments.file", "expected a data: URL with base64, or artifact:ID")
		}
		return describeArtifact(ctx, info), nil
	})
}

// upload keeps what a data URL holds, or finds what is kept already.
func (s screens) upload(ctx context.Context, file string) (artifacts.Info, error) {
	store, err := s.storeOf(ctx)
	if err != nil {
		return artifacts.Info{}, err
	}
	if id, kept := strings.CutPrefix(file, artifactScheme); kept {
		return store.Stat(ctx, id)
	}
	if !strings.HasPrefix(file, dataScheme) {
		return artifacts.Info{}, fault.New("gateway.upload", sdkapi.ValidationError, "%q is no file", truncate(file, 100))
	}
	data, err := dataOf(file)
	if err != nil {
		return artifacts.Info{}, err
	}
	if len(data) == 0 {
		return artifacts.Info{}, fault.New("gateway.upload", sdkapi.ValidationError, "the file is empty")
	}
	id, kind := artifacts.Sniff(data)
	return store.Put(ctx, id, kind, bytes.NewReader(data))
}
