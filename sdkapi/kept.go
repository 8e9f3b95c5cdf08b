package sdkapi

import "time"

// Paths of stored data that no protocol's own paths cover. ArtifactsPath, PromptsPath,
// ConversationsPath and V1SessionsPath also take DELETE with an id after them.
const (
	V1MemoryPath = "/v1/memory" // DELETE deletes all memory files of the user
	// GET lists the memory files of the user. PUT edits a file. DELETE deletes the file named by
	// the query parameter "path".
	V1MemoryFilesPath = "/v1/memory/files"

	// GET lists the changes of the memory file named by the query parameter "path".
	V1MemoryHistoryPath = "/v1/memory/history"
)

// KeepPath returns the path of an artifact's mark. PUT sets the mark, which exempts the artifact
// from automatic deletion. DELETE removes the mark.
func KeepPath(id string) string { return ArtifactsPath + id + "/keep" }

// Deleted is the response of routes that delete stored data.
type Deleted struct {
	Deleted bool  `json:"deleted" doc:"Whether the item and all its content were deleted."`
	Removed int64 `json:"removed" doc:"Number of deleted items. For a conversation, it is the number of prompts. For the memory, it is the number of files. Otherwise, it is 1."`
}

// ArtifactList is the response of GET ArtifactsPath.
type ArtifactList struct {
	Artifacts []ArtifactSummary `json:"artifacts" doc:"Artifacts, newest first."`
	Next      string            `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// ArtifactSummary is an artifact in a list.
type ArtifactSummary struct {
	ArtifactID string     `json:"artifact_id"`
	SizeBytes  int64      `json:"size_bytes" doc:"Size in bytes; 0 if an old gateway stored the artifact."`
	URL        string     `json:"url" doc:"Path from which you download the artifact."`
	Keep       bool       `json:"keep" doc:"Whether the artifact is marked to be kept."`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty" doc:"When the artifact expires. Absent if it is stored until somebody deletes it."`
}

// V1SessionList is the response of GET V1SessionsPath.
type V1SessionList struct {
	Sessions []V1SessionSummary `json:"sessions" doc:"Sessions, sorted by id."`
	Next     string             `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// V1SessionSummary is a session in a list.
type V1SessionSummary struct {
	GeneralSessionID string    `json:"general_session_id"`
	UsedAt           time.Time `json:"used_at" doc:"Time of the last event."`
}

// V1MemoryHistory is the response of V1MemoryHistoryPath.
type V1MemoryHistory struct {
	Changes []V1MemoryChange `json:"changes" doc:"Changes, newest first."`
}

// V1MemoryChange is a change of lines of a file.
type V1MemoryChange struct {
	ChangedAt time.Time `json:"changed_at"`
	By        string    `json:"by" enum:"console,client" doc:"Who made the change: a person at the console, or a client."`
	LineStart int       `json:"line_start" doc:"Number of the first changed line, at the time of the change."`
	Was       string    `json:"was" doc:"Text before the change."`
	Text      string    `json:"text" doc:"Text after the change. To undo the change, replace this text with the text in \"was\"."`
}

// V1MemoryFiles is the response of V1MemoryFilesPath.
type V1MemoryFiles struct {
	Files []V1MemoryFile `json:"files" doc:"Files, sorted by path."`
}

// V1MemoryFile is a file of a user's memory.
type V1MemoryFile struct {
	Path       string    `json:"path" example:"memory/MEMORY.md"`
	Kind       string    `json:"kind" enum:"long_term,daily,other"`
	SizeBytes  int64     `json:"size_bytes"`
	ModifiedAt time.Time `json:"modified_at"`
}
