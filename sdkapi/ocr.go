package sdkapi

import "image"

// Paths of the OCR routes. All take POST with JSON.
const (
	OCRRunPath                = "/api/sdk/ocr/run"
	OCRInspectPath            = "/api/sdk/ocr/inspect"
	OCRFindTextPath           = "/api/sdk/ocr/find-text"
	OCRFindTextCandidatesPath = "/api/sdk/ocr/find-text-candidates"
	OCRResolveTextPath        = "/api/sdk/ocr/resolve-text"
	OCRResolveCandidatePath   = "/api/sdk/ocr/resolve-candidate"
	OCROverlayPath            = "/api/sdk/ocr/overlay"
)

// Defaults of the optional request fields.
const (
	DefaultThreshold  = 0.8
	DefaultMaxResults = 10
)

// ImageSource names the image to look at: exactly one of its fields.
type ImageSource struct {
	ArtifactID  string `json:"artifact_id,omitempty" nullable:"true" doc:"The id of an uploaded image." example:"0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"`
	ImageBase64 string `json:"image_base64,omitempty" nullable:"true" doc:"The image itself (PNG, JPEG, GIF, WebP or BMP), as base64 or as a base64 data URL. A picture whose Exif says that it lies on its side, as those of a phone, is read as it is shown."`
}

// ImageInfo says which image an answer is about. All coordinates of the
// answer are pixels of this image as it is shown, from its top left corner.
type ImageInfo struct {
	SourceID    string  `json:"source_id" doc:"The artifact's id, or inline: and the start of the image's SHA-256."`
	ArtifactID  *string `json:"artifact_id" doc:"The artifact's id; null for an inline image."`
	ContentType string  `json:"content_type" example:"image/png"`
	Width       int     `json:"width" doc:"Pixels of the image as it is shown, which is how its Exif says that it lies. All coordinates are in it." example:"1440"`
	Height      int     `json:"height" doc:"Pixels of the image as it is shown." example:"900"`
}

// Box is a rectangle in pixels; X and Y are its top left corner.
type Box struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Rect returns the box as a rectangle.
func (b Box) Rect() image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.Width, b.Y+b.Height) }

// Point is a pixel.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Reading says how an image is read. Its zero value leaves that to the reader.
// Readers and caches take it as it is: a field added here reaches them all. Its
// fields can be compared, for it is part of what caches go by.
type Reading struct {
	Languages string `json:"languages,omitempty" pattern:"^[A-Za-z_]{3,20}(\\+[A-Za-z_]{3,20}){0,3}$" patternDescription:"up to four languages, as eng or eng+deu" doc:"What the text is read as, by the names of Tesseract's data files; the server's choice by default. A candidate_id is found again in the languages that it was found in." example:"eng+deu"`
}

// Region is a rectangle on an image, in its pixels. It may reach past the
// image's edges.
type Region struct {
	X      int `json:"x" minimum:"-1000000" maximum:"1000000"`
	Y      int `json:"y" minimum:"-1000000" maximum:"1000000"`
	Width  int `json:"width" minimum:"1" maximum:"1000000"`
	Height int `json:"height" minimum:"1" maximum:"1000000"`
}

