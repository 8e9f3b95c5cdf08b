package screens

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// addList adds the routes that list, delete and keep artifacts.
func (s *door) addList() {
	about := func(id, method, below, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: method, Path: sdkapi.ArtifactsPath + below, Tags: []string{"artifacts"}, Security: s.core.AsksForKey(),
			Summary: summary, Description: description, Errors: append(errors, 403, 422, 503),
		}
	}
	gateway.RegisterJSON(s.core, about("list-artifacts", http.MethodGet, "", "List files",
		"Lists the user's artifacts, newest first. A local gateway requires its key."), s.listArtifacts)
	gateway.RegisterJSON(s.core, about("delete-artifact", http.MethodDelete, "{artifact_id}", "Delete a file",
		"Deletes the artifact. A local gateway requires its key.", 404), s.deleteArtifact)
	gateway.RegisterJSON(s.core, about("keep-artifact", http.MethodPut, "{artifact_id}/keep", "Keep a file",
		"The artifact never expires. A local gateway requires its key.", 404), s.keepArtifact)
	gateway.RegisterJSON(s.core, about("unkeep-artifact", http.MethodDelete, "{artifact_id}/keep", "Let a file expire",
		"The artifact expires like other artifacts. If it is older than the retention, it is deleted at once and the response is 404. A local "+
			"gateway requires its key.", 404), s.unkeepArtifact)
}

// artifactPage selects a page of the list.
type artifactPage struct {
	After string `query:"after" maxLength:"300" doc:"Value of \"next\" in the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of items."`
}

// lister returns the caller's artifacts. It fails with FEATURE_UNAVAILABLE if the store cannot list
// them.
func (s *door) lister(ctx context.Context) (artifacts.Lister, error) {
	store, err := s.core.StoreOf(ctx)
	if err != nil {
		return nil, err
	}
	list, ok := store.(artifacts.Lister)
	if !ok {
		return nil, fault.New("gateway.artifacts", sdkapi.FeatureUnavailable, "this gateway's artifact store cannot list artifacts")
	}
	return list, nil
}

// listArtifacts returns a page of the caller's artifacts, newest first.
func (s *door) listArtifacts(ctx context.Context, in *artifactPage) (*sdkapi.ArtifactList, error) {
	list, err := s.lister(ctx)
	if err != nil {
		return nil, err
	}
	page, err := list.List(ctx, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	out := sdkapi.ArtifactList{Artifacts: make([]sdkapi.ArtifactSummary, len(page.Artifacts)), Next: page.Next}
	for i, a := range page.Artifacts {
		known := gateway.DescribeArtifact(ctx, artifacts.Info{ID: a.ID, ExpiresAt: a.ExpiresAt})
		out.Artifacts[i] = sdkapi.ArtifactSummary{ArtifactID: a.ID, SizeBytes: a.Size, URL: known.URL, Keep: a.Kept, CreatedAt: a.CreatedAt, ExpiresAt: known.ExpiresAt}
	}
	return &out, nil
}

// artifactNamed is the artifact id in a path.
type artifactNamed struct {
	ID string `path:"artifact_id" pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\\.[a-z0-9]{1,10}$" patternDescription:"an artifact_id: a name with an extension and without a path" doc:"The artifact's id."`
}

// deleteArtifact deletes an artifact and the cached results of reading it.
func (s *door) deleteArtifact(ctx context.Context, in *artifactNamed) (*sdkapi.Deleted, error) {
	store, err := s.core.StoreOf(ctx)
	if err != nil {
		return nil, err
	}
	info, err := store.Stat(ctx, in.ID)
	if err != nil {
		return nil, unknownAt(err, "path.artifact_id")
	}
	if err := store.Delete(ctx, in.ID); err != nil {
		return nil, err
	}
	s.scenes.ForgetImage(gateway.OwnerOf(ctx), info.SHA256)
	return &sdkapi.Deleted{Deleted: true, Removed: 1}, nil
}

// keepArtifact exempts an artifact from the retention.
func (s *door) keepArtifact(ctx context.Context, in *artifactNamed) (*sdkapi.Artifact, error) {
	return s.mark(ctx, in.ID, true)
}

// unkeepArtifact makes an artifact expire again. It fails with ARTIFACT_NOT_FOUND if the artifact is older than the
// retention, because the store then deletes the artifact at once.
func (s *door) unkeepArtifact(ctx context.Context, in *artifactNamed) (*sdkapi.Artifact, error) {
	return s.mark(ctx, in.ID, false)
}

// mark sets whether an artifact is exempt from the retention, and returns its description.
func (s *door) mark(ctx context.Context, id string, kept bool) (*sdkapi.Artifact, error) {
	list, err := s.lister(ctx)
	if err != nil {
		return nil, err
	}
	info, err := list.Keep(ctx, id, kept)
	if err != nil {
		return nil, unknownAt(err, "path.artifact_id")
	}
	return new(gateway.DescribeArtifact(ctx, info)), nil
}
