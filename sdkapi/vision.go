package sdkapi

// Paths of the routes that find things by description. All take POST with JSON.
const (
	VisionLocatePath    = "/api/sdk/vision/locate"
	VisionLocateAllPath = "/api/sdk/vision/locate-all"
	VisionDescribePath  = "/api/sdk/vision/describe"
	VisionOverlayPath   = "/api/sdk/vision/overlay"

	VisionResolveCandidatePath = "/api/sdk/vision/resolve-candidate"
)

// Offline is the name of the provider in responses for which no model was needed.
const Offline = "offline"

// VisionLocateRequest has an image and a description. It asks for the one target that matches the
// description.
type VisionLocateRequest struct {
	Image       ImageSource `json:"image"`
	Description string      `json:"description" minLength:"1" maxLength:"1000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"The target in words: its kind, text, color, state and place. At most 1000 bytes." example:"orange search button on the right side of the search bar"`
	Region      *Region     `json:"region,omitempty" doc:"Part of the image to search. Its top left corner must be on the image. The part is trimmed to the image. Coordinates in the results are those of the whole image."`
	Reading
}

// VisionLocateAllRequest asks for all targets that a description may match, best first.
type VisionLocateAllRequest struct {
	VisionLocateRequest
	MaxResults *int `json:"max_results,omitempty" minimum:"1" maximum:"100" default:"10"`
}

// VisionLocateResult holds the one target that a description matches.
type VisionLocateResult struct {
	Image       ImageInfo `json:"image"`
	Description string    `json:"description"`
	Found
	Point Point  `json:"point" doc:"Where to click."`
	Match Target `json:"match"`
}

// VisionLocateAllResult lists the targets that a description may match, best first. It has one
// target, several targets that match about equally well, or no target.
type VisionLocateAllResult struct {
	Image       ImageInfo `json:"image"`
	Description string    `json:"description"`
	Found
	Matches []Target `json:"matches"`
	Unmet   []string `json:"unmet,omitempty" doc:"Terms of the description that the first element in \"nearest\" does not meet. Absent if there are matches."`
	Nearest []Target `json:"nearest,omitempty" doc:"Elements that fit best, at most 5, the best first. Absent if there are matches."`
}

// VisionResolveCandidateRequest asks for an element by its id.
type VisionResolveCandidateRequest struct {
	Image ImageSource `json:"image"`
	ID    string      `json:"id" pattern:"^[0-9]{1,9}$" patternDescription:"the id of an element of an earlier answer, such as 12" doc:"Id of an element in an earlier response about the same image, for example of a candidate." example:"12"`
	Reading
}

// VisionResolveCandidateResult holds the element of a VisionResolveCandidateRequest.
type VisionResolveCandidateResult struct {
	Image ImageInfo `json:"image"`
	ID    string    `json:"id"`
	Point Point     `json:"point" doc:"Where to click."`
	Match Target    `json:"match"`
}

// Found says which provider found a target.
type Found struct {
	Provider string    `json:"provider" doc:"Name of the vision model that answered, or \"offline\" if no model answered." example:"offline"`
	Fallback *Fallback `json:"fallback,omitempty" doc:"Why the vision model's answer was not used."`
}

// Fallback says why the answer of a vision model was not used.
type Fallback struct {
	Code    Code   `json:"code" example:"TIMEOUT"`
	Message string `json:"message"`
}

// Target is a possible match of a description. It is usually an element: its text is the element's
// label, and its center is the element's click point. If a model points to a place without an
// element, the target's box is a single pixel at that place. If the target is a candidate for a
// text, only the fields of its Row are set.
type Target struct {
	Row
	Element  *Element   `json:"element,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty" doc:"How well the target meets each term of the description."`
	Line     string     `json:"line,omitempty" doc:"The target in one line of text, for a reader who chooses among several." example:"icon button, trash, in the row of \"Boris\""`
	Hint     string     `json:"hint,omitempty" doc:"Words to add to the description to choose this target." example:"the second from the top"`
}

// Evidence says how well an element matches one term of a description.
type Evidence struct {
	Term string  `json:"term" example:"orange"`
	Met  float64 `json:"met" minimum:"0" maximum:"1"`
	By   string  `json:"by,omitempty" doc:"Property that meets the term. Absent if no property meets it." example:"fill orange"`
}

// VisionDescribeRequest asks for the contents of an image, or of a part of it.
type VisionDescribeRequest struct {
	Image  ImageSource `json:"image"`
	Region *Region     `json:"region,omitempty" doc:"Part of the image to describe. Its top left corner must be on the image. The part is trimmed to the image."`
	Reading
}

