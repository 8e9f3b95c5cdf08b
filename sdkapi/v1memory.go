package sdkapi

// V1MemoryWrite is the body of V1MemoryWritePath.
type V1MemoryWrite struct {
	GeneralSessionID string `json:"general_session_id,omitempty" maxLength:"256" doc:"The session in which it is remembered, if any: the entry names it, and it hears of a warning."`
	Target           string `json:"target" enum:"long_term,daily" doc:"long_term for what stays true, daily for what happened."`
	Content          string `json:"content" minLength:"1" maxLength:"65536" doc:"What to remember, in Markdown, at most 65,536 bytes."`
}

// V1MemoryEdit is the body of PUT V1MemoryFilesPath.
type V1MemoryEdit struct {
	Path      string `json:"path" minLength:"1" maxLength:"1024" doc:"The file, as the list has it." example:"memory/MEMORY.md"`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1" doc:"Where the lines begin, from 1."`
	Was       string `json:"was" maxLength:"65536" doc:"The lines as they were read, with their ends; at most 65,536 bytes."`
	Text      string `json:"text" maxLength:"65536" doc:"What takes their place; at most 65,536 bytes."`
}

// V1MemoryWritten is the response of V1MemoryWritePath.
type V1MemoryWritten struct {
	Path    string `json:"path" doc:"The file that it is in now." example:"memory/MEMORY.md"`
	Warning string `json:"warning,omitempty" doc:"What should be tidied up, if anything."`
}

// V1MemoryResults is the response of V1MemorySearchPath.
type V1MemoryResults struct {
	Results  []V1MemoryResult `json:"results" doc:"The passages that were found, the best first."`
	Fallback *Fallback        `json:"fallback,omitempty" doc:"Why it was searched by words alone, where it is searched by meaning otherwise."`
}

// V1MemoryResult is one passage that matches a search.
type V1MemoryResult struct {
	Path      string  `json:"path" example:"memory/2026-02-11.md"`
	Kind      string  `json:"kind" enum:"long_term,daily,other"`
	Excerpt   string  `json:"excerpt" doc:"What stands there."`
	LineStart int     `json:"line_start" doc:"Its first line, from 1."`
	LineEnd   int     `json:"line_end" doc:"Its last line."`
	Score     float64 `json:"score" doc:"Higher is better, among these results."`
}

// V1MemoryPassage is the response of V1MemoryGetPath.
type V1MemoryPassage struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	LineStart int    `json:"line_start"`
	LineEnd   int    `json:"line_end"`
	Lines     int    `json:"lines" doc:"How many the file has."`
	Truncated bool   `json:"truncated,omitempty" doc:"There is more after line_end."`
}
