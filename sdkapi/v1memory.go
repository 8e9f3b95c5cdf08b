package sdkapi

// V1MemoryWrite is the body of V1MemoryWritePath.
type V1MemoryWrite struct {
	GeneralSessionID string `json:"general_session_id,omitempty" maxLength:"256" doc:"Session that adds the entry, if any. The entry contains the session's name, and the session receives warnings."`
	Target           string `json:"target" enum:"long_term,daily" doc:"long_term for lasting facts, daily for events."`
	Content          string `json:"content" minLength:"1" maxLength:"65536" doc:"Text to remember, in Markdown, at most 65,536 bytes."`
}

// V1MemoryEdit is the body of PUT V1MemoryFilesPath.
type V1MemoryEdit struct {
	Path      string `json:"path" minLength:"1" maxLength:"1024" doc:"Path of the file, from the list." example:"memory/MEMORY.md"`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1" doc:"Number of the first line to replace, from 1."`
	Was       string `json:"was" maxLength:"65536" doc:"Current text of the lines to replace, including the line breaks, at most 65,536 bytes."`
	Text      string `json:"text" maxLength:"65536" doc:"The new text, at most 65,536 bytes."`
}

// V1MemoryWritten is the response of V1MemoryWritePath.
type V1MemoryWritten struct {
	Path    string `json:"path" doc:"The file that contains the entry." example:"memory/MEMORY.md"`
	Warning string `json:"warning,omitempty" doc:"Warning, for example that a file is too long."`
}

// V1MemoryResults is the response of V1MemorySearchPath.
type V1MemoryResults struct {
	Results  []V1MemoryResult `json:"results" doc:"Matching passages, best first."`
	Fallback *Fallback        `json:"fallback,omitempty" doc:"Why the search compared only words. Absent if it also compared meanings, or if the gateway never compares meanings."`
}

// V1MemoryResult is one passage that matches a search.
type V1MemoryResult struct {
	Path      string  `json:"path" example:"memory/2026-02-11.md"`
	Kind      string  `json:"kind" enum:"long_term,daily,other"`
	Excerpt   string  `json:"excerpt" doc:"Text of the passage."`
	LineStart int     `json:"line_start" doc:"First line of the passage, from 1."`
	LineEnd   int     `json:"line_end" doc:"Last line of the passage."`
	Score     float64 `json:"score" doc:"Score of the passage. A higher score is better. Scores of two searches are not comparable."`
}

// V1MemoryPassage is the response of V1MemoryGetPath.
type V1MemoryPassage struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	LineStart int    `json:"line_start"`
	LineEnd   int    `json:"line_end"`
	Lines     int    `json:"lines" doc:"Number of lines in the file."`
	Truncated bool   `json:"truncated,omitempty" doc:"Whether the file continues after line_end."`
}
