//go:build system

package hosted_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// What users keep can be listed and deleted by them and by nobody else, is bounded, and once
// deleted is gone on all gateways.
func TestKept(t *testing.T) {
	t.Parallel()
	quotas := []string{"WINDIE_QUOTA_ITEMS=3", "WINDIE_QUOTA_BYTES=48000"}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		listAndDelete(t, append(quotas, "WINDIE_DATA_DIR="+t.TempDir()))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		listAndDelete(t, append(quotas, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_DATABASE_URL="+pgtest.Start(t)))
	})
}

func listAndDelete(t *testing.T, variables []string) {
	url := rig.Hosted(t, variables...).URL
	client := func() *sdk.Client {
		out, _ := command(t, variables, "user", "create")
		out, _ = command(t, variables, "token", "create", strings.TrimSpace(string(out)), "--json")
		var made token
		if err := json.Unmarshal(out, &made); err != nil {
			t.Fatal(err)
		}
		c, err := sdk.New(url, sdk.WithToken(made.InstallToken), sdk.WithUser(made.UserID))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	k := keeping{ada: client(), eve: client()}
	t.Run("Artifacts", k.artifacts)
	t.Run("Prompts", k.prompts)
	t.Run("Sessions", k.sessions)
	t.Run("Memory", k.memory)
}

type keeping struct{ ada, eve *sdk.Client }

// wantError fails unless err has a code.
func wantError(t *testing.T, what string, err error, code sdkapi.Code) sdkapi.Error {
	t.Helper()
	var e *sdkapi.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return *e
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (k keeping) artifacts(t *testing.T) {
	ctx := t.Context()
	var ids []string
	for range 3 {
		ids = append(ids, must[*sdkapi.Artifact](t)(k.ada.UploadArtifact(ctx, "a", strings.NewReader("hers"))).ArtifactID)
	}
	_, err := k.ada.UploadArtifact(ctx, "a", strings.NewReader("hers"))
	full := wantError(t, "one artifact too many", err, sdkapi.QuotaExceeded)
	if q := full.Details.Quota; q == nil || *q != (sdkapi.QuotaUsage{What: "artifacts", Used: 3, Limit: 3}) || full.Status != http.StatusInsufficientStorage || !strings.Contains(full.Message, "DELETE") {
		t.Errorf("one artifact too many: %d %+v %q", full.Status, full.Details.Quota, full.Message)
	}
	first := must[*sdkapi.ArtifactList](t)(k.ada.ListArtifacts(ctx, "", 2))
	rest := must[*sdkapi.ArtifactList](t)(k.ada.ListArtifacts(ctx, first.Next, 2))
	if len(first.Artifacts) != 2 || len(rest.Artifacts) != 1 || rest.Next != "" || rest.Artifacts[0].ArtifactID != ids[0] || rest.Artifacts[0].SizeBytes != 4 || rest.Artifacts[0].ExpiresAt == nil {
		t.Errorf("pages: %+v, %+v", first, rest)
	}
	if a := must[*sdkapi.Artifact](t)(k.ada.KeepArtifact(ctx, ids[0], true)); a.ExpiresAt != nil {
		t.Errorf("a kept artifact expires at %v", a.ExpiresAt)
	}
	if list := must[*sdkapi.ArtifactList](t)(k.ada.ListArtifacts(ctx, first.Next, 2)); !list.Artifacts[0].Keep {
		t.Error("the list does not say that it is kept")
	}
	if a := must[*sdkapi.Artifact](t)(k.ada.KeepArtifact(ctx, ids[0], false)); a.ExpiresAt == nil || !a.ExpiresAt.Equal(*rest.Artifacts[0].ExpiresAt) {
		t.Errorf("an artifact that is kept no longer expires at %v, before at %v", a.ExpiresAt, rest.Artifacts[0].ExpiresAt)
	}
	if list := must[*sdkapi.ArtifactList](t)(k.eve.ListArtifacts(ctx, "", 2)); len(list.Artifacts) != 0 {
		t.Errorf("another user lists %+v", list)
	}
	wantError(t, "another user deletes", k.eve.DeleteArtifact(ctx, ids[0]), sdkapi.ArtifactNotFound)
	_, err = k.eve.KeepArtifact(ctx, ids[0], true)
	wantError(t, "another user keeps", err, sdkapi.ArtifactNotFound)
	if err := k.ada.DeleteArtifact(ctx, ids[0]); err != nil {
		t.Fatal(err)
	}
	_, _, err = k.ada.OpenArtifact(ctx, ids[0])
	wantError(t, "a deleted artifact", err, sdkapi.ArtifactNotFound)
	wantError(t, "deleted again", k.ada.DeleteArtifact(ctx, ids[0]), sdkapi.ArtifactNotFound)
	if _, err := k.ada.UploadArtifact(ctx, "a", strings.NewReader("hers")); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// say sends a prompt, and returns its id once it has ended.
func (k keeping) say(t *testing.T, conversation string) (id string, err error) {
	t.Helper()
	for e, err := range k.ada.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "hello", ConversationID: conversation}) {
		if err != nil {
			return "", err
		}
		if e.Created != nil {
			id = e.Created.PromptID
		}
	}
	return id, nil
}

func (k keeping) prompts(t *testing.T) {
	ctx := t.Context()
	id := must[string](t)(k.say(t, ""))
	wantError(t, "another user deletes", k.eve.Prompts.Delete(ctx, id), sdkapi.PromptNotFound)
	if err := k.ada.Prompts.Delete(ctx, id); err != nil {
		t.Fatal(err)
	}
	_, err := k.ada.Prompts.Get(ctx, id)
	wantError(t, "a deleted prompt", err, sdkapi.PromptNotFound)
	wantError(t, "deleted again", k.ada.Prompts.Delete(ctx, id), sdkapi.PromptNotFound)
	var made sdkapi.ConversationID
	res := must[*sdkapi.ToolResult](t)(k.ada.Tools.Invoke(ctx, sdkapi.ConversationCreate, json.RawMessage(`{}`)))
	if err := json.Unmarshal(res.Result, &made); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		id = must[string](t)(k.say(t, made.ID))
	}
	_, err = k.say(t, made.ID)
	if q := wantError(t, "a prompt too many", err, sdkapi.QuotaExceeded).Details.Quota; q == nil || q.Used != 6 || q.What != "prompts" {
		t.Errorf("a prompt too many: %+v", q)
	}
	wantError(t, "a prompt of a conversation", k.ada.Prompts.Delete(ctx, id), sdkapi.PromptInConversation)
	_, err = k.eve.Prompts.DeleteConversation(ctx, made.ID)
	wantError(t, "another user deletes", err, sdkapi.ConversationNotFound)
	if n, err := k.ada.Prompts.DeleteConversation(ctx, made.ID); n != 6 || err != nil {
		t.Fatalf("the conversation had %d prompts, %v", n, err)
	}
	_, err = k.ada.Prompts.Get(ctx, id)
	wantError(t, "a prompt of a deleted conversation", err, sdkapi.PromptNotFound)
	_, err = k.ada.Prompts.DeleteConversation(ctx, made.ID)
	wantError(t, "deleted again", err, sdkapi.ConversationNotFound)
	if list := must[*sdkapi.PromptList](t)(k.ada.Prompts.List(ctx, sdk.PromptQuery{})); len(list.Prompts) != 0 {
		t.Errorf("after that there are %+v", list)
	}
	if _, err := k.say(t, ""); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func (k keeping) sessions(t *testing.T) {
	ctx := t.Context()
	var ids []string
	for range 3 {
		ids = append(ids, must[*sdkapi.V1Session](t)(k.ada.General.Begin(ctx, sdkapi.V1SessionRequest{})).GeneralSessionID)
	}
	var listed []string
	for after, more := "", true; more; more = after != "" {
		page := must[*sdkapi.V1SessionList](t)(k.ada.General.Sessions(ctx, after, 2))
		for _, s := range page.Sessions {
			listed = append(listed, s.GeneralSessionID)
		}
		after = page.Next
	}
	for _, id := range ids {
		if len(listed) != 3 || !strings.Contains(strings.Join(listed, " "), id) {
			t.Errorf("listed are %q, want %q", listed, ids)
		}
	}
	if list := must[*sdkapi.V1SessionList](t)(k.eve.General.Sessions(ctx, "", 2)); len(list.Sessions) != 0 {
		t.Errorf("another user lists %+v", list)
	}
	wantError(t, "another user deletes", k.eve.General.Delete(ctx, ids[0]), sdkapi.SessionNotFound)
	if err := k.ada.General.Delete(ctx, ids[0]); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deleted again", k.ada.General.Delete(ctx, ids[0]), sdkapi.SessionNotFound)
	if list := must[*sdkapi.V1SessionList](t)(k.ada.General.Sessions(ctx, "", 20)); len(list.Sessions) != 2 {
		t.Errorf("after that there are %+v", list)
	}
}

func (k keeping) memory(t *testing.T) {
	ctx := t.Context()
	for _, target := range []string{"long_term", "daily"} {
		if _, err := k.ada.General.Remember(ctx, sdkapi.V1MemoryWrite{Target: target, Content: "tea"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := k.ada.General.Remember(ctx, sdkapi.V1MemoryWrite{Target: "daily", Content: strings.Repeat("tea ", 1000)})
	if q := wantError(t, "too much memory", err, sdkapi.QuotaExceeded).Details.Quota; q == nil || q.Limit != 3000 || q.Used < 20 {
		t.Errorf("too much memory: %+v", q)
	}
	files := must[*sdkapi.V1MemoryFiles](t)(k.ada.General.MemoryFiles(ctx))
	if len(files.Files) != 2 || files.Files[0].SizeBytes == 0 || files.Files[0].ModifiedAt.IsZero() {
		t.Fatalf("files: %+v", files)
	}
	path := files.Files[0].Path
	wantError(t, "another user deletes", k.eve.General.DeleteMemoryFile(ctx, path), sdkapi.MemoryNotFound)
	wantError(t, "a path out of the folder", k.ada.General.DeleteMemoryFile(ctx, "../"+path), sdkapi.MemoryNotFound)
	if err := k.ada.General.DeleteMemoryFile(ctx, path); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deleted again", k.ada.General.DeleteMemoryFile(ctx, path), sdkapi.MemoryNotFound)
	for _, want := range []int64{1, 0} {
		if n, err := k.ada.General.DeleteMemory(ctx); n != want || err != nil {
			t.Errorf("DeleteMemory: %d files, %v; want %d", n, err, want)
		}
	}
}