// Rect returns the region as a rectangle, which is empty for nil: no region.
func (r *Region) Rect() image.Rectangle {
	if r == nil {
		return image.Rectangle{}
	}
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// Narrowing selects one of the places where a text stands: first by
// Region, then by Near, then by Occurrence. Its zero value narrows nothing. What
// matches texts takes it as it is.
type Narrowing struct {
	Region     *Region `json:"region,omitempty" doc:"Look only at what has its center in this rectangle, which overlaps the image."`
	Near       string  `json:"near,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Another text, anywhere on the image. Of matches that are alike the one clearly nearest to it is meant: what is on its line counts as nearer, what is neither on its line nor in its column as farther. Where that text is several times, the nearest counts. Lists show the nearest of equal matches first." example:"Billing"`
	Occurrence int     `json:"occurrence,omitempty" minimum:"1" maximum:"10000" doc:"Of matches that are still alike, the one meant, counted from 1 in reading order. find-text and overlay then answer with it alone; find-text-candidates and the lists of inspect show the others too." example:"2"`
}

// Row is one line or phrase of text on the image.
type Row struct {
	ID          string   `json:"id" doc:"The row's place in reading order, from 0." example:"0"`
	Text        string   `json:"text" example:"Search Amazon"`
	Confidence  float64  `json:"confidence" minimum:"0" maximum:"1" doc:"How sure the reader is of the text." example:"0.99"`
	BBox        Box      `json:"bbox" doc:"The text's box."`
	Center      Point    `json:"center" doc:"The middle of the box: where to click."`
	CandidateID string   `json:"candidate_id,omitempty" doc:"A name for this row that stays the same for the same image. What is no row has none." example:"ocr_deadbeef1234"`
	Score       *float64 `json:"score" minimum:"0" maximum:"1" doc:"How well the row answers the query; null where there was none."`
	Words       []Word   `json:"words,omitzero" doc:"The row's words from left to right."`

	// Readable is nil but for text in a Script that the reader's languages do not have. Its Text is
	// empty and it has no Words: nothing matches it, and its BBox is where it is.
	Readable *bool  `json:"readable,omitempty" doc:"false for text in a script that the reader's languages do not have: its text is empty, and no query matches it. Not there for what is read."`
	Script   Script `json:"script,omitempty" enum:"cjk,right_to_left,other" doc:"Of text that is not readable: cjk is Chinese, Japanese or Korean, right_to_left Arabic or Hebrew, other any other, as Thai."`

	// Distinction is nil but for the candidates of an AMBIGUOUS_MATCH.
	Distinction *Distinction `json:"distinction,omitempty" doc:"What tells this candidate of an AMBIGUOUS_MATCH from the others; there only."`
}

// Script is a family of scripts, as the reader recognises them without reading them.
type Script string

// The scripts.
const (
	ScriptCJK         Script = "cjk" // Chinese, Japanese, Korean
	ScriptRightToLeft Script = "right_to_left"
	ScriptOther       Script = "other"
)

// Unreadable is text in a script that the reader's languages do not have.
type Unreadable struct {
	Script Script `json:"script" enum:"cjk,right_to_left,other"`
	Rows   int    `json:"rows" doc:"How many rows are in it."`
	Advice string `json:"advice" doc:"How to have them read." example:"to read Chinese, Japanese or Korean, send its language in languages, as eng+chi_sim"`
}

// Distinction is what sets a candidate apart from the others. What is the same
// for all of them is left out. Its texts are what to send as near.
type Distinction struct {
	Occurrence int    `json:"occurrence" doc:"What to send as occurrence to mean this candidate."`
	Position   string `json:"position,omitempty" enum:"top left,top,top right,left,center,right,bottom left,bottom,bottom right" doc:"Which ninth of the image it is in."`
	LeftOf     string `json:"left_of,omitempty" doc:"The text after it on its line."`
	RightOf    string `json:"right_of,omitempty" doc:"The text before it on its line."`
	Above      string `json:"above,omitempty" doc:"The text under it."`
	Below      string `json:"below,omitempty" doc:"The text over it." example:"Billing"`
}

// Word is one word of a row.
type Word struct {
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence" minimum:"0" maximum:"1"`
	BBox       Box     `json:"bbox"`
}

// OCRRunRequest asks for all text on an image.
type OCRRunRequest struct {
	Image ImageSource `json:"image"`
	Reading
}

// OCRRunResponse lists all rows in reading order.
type OCRRunResponse struct {
	Image      ImageInfo    `json:"image"`
	Results    []Row        `json:"results"`
	Unreadable []Unreadable `json:"unreadable,omitempty" doc:"What of the results is in a script that the reader's languages do not have. Not there if nothing is."`
}

// OCRTextRequest asks where a text is. It serves find-text,
// find-text-candidates and resolve-text.
type OCRTextRequest struct {
	Image      ImageSource `json:"image"`
	Text       string      `json:"text" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"What to look for." example:"Search Amazon"`
	Threshold  *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"The least score that counts as a match."`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10" doc:"The most rows to return."`
	Reading
	Narrowing
}

// OCRMatchesResponse lists the rows that answer a query, best first.
type OCRMatchesResponse struct {
	Image     ImageInfo `json:"image"`
	Query     string    `json:"query"`
	Threshold float64   `json:"threshold"`
	Matches   []Row     `json:"matches"`
}

// OCRResolveTextResponse holds the one row that answers a query.
type OCRResolveTextResponse struct {
	Image     ImageInfo `json:"image"`
	Query     string    `json:"query"`
	Threshold float64   `json:"threshold"`
	Match     Row       `json:"match"`
}

// OCRResolveCandidateRequest asks for a row by its candidate_id.
type OCRResolveCandidateRequest struct {
	Image       ImageSource `json:"image"`
	CandidateID string      `json:"candidate_id" pattern:"^ocr_[0-9a-f]{12}$" patternDescription:"a candidate_id of an earlier answer, as ocr_deadbeef1234" example:"ocr_deadbeef1234"`
	Reading
}

// OCRResolveCandidateResponse holds that row.
type OCRResolveCandidateResponse struct {
	Image       ImageInfo `json:"image"`
	CandidateID string    `json:"candidate_id"`
	Match       Row       `json:"match"`
}

// OCRInspectRequest asks for everything the other routes return, at once. Near
// and Occurrence go with Text.
type OCRInspectRequest struct {
	Image          ImageSource `json:"image"`
	Text           *string     `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"What to look for; without it only the rows are listed."`
	Threshold      *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"The least score that counts as a match."`
	MaxResults     *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10" doc:"The most matches to return."`
	IncludeOverlay bool        `json:"include_overlay,omitempty" doc:"Whether to draw and store an overlay."`
	ShowLabels     *bool       `json:"show_labels,omitempty" default:"true" doc:"Whether the overlay's boxes are numbered."`
	Reading
	Narrowing
}

// OCRInspectResponse is the observability bundle.
type OCRInspectResponse struct {
	Image           ImageInfo        `json:"image"`
	Query           *string          `json:"query"`
	Threshold       float64          `json:"threshold"`
	Results         []Row            `json:"results" doc:"All rows in reading order; with a region, those in it."`
	RankedMatches   []Row            `json:"ranked_matches" doc:"The best rows for the query, whatever their score."`
	AcceptedMatches []Row            `json:"accepted_matches" doc:"Those whose score meets the threshold."`
	ResolvedMatch   *Row             `json:"resolved_match" doc:"The one row meant, when there is one."`
	ResolutionError *ResolutionError `json:"resolution_error" doc:"Why there is none."`
	Unreadable      []Unreadable     `json:"unreadable,omitempty" doc:"What of the results is in a script that the reader's languages do not have. Not there if nothing is."`
	Overlay         *Overlay         `json:"overlay" doc:"The stored overlay, when asked for."`
}

// ResolutionError is what resolve-text would have answered.
type ResolutionError struct {
	StatusCode int   `json:"status_code" example:"409"`
	Detail     Error `json:"detail"`
}

// ResolverPayload lists what a failed resolution could choose from: rows for a
// text, elements for a description.
type ResolverPayload struct {
	Query      string   `json:"query" doc:"The text, or the description."`
	Threshold  *float64 `json:"threshold,omitempty" doc:"The least score that counts as a match for a text."`
	Candidates []Target `json:"candidates" doc:"Best first: the equal matches, or the nearest misses."`
	Unmet      []string `json:"unmet,omitempty" doc:"The terms of a description that nothing meets."`
}

// OCROverlayRequest asks for a picture of what was read. Without text and
// candidate_id every row is drawn; at most one of the two may be given. Near
// and Occurrence go with Text, and nothing of Narrowing with CandidateID.
type OCROverlayRequest struct {
	Image       ImageSource `json:"image"`
	Text        *string     `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Draw only the rows that match this."`
	CandidateID *string     `json:"candidate_id,omitempty" pattern:"^ocr_[0-9a-f]{12}$" patternDescription:"a candidate_id of an earlier answer, as ocr_deadbeef1234" doc:"Draw only this row."`
	Threshold   *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"The least score that counts as a match."`
	MaxResults  *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10" doc:"The most matches to draw."`
	ShowLabels  *bool       `json:"show_labels,omitempty" default:"true" doc:"Whether the boxes are numbered."`
	Reading
	Narrowing
}

// Overlay is a stored picture with annotations, itself an artifact.
type Overlay struct {
	Image ImageInfo `json:"image" doc:"The image that was annotated."`
	Artifact
	AnnotationCount int `json:"annotation_count" doc:"How many boxes were drawn."`
}
