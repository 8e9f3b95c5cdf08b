package sdk

import (
	"context"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// The methods that list and delete what is kept need WithKey locally. What is deleted is gone
// with all of its content. Deleting what is not there fails with a 404, save in another try, where the answer to
// the one before was lost.

// ListArtifacts lists a user's artifacts, the newest first: the page behind after, which is the
// Next of the page before, of at most limit.
func (c *Client) ListArtifacts(ctx context.Context, after string, limit int) (*sdkapi.ArtifactList, error) {
	return get[sdkapi.ArtifactList](ctx, c, withQuery(sdkapi.ArtifactsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// DeleteArtifact deletes an artifact.
func (c *Client) DeleteArtifact(ctx context.Context, id string) error {
	_, err := remove(ctx, c, artifactPath(id))
	return err
}

// KeepArtifact marks an artifact to be kept until it is deleted, or takes the mark away.
func (c *Client) KeepArtifact(ctx context.Context, id string, keep bool) (*sdkapi.Artifact, error) {
	method := http.MethodDelete
	if keep {
		method = http.MethodPut
	}
	return read[sdkapi.Artifact](c.call(safe(ctx), method, sdkapi.KeepPath(url.PathEscape(id)), nil, nil)) //nolint:bodyclose // read closes it
}

// Delete deletes a prompt that belongs to no conversation.
func (p *Prompts) Delete(ctx context.Context, prompt string) error {
	_, err := remove(ctx, p.client, promptPath(prompt, ""))
	return err
}

// DeleteConversation deletes a conversation with its prompts, and returns how many those were.
func (p *Prompts) DeleteConversation(ctx context.Context, conversation string) (prompts int64, err error) {
	return remove(ctx, p.client, sdkapi.ConversationsPath+"/"+url.PathEscape(conversation))
}

// Sessions lists a user's sessions, by their ids: the page behind after, of at most limit.
func (g *General) Sessions(ctx context.Context, after string, limit int) (*sdkapi.V1SessionList, error) {
	return get[sdkapi.V1SessionList](ctx, g.client, withQuery(sdkapi.V1SessionsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Delete deletes a session.
func (g *General) Delete(ctx context.Context, session string) error {
	_, err := remove(ctx, g.client, sdkapi.V1SessionsPath+"/"+url.PathEscape(session))
	return err
}

// Remember adds an entry to a user's memory.
func (g *General) Remember(ctx context.Context, in sdkapi.V1MemoryWrite) (*sdkapi.V1MemoryWritten, error) {
	return post[sdkapi.V1MemoryWritten](ctx, g.client, sdkapi.V1MemoryWritePath, in)
}

// Recall searches a user's memory, in files of a kind (empty: all), for at most limit passages (0: the gateway's choice).
func (g *General) Recall(ctx context.Context, q, kind string, limit int) (*sdkapi.V1MemoryResults, error) {
	return get[sdkapi.V1MemoryResults](ctx, g.client, withQuery(sdkapi.V1MemorySearchPath, map[string]string{"q": q, "kind": kind, "limit": limitOf(limit)}))
}

// Passage returns lines of a file of a user's memory, from the first to the last; 0 is the file's own.
func (g *General) Passage(ctx context.Context, path string, first, last int) (*sdkapi.V1MemoryPassage, error) {
	return get[sdkapi.V1MemoryPassage](ctx, g.client, withQuery(sdkapi.V1MemoryGetPath, map[string]string{"path": path, "line_start": limitOf(first), "line_end": limitOf(last)}))
}

// MemoryFiles lists the files of a user's memory.
func (g *General) MemoryFiles(ctx context.Context) (*sdkapi.V1MemoryFiles, error) {
	return get[sdkapi.V1MemoryFiles](ctx, g.client, sdkapi.V1MemoryFilesPath)
}

// EditMemory puts other lines in place of some of a file's. It fails with MemoryChanged if these are not as they were read.
func (g *General) EditMemory(ctx context.Context, edit sdkapi.V1MemoryEdit) (*sdkapi.V1MemoryWritten, error) {
	return put[sdkapi.V1MemoryWritten](ctx, g.client, sdkapi.V1MemoryFilesPath, edit)
}

// MemoryHistory lists what was changed of a file of a user's memory, the newest first, at most limit (0: the gateway's choice).
func (g *General) MemoryHistory(ctx context.Context, path string, limit int) (*sdkapi.V1MemoryHistory, error) {
	return get[sdkapi.V1MemoryHistory](ctx, g.client, withQuery(sdkapi.V1MemoryHistoryPath, map[string]string{"path": path, "limit": limitOf(limit)}))
}

// DeleteMemoryFile deletes one file of a user's memory.
func (g *General) DeleteMemoryFile(ctx context.Context, path string) error {
	_, err := remove(ctx, g.client, withQuery(sdkapi.V1MemoryFilesPath, map[string]string{"path": path}))
	return err
}

// DeleteMemory deletes all of a user's memory, and returns how many files those were.
func (g *General) DeleteMemory(ctx context.Context) (files int64, err error) {
	return remove(ctx, g.client, sdkapi.V1MemoryPath)
}
