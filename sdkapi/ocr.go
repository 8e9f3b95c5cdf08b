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

// ImageSource names an image. Exactly one field is set.
type ImageSource struct {
	ArtifactID  string `json:"artifact_id,omitempty" nullable:"true" doc:"artifact_id of an uploaded image. Send either this or image_base64." example:"0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"`
	ImageBase64 string `json:"image_base64,omitempty" nullable:"true" doc:"PNG, JPEG, GIF, WebP or BMP, as base64 or a base64 data URL."`
}

// ImageInfo identifies the image of a response. All coordinates in the response are pixels of this
// image as displayed, from its top left corner.
type ImageInfo struct {
	SourceID    string  `json:"source_id" doc:"The artifact_id. For an inline image, \"inline:\" followed by the start of the image's SHA-256."`
	ArtifactID  *string `json:"artifact_id" doc:"artifact_id of the image. Null for an inline image."`
	ContentType string  `json:"content_type" example:"image/png"`
	Width       int     `json:"width" doc:"Size in pixels after Exif rotation. Coordinates refer to this size." example:"1440"`
	Height      int     `json:"height" example:"900"`
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

// Point is the position of a pixel.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Reading configures how an image is read. The zero value uses the reader's defaults. All fields
// must be comparable, because a Reading is part of cache keys. Readers and caches pass a Reading on
// unchanged, so a new field reaches all of them.
type Reading struct {
	Languages string `json:"languages,omitempty" pattern:"^[A-Za-z_]{3,20}(\\+[A-Za-z_]{3,20}){0,3}$" patternDescription:"up to four languages, such as eng or eng+deu" doc:"Languages of the text, by their Tesseract names (default: the server's languages)." example:"eng+deu"`
}

// Region is a rectangle on an image, in pixels. It may extend beyond the image's edges.
type Region struct {
	X      int `json:"x" minimum:"-1000000" maximum:"1000000"`
	Y      int `json:"y" minimum:"-1000000" maximum:"1000000"`
	Width  int `json:"width" minimum:"1" maximum:"1000000"`
	Height int `json:"height" minimum:"1" maximum:"1000000"`
}

// Rect returns the region as a rectangle. If the region is nil, the rectangle is empty.
func (r *Region) Rect() image.Rectangle {
	if r == nil {
		return image.Rectangle{}
	}
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// Narrowing selects one of several matches with the same text: first by Region, then by Near, then
// by Occurrence. The zero value selects all matches.
type Narrowing struct {
	Region     *Region `json:"region,omitempty" doc:"Only matches centered in this rectangle, which must overlap the image."`
	Near       string  `json:"near,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"A second text on the image. If several matches are equally good, the gateway chooses the match nearest to this text. If another match is almost as near, the choice stays ambiguous. A match on the same line as this text counts as nearer. Lists of matches begin with the nearest match." example:"Billing"`
	Occurrence int     `json:"occurrence,omitempty" minimum:"1" maximum:"10000" doc:"Number of the match to choose if several matches are equally good. First, region and near exclude matches. The other matches are numbered from 1 in reading order. find-text-candidates and inspect also list the other matches." example:"2"`
}

// Row is one line or phrase of text on the image.
type Row struct {
	ID          string   `json:"id" doc:"Number of the row in reading order, from 0." example:"0"`
	Text        string   `json:"text" example:"Search Amazon"`
	Confidence  float64  `json:"confidence" minimum:"0" maximum:"1" doc:"Probability that the text is right." example:"0.99"`
	BBox        Box      `json:"bbox"`
	Center      Point    `json:"center" doc:"Where to click."`
	CandidateID string   `json:"candidate_id,omitempty" doc:"Id of the row. It is always the same for the same image and languages." example:"ocr_deadbeef1234"`
	Score       *float64 `json:"score" minimum:"0" maximum:"1" doc:"How well the row matches the query. Null without a query."`
	Words       []Word   `json:"words,omitzero" doc:"Words of the row, from left to right."`

	// Readable is nil, except for text in a Script that the reader's languages lack. Such a row has
	// a BBox, but its Text is empty and it has no Words, so nothing matches it.
	Readable *bool  `json:"readable,omitempty" doc:"Whether the requested languages include the row's script. If not, the row has an empty text that never matches."`
	Script   Script `json:"script,omitempty" enum:"cjk,right_to_left,other" doc:"Script of the unreadable text. The value cjk means Chinese, Japanese or Korean."`

	// Distinction is set only for the candidates of an AMBIGUOUS_MATCH.
	Distinction *Distinction `json:"distinction,omitempty" doc:"How this candidate differs from the others. Only with AMBIGUOUS_MATCH."`
}

// Script is a group of writing systems, for example Chinese, Japanese and Korean. A reader
// recognises the script of a text even if it cannot read the text.
type Script string

// The scripts.
const (
	ScriptCJK         Script = "cjk" // the scripts of Chinese, Japanese and Korean
	ScriptRightToLeft Script = "right_to_left"
	ScriptOther       Script = "other"
)

// Unreadable describes the text in a script that none of the reader's languages uses.
type Unreadable struct {
	Script Script `json:"script" enum:"cjk,right_to_left,other"`
	Rows   int    `json:"rows" doc:"Number of rows with unreadable text."`
	Advice string `json:"advice" doc:"How to make the text readable." example:"to read Chinese, Japanese or Korean, send its language in languages, as eng+chi_sim"`
}

// Distinction describes how one candidate differs from the other candidates of an ambiguous match.
// A property that all candidates share is absent. To choose the candidate, a client repeats the
// request with a Narrowing. The Narrowing has the Occurrence of the candidate, or its Near is one of
// the texts near the candidate, for example the text in Below.
type Distinction struct {
	Occurrence int    `json:"occurrence" doc:"Number of the candidate. To choose the candidate, repeat the request with this number as occurrence."`
	Position   string `json:"position,omitempty" enum:"top left,top,top right,left,center,right,bottom left,bottom,bottom right"`
	LeftOf     string `json:"left_of,omitempty" doc:"The candidate is left of this text, on the same line."`
	RightOf    string `json:"right_of,omitempty" doc:"The candidate is right of this text, on the same line."`
	Above      string `json:"above,omitempty" doc:"The candidate is above this text."`
	Below      string `json:"below,omitempty" doc:"The candidate is below this text." example:"Billing"`
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

// OCRRunResult lists all rows in reading order.
type OCRRunResult struct {
	Image      ImageInfo    `json:"image"`
	Results    []Row        `json:"results"`
	Unreadable []Unreadable `json:"unreadable,omitempty" doc:"Text in scripts that none of the requested languages uses. Absent if all text is readable."`
}

// OCRTextRequest asks for the place of a text. It is the body of requests to find-text,
// find-text-candidates and resolve-text.
type OCRTextRequest struct {
	Image      ImageSource `json:"image"`
	Text       string      `json:"text" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Text to find." example:"Search Amazon"`
	Threshold  *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"Minimum score of a match."`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10"`
	Reading
	Narrowing
}

// OCRMatchesResult lists the rows that match a query, best first.
type OCRMatchesResult struct {
	Image     ImageInfo `json:"image"`
	Query     string    `json:"query"`
	Threshold float64   `json:"threshold"`
	Matches   []Row     `json:"matches"`
}

// OCRResolveTextResult holds the one row that matches a query.
type OCRResolveTextResult struct {
	Image     ImageInfo `json:"image"`
	Query     string    `json:"query"`
	Threshold float64   `json:"threshold"`
	Match     Row       `json:"match"`
}

// OCRResolveCandidateRequest asks for a row by its candidate_id.
type OCRResolveCandidateRequest struct {
	Image       ImageSource `json:"image"`
	CandidateID string      `json:"candidate_id" pattern:"^ocr_[0-9a-f]{12}$" patternDescription:"a candidate_id of an earlier answer, such as ocr_deadbeef1234" example:"ocr_deadbeef1234"`
	Reading
}

// OCRResolveCandidateResult holds the row of an OCRResolveCandidateRequest.
type OCRResolveCandidateResult struct {
	Image       ImageInfo `json:"image"`
	CandidateID string    `json:"candidate_id"`
	Match       Row       `json:"match"`
}

// OCRInspectRequest asks for the results of all OCR routes at once. The fields Near and Occurrence
// need Text.
type OCRInspectRequest struct {
	Image          ImageSource `json:"image"`
	Text           *string     `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Text to find. If it is absent, the response only lists rows."`
	Threshold      *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"Minimum score of a match."`
	MaxResults     *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10"`
	IncludeOverlay bool        `json:"include_overlay,omitempty" doc:"Draw and store an overlay."`
	ShowLabels     *bool       `json:"show_labels,omitempty" default:"true" doc:"Draw a number on each box of the overlay."`
	Reading
	Narrowing
}

// OCRInspectResult holds the results of all OCR routes.
type OCRInspectResult struct {
	Image           ImageInfo        `json:"image"`
	Query           *string          `json:"query"`
	Threshold       float64          `json:"threshold"`
	Results         []Row            `json:"results" doc:"Rows in reading order. With a region, only the rows in the region."`
	RankedMatches   []Row            `json:"ranked_matches" doc:"Rows that match the query best, whatever their score."`
	AcceptedMatches []Row            `json:"accepted_matches" doc:"Rows whose score is at least threshold."`
	ResolvedMatch   *Row             `json:"resolved_match" doc:"The single match, or null."`
	ResolutionError *ResolutionError `json:"resolution_error" doc:"Why there is no single match."`
	Unreadable      []Unreadable     `json:"unreadable,omitempty" doc:"Text in scripts that none of the requested languages uses. Absent if all text is readable."`
	Overlay         *Overlay         `json:"overlay" doc:"The stored overlay, or null."`
}

// ResolutionError is the error that resolve-text would return for the same request.
type ResolutionError struct {
	StatusCode int   `json:"status_code" example:"409"`
	Detail     Error `json:"detail"`
}

// ResolverPayload lists the candidates if a request found no match or several matches. The
// candidates for a text are rows. The candidates for a description are elements.
type ResolverPayload struct {
	Query      string   `json:"query" doc:"The text or description to find."`
	Threshold  *float64 `json:"threshold,omitempty" doc:"Minimum score of a text match."`
	Candidates []Target `json:"candidates" doc:"Candidate rows, best first: equal matches, or near misses."`
	Unmet      []string `json:"unmet,omitempty" doc:"Terms of the description that no candidate meets."`
}

// OCROverlayRequest asks for a picture of the image on which rows of text are marked: the rows that
// match Text, the row with CandidateID, or all rows if both are absent. Text and CandidateID must
// not both be set. Near and Occurrence need Text. With CandidateID, Narrowing must be empty.
type OCROverlayRequest struct {
	Image       ImageSource `json:"image"`
	Text        *string     `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Draw only rows that match this text."`
	CandidateID *string     `json:"candidate_id,omitempty" pattern:"^ocr_[0-9a-f]{12}$" patternDescription:"a candidate_id of an earlier answer, such as ocr_deadbeef1234" doc:"Draw only the row with this candidate_id."`
	Threshold   *float64    `json:"threshold,omitempty" minimum:"0" maximum:"1" default:"0.8" doc:"Minimum score of a match."`
	MaxResults  *int        `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10"`
	ShowLabels  *bool       `json:"show_labels,omitempty" default:"true" doc:"Draw a number on each box."`
	Reading
	Narrowing
}

// Overlay is a picture with annotations. The picture is stored as an artifact.
type Overlay struct {
	Image ImageInfo `json:"image" doc:"The original image."`
	Artifact
	AnnotationCount int `json:"annotation_count" doc:"Number of boxes drawn."`
}
