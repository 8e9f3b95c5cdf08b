package sdk

import (
	"context"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// The methods that list and delete stored data need WithKey on a local gateway. A deletion removes
// all content for good. Deleting something absent fails with a 404, except in a retry after a lost
// response.

// ListArtifacts returns one page of a user's artifacts, newest first, with at most limit artifacts.
// The parameter after is the Next of the previous page. It is empty for the first page.
func (c *Client) ListArtifacts(ctx context.Context, after string, limit int) (*sdkapi.ArtifactList, error) {
	return get[sdkapi.ArtifactList](ctx, c, withQuery(sdkapi.ArtifactsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// DeleteArtifact deletes an artifact. An unknown id fails with ArtifactNotFound.
func (c *Client) DeleteArtifact(ctx context.Context, id string) error {
	_, err := remove(ctx, c, artifactPath(id))
	return err
}

// KeepArtifact sets or clears the mark that exempts an artifact from automatic deletion.
func (c *Client) KeepArtifact(ctx context.Context, id string, keep bool) (*sdkapi.Artifact, error) {
	method := http.MethodDelete
	if keep {
		method = http.MethodPut
	}
	return read[sdkapi.Artifact](c.call(safe(ctx), method, sdkapi.KeepPath(url.PathEscape(id)), nil, nil)) //nolint:bodyclose // read closes it
}

// Delete deletes a prompt that belongs to no conversation. For a prompt of a conversation, it fails
// with PromptInConversation.
func (p *Prompts) Delete(ctx context.Context, prompt string) error {
	_, err := remove(ctx, p.client, promptPath(prompt, ""))
	return err
}

// DeleteConversation deletes a conversation with its prompts, and returns the number of prompts.
func (p *Prompts) DeleteConversation(ctx context.Context, conversation string) (prompts int64, err error) {
	return remove(ctx, p.client, sdkapi.ConversationsPath+"/"+url.PathEscape(conversation))
}

// Sessions returns one page of a user's sessions, sorted by id, with at most limit sessions. The
// parameter after is the Next of the previous page. It is empty for the first page.
func (g *General) Sessions(ctx context.Context, after string, limit int) (*sdkapi.V1SessionList, error) {
	return get[sdkapi.V1SessionList](ctx, g.client, withQuery(sdkapi.V1SessionsPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// Delete deletes a session. An unknown id fails with SessionNotFound.
func (g *General) Delete(ctx context.Context, session string) error {
	_, err := remove(ctx, g.client, sdkapi.V1SessionsPath+"/"+url.PathEscape(session))
	return err
}

// Remember adds an entry to the user's memory.
func (g *General) Remember(ctx context.Context, in sdkapi.V1MemoryWrite) (*sdkapi.V1MemoryWritten, error) {
	return post[sdkapi.V1MemoryWritten](ctx, g.client, sdkapi.V1MemoryWritePath, in)
}

// Recall searches the user's memory for q and returns at most limit passages. If limit is 0, the
// gateway chooses the number. kind limits the search to one kind of files; if it is empty, Recall
// searches all files.
func (g *General) Recall(ctx context.Context, q, kind string, limit int) (*sdkapi.V1MemoryResults, error) {
	return get[sdkapi.V1MemoryResults](ctx, g.client, withQuery(sdkapi.V1MemorySearchPath, map[string]string{"q": q, "kind": kind, "limit": limitOf(limit)}))
}

// Passage returns lines of a file of the user's memory. The parameters first and last are the
// numbers of the first and the last line to return. A 0 means the first or the last line of the
// file.
func (g *General) Passage(ctx context.Context, path string, first, last int) (*sdkapi.V1MemoryPassage, error) {
	return get[sdkapi.V1MemoryPassage](ctx, g.client, withQuery(sdkapi.V1MemoryGetPath, map[string]string{"path": path, "line_start": limitOf(first), "line_end": limitOf(last)}))
}

// MemoryFiles lists the files of the user's memory.
func (g *General) MemoryFiles(ctx context.Context) (*sdkapi.V1MemoryFiles, error) {
	return get[sdkapi.V1MemoryFiles](ctx, g.client, sdkapi.V1MemoryFilesPath)
}

// EditMemory replaces lines of a memory file. It fails with MemoryChanged if the lines have changed
// since the caller read them.
func (g *General) EditMemory(ctx context.Context, edit sdkapi.V1MemoryEdit) (*sdkapi.V1MemoryWritten, error) {
	return put[sdkapi.V1MemoryWritten](ctx, g.client, sdkapi.V1MemoryFilesPath, edit)
}

// MemoryHistory lists at most limit changes of a memory file, newest first. If limit is 0, the
// gateway chooses the number.
func (g *General) MemoryHistory(ctx context.Context, path string, limit int) (*sdkapi.V1MemoryHistory, error) {
	return get[sdkapi.V1MemoryHistory](ctx, g.client, withQuery(sdkapi.V1MemoryHistoryPath, map[string]string{"path": path, "limit": limitOf(limit)}))
}

// DeleteMemoryFile deletes one file of the user's memory. An unknown path fails with
// MemoryNotFound.
func (g *General) DeleteMemoryFile(ctx context.Context, path string) error {
	_, err := remove(ctx, g.client, withQuery(sdkapi.V1MemoryFilesPath, map[string]string{"path": path}))
	return err
}

// DeleteMemory deletes all of the user's memory and returns the number of deleted files.
func (g *General) DeleteMemory(ctx context.Context) (files int64, err error) {
	return remove(ctx, g.client, sdkapi.V1MemoryPath)
}