// VisionDescribeResult lists the contents of an image, or of the requested part of the image. All
// coordinates are relative to that part.
type VisionDescribeResult struct {
	Image       ImageInfo `json:"image" doc:"The image. If the request has a region, width and height are the size of the region."`
	Region      *Box      `json:"region,omitempty" doc:"The described part of the image. Its x and y are 0, because coordinates are relative to the part."`
	CroppedFrom *Box      `json:"cropped_from,omitempty" doc:"Position and size of the described part on the whole image."`
	Description string    `json:"description" doc:"Summary of the screen, written by the vision model or made from the lists."`
	Found
	Theme    string           `json:"theme,omitempty" enum:"light,dark"`
	Colors   []DescribedColor `json:"colors" doc:"Background colors, largest first."`
	Regions  []DescribedPart  `json:"regions" doc:"Parts of the screen, containers first."`
	Headings []DescribedLine  `json:"headings"`
	Controls []Control        `json:"controls" doc:"Elements to click or type into, in reading order."`
	Text     []DescribedLine  `json:"text" doc:"All text, in reading order."`
	More     DescribedMore    `json:"more" doc:"Number of items that the lists omit."`
}

// DescribedColor is a color and its share of the image.
type DescribedColor struct {
	Color
	Share float64 `json:"share" minimum:"0" maximum:"1"`
}

// DescribedPart is a part of a screen. Each part has its own purpose.
type DescribedPart struct {
	Kind    string `json:"kind" enum:"header,footer,sidebar,dialog,toolbar,table,list,form,main"`
	BBox    Box    `json:"bbox"`
	Title   string `json:"title,omitempty"`
	Color   *Color `json:"color,omitempty" doc:"Color of the background."`
	Parent  *int   `json:"parent" doc:"Index (in regions) of the region that contains this region. Null if no region contains it."`
	Rows    int    `json:"rows,omitempty" doc:"Number of rows in a table, or number of items in a list."`
	Columns int    `json:"columns,omitempty"`
}

// DescribedLine is a line of text.
type DescribedLine struct {
	Text   string `json:"text"`
	BBox   Box    `json:"bbox"`
	Region *int   `json:"region" doc:"Index (in regions) of the region that contains this line. Null if no region contains it."`
}

// Control is an element that a user can act on.
type Control struct {
	ID     string   `json:"id" doc:"Element id." example:"12"`
	Role   string   `json:"role" example:"button"`
	Label  string   `json:"label,omitempty"`
	Icon   string   `json:"icon,omitempty"`
	States []string `json:"states,omitempty"`
	Color  string   `json:"color,omitempty" doc:"Most noticeable color of the element." example:"orange"`
	BBox   Box      `json:"bbox"`
	Center Point    `json:"center" doc:"Where to click."`
	Region *int     `json:"region" doc:"Index (in regions) of the region that contains this control. Null if no region contains it."`
}

// DescribedMore counts the entries that a description leaves out.
type DescribedMore struct {
	Regions  int `json:"regions"`
	Controls int `json:"controls"`
	Text     int `json:"text"`
}

// VisionOverlayRequest asks for a picture with marked points and regions. It has at least one mark
// and at most MaxOverlayMarks marks.
type VisionOverlayRequest struct {
	Image      ImageSource     `json:"image"`
	Points     []OverlayPoint  `json:"points,omitempty" maxItems:"1000" doc:"Points to draw. Each point must lie on the image."`
	Regions    []OverlayRegion `json:"regions,omitempty" maxItems:"1000" doc:"Regions to draw. Each region must lie on the image."`
	ShowLabels *bool           `json:"show_labels,omitempty" default:"true"`
}

// MaxOverlayMarks bounds the marks of an overlay; beyond it: 422 VALIDATION_ERROR.
const MaxOverlayMarks = 1000

// OverlayPoint is a point to mark.
type OverlayPoint struct {
	X     int    `json:"x" minimum:"0" maximum:"1000000"`
	Y     int    `json:"y" minimum:"0" maximum:"1000000"`
	Label string `json:"label,omitempty" maxLength:"200" doc:"Label of the point (default: its number)."`
}

// OverlayRegion is a rectangle to mark.
type OverlayRegion struct {
	Region
	Label string `json:"label,omitempty" maxLength:"200" doc:"Label of the region (default: its number). Regions are numbered after the points."`
}
