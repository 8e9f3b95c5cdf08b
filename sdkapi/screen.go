package sdkapi

// Paths of the routes that return what stands on a screen. All take POST with
// JSON.
const (
	ScreenElementsPath = "/api/sdk/screen/elements"
	ScreenAtPath       = "/api/sdk/screen/at"
	ScreenDiffPath     = "/api/sdk/screen/diff"
)

// DefaultMaxElements is how many elements a list holds that asks for no number.
const DefaultMaxElements = 200

// Element is something on a screen: a button, a field, an icon, a text, or what
// holds others.
type Element struct {
	ID     string   `json:"id" doc:"The element's place on its image, from 0; what holds others comes before them." example:"12"`
	Parent *string  `json:"parent" doc:"The id of what it is in; null for none." example:"3"`
	Role   string   `json:"role" example:"button"`
	Label  string   `json:"label,omitempty" doc:"What is written in it, or beside it." example:"Search"`
	Icon   string   `json:"icon,omitempty" doc:"What its icon most likely is." example:"magnifier"`
	BBox   Box      `json:"bbox"`
	Colors Colors   `json:"colors,omitzero"`
	States []string `json:"states,omitempty" doc:"The states that can be seen." example:"[\"checked\"]"`
}

// Colors are an element's, as far as they are known.
type Colors struct {
	Fill   *Color `json:"fill,omitempty" doc:"Of its face."`
	Border *Color `json:"border,omitempty" doc:"Of the line around it."`
	Ink    *Color `json:"ink,omitempty" doc:"Of its writing or icon."`
}

// Color is a color of a screen.
type Color struct {
	Hex  string `json:"hex" example:"#e8710a"`
	Name string `json:"name" doc:"What people call it." example:"orange"`
}

// ScreenElementsRequest asks what stands on an image. Its filters go together:
// what is listed passes all.
type ScreenElementsRequest struct {
	Image      ImageSource `json:"image"`
	Role       string      `json:"role,omitempty" enum:"button,icon button,link,menu item,tab,field,search box,text area,dropdown,checkbox,radio,toggle,slider,progress bar,avatar,badge,heading,text,icon,image,panel,row,toolbar,sidebar,dialog" doc:"List only what has this role." example:"button"`
	Text       string      `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"List only what has this in its label, in whatever case." example:"search"`
	Region     *Region     `json:"region,omitempty" doc:"List only what has its center in this rectangle, which overlaps the image."`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"2000" default:"200" doc:"The most elements to return."`
	Reading
}

// ScreenElementsResponse lists elements, each after what it is in. The parent
// of one may have been filtered out.
type ScreenElementsResponse struct {
	Image    ImageInfo `json:"image"`
	Elements []Element `json:"elements"`
	Total    int       `json:"total" doc:"How many elements pass the filters, listed or not."`
}

// ScreenAtRequest asks what is at a point of an image.
type ScreenAtRequest struct {
	Image ImageSource `json:"image"`
	X     int         `json:"x" minimum:"0" maximum:"1000000"`
	Y     int         `json:"y" minimum:"0" maximum:"1000000"`
	Reading
}

// ScreenAtResponse is what is at a point.
type ScreenAtResponse struct {
	Image   ImageInfo `json:"image"`
	Point   Point     `json:"point"`
	Color   Color     `json:"color" doc:"Of the pixel."`
	Element *Element  `json:"element,omitempty" doc:"The smallest element that the point is in, if any."`
	Parents []Element `json:"parents" doc:"What that is in, from the nearest on."`
	Row     *Row      `json:"row,omitempty" doc:"The row of text that the point is in, if any."`
	Word    *Word     `json:"word,omitempty" doc:"The word that the point is in, if any."`
}

// DefaultMaxChanges is how many of each kind of change are listed where no
// number is asked for.
const DefaultMaxChanges = 100

// ScreenDiffRequest asks what changed from one image to another of the same
// size.
type ScreenDiffRequest struct {
	Before     ImageSource `json:"before"`
	After      ImageSource `json:"after"`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"200" default:"100" doc:"The most of each kind of change to return."`
	Reading
}

// ScreenDiffResponse lists what changed.
type ScreenDiffResponse struct {
	Before   ImageInfo      `json:"before"`
	After    ImageInfo      `json:"after"`
	Same     bool           `json:"same" doc:"Whether nothing changed, but for a caret that blinks and what smoothing does to a pixel."`
	Share    float64        `json:"share" minimum:"0" maximum:"1" doc:"The part of the image that differs. What moved is a difference too."`
	Regions  []Box          `json:"regions" doc:"What changed and did not move."`
	Moves    []Move         `json:"moves" doc:"What moved, as by scrolling, the largest first."`
	Rows     RowChanges     `json:"rows"`
	Elements ElementChanges `json:"elements" doc:"Less the texts, which rows tells."`
}

// Move is a part whose content moved.
type Move struct {
	BBox Box   `json:"bbox" doc:"Where it is after."`
	By   Point `json:"by" doc:"How far it went: y is negative for what was scrolled down."`
}

// RowChanges are the rows of text that differ.
type RowChanges struct {
	Appeared []Row        `json:"appeared" doc:"Rows of after."`
	Vanished []Row        `json:"vanished" doc:"Rows of before."`
	Changed  []RowChanged `json:"changed"`
	More     int          `json:"more" doc:"How many changes there are besides."`
}

// RowChanged is a row that was replaced by another one.
type RowChanged struct {
	Before Row `json:"before"`
	After  Row `json:"after"`
}

// ElementChanges are the elements that differ.
type ElementChanges struct {
	Appeared []Element        `json:"appeared" doc:"Elements of after."`
	Vanished []Element        `json:"vanished" doc:"Elements of before."`
	Changed  []ElementChanged `json:"changed"`
	More     int              `json:"more" doc:"How many changes there are besides."`
}

// ElementChanged is an element that is in its place and looks otherwise.
type ElementChanged struct {
	Before Element  `json:"before"`
	After  Element  `json:"after"`
	What   []string `json:"what" enum:"role,label,states,color,icon" doc:"What of it changed."`
}
