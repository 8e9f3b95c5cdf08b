package screens

import (
	"bytes"
	"context"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// uploadTool returns the tool that stores a file. Only clients can call it: a model has no files.
func uploadTool(s gateway.Screens) agent.Tool {
	about := agent.Descriptor{
		Name: gateway.UploadTool, Tag: "Artifacts", Risk: agent.Safe, APIOnly: true,
		Description: "Store a file, such as a screenshot, and return the artifact_id that other tools take. Upload each file once.",
	}
	return agent.Func(about, func(ctx context.Context, call agent.Call, in sdkapi.UploadArguments) (sdkapi.Artifact, error) {
		ctx = s.ForCall(ctx, call)
		info, err := keepUpload(ctx, s, in.File)
		if err != nil {
			return sdkapi.Artifact{}, fault.At(err, "arguments.file", "expected a data: URL with base64, or artifact:ID")
		}
		return gateway.DescribeArtifact(ctx, info), nil
	})
}

// keepUpload stores the bytes of the data URL in file. If file is a reference to an artifact, keepUpload returns
// that artifact.
func keepUpload(ctx context.Context, s gateway.Screens, file string) (artifacts.Info, error) {
	store, err := s.StoreOf(ctx)
	if err != nil {
		return artifacts.Info{}, err
	}
	if id, kept := strings.CutPrefix(file, gateway.ArtifactScheme); kept {
		return store.Stat(ctx, id)
	}
	if !strings.HasPrefix(file, gateway.DataScheme) {
		return artifacts.Info{}, fault.New("gateway.upload", sdkapi.ValidationError, "%q is not a file: expected a data: URL with base64, or artifact:ID", plain.Cut(file, 100))
	}
	data, err := gateway.DataOf(file)
	if err != nil {
		return artifacts.Info{}, err
	}
	if len(data) == 0 {
		return artifacts.Info{}, fault.New("gateway.upload", sdkapi.ValidationError, "the file is empty")
	}
	id, kind := artifacts.Sniff(data)
	return store.Put(ctx, id, kind, bytes.NewReader(data))
}
