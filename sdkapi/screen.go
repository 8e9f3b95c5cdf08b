package sdkapi

// Paths of the routes that list the elements of a screen. All take POST with JSON.
const (
	ScreenElementsPath = "/api/sdk/screen/elements"
	ScreenAtPath       = "/api/sdk/screen/at"
	ScreenDiffPath     = "/api/sdk/screen/diff"
)

// DefaultMaxElements is the maximum number of listed elements if the request sets no maximum.
const DefaultMaxElements = 200

// Element is an element of a screen: a button, a field, an icon, a text, or a container of other
// elements.
type Element struct {
	ID     string   `json:"id" doc:"Number of the element, from 0. Containers come before their content." example:"12"`
	Parent *string  `json:"parent" doc:"Id of the element's container, or null." example:"3"`
	Role   string   `json:"role" example:"button"`
	Label  string   `json:"label,omitempty" doc:"Text in or beside the element." example:"Search"`
	Line   string   `json:"line,omitempty" doc:"The element in one line of text. Absent in a target, which has its own line." example:"field \"E-mail\", empty, under \"Contact\""`
	Icon   string   `json:"icon,omitempty" doc:"Name of the most likely icon." example:"magnifier"`
	BBox   Box      `json:"bbox"`
	Colors Colors   `json:"colors,omitzero"`
	States []string `json:"states,omitempty" example:"[\"checked\"]"`
}

// Colors are the known colors of an element.
type Colors struct {
	Fill   *Color `json:"fill,omitempty" doc:"Color of the background."`
	Border *Color `json:"border,omitempty"`
	Ink    *Color `json:"ink,omitempty" doc:"Color of the text or icon."`
}

// Color is a color of a screen.
type Color struct {
	Hex  string `json:"hex" example:"#e8710a"`
	Name string `json:"name" example:"orange"`
}

// ScreenElementsRequest asks for the elements of an image. The response lists only elements that
// pass all filters.
type ScreenElementsRequest struct {
	Image      ImageSource `json:"image"`
	Role       string      `json:"role,omitempty" enum:"button,icon button,link,menu item,tab,field,search box,text area,dropdown,checkbox,radio,toggle,slider,progress bar,avatar,badge,heading,text,icon,image,panel,row,toolbar,sidebar,dialog" example:"button"`
	Text       string      `json:"text,omitempty" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Only elements whose label contains this text, ignoring case." example:"search"`
	Region     *Region     `json:"region,omitempty" doc:"Only elements centered in this rectangle, which must overlap the image."`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"2000" default:"200"`
	Reading
}

// ScreenElementsResult lists elements. Each element follows the element that contains it, unless
// the filters removed the container.
type ScreenElementsResult struct {
	Image    ImageInfo `json:"image"`
	Elements []Element `json:"elements"`
	Total    int       `json:"total" doc:"Number of elements that pass the filters, including elements that are not listed."`
}

// ScreenAtRequest asks for the elements at a point of an image.
type ScreenAtRequest struct {
	Image ImageSource `json:"image"`
	X     int         `json:"x" minimum:"0" maximum:"1000000"`
	Y     int         `json:"y" minimum:"0" maximum:"1000000"`
	Reading
}

// ScreenAtResult lists the elements at a point.
type ScreenAtResult struct {
	Image   ImageInfo `json:"image"`
	Point   Point     `json:"point"`
	Color   Color     `json:"color" doc:"Color of the pixel."`
	Element *Element  `json:"element,omitempty" doc:"Smallest element at the point."`
	Parents []Element `json:"parents" doc:"Containers of the element, innermost first."`
	Row     *Row      `json:"row,omitempty" doc:"Row of text at the point."`
	Word    *Word     `json:"word,omitempty" doc:"Word at the point."`
}

// DefaultMaxChanges is the maximum number of listed changes of each kind if the request sets no
// maximum.
const DefaultMaxChanges = 100

// ScreenDiffRequest asks for the changes from one image to another of the same size.
type ScreenDiffRequest struct {
	Before     ImageSource `json:"before"`
	After      ImageSource `json:"after"`
	MaxResults *int        `json:"max_results,omitempty" minimum:"1" maximum:"200" default:"100" doc:"Maximum number of changes of each kind."`
	Reading
}

// ScreenDiffResult lists the changes.
type ScreenDiffResult struct {
	Before   ImageInfo      `json:"before"`
	After    ImageInfo      `json:"after"`
	Same     bool           `json:"same" doc:"Whether nothing changed. A blinking caret and the smoothing of edges do not count as changes."`
	Share    float64        `json:"share" minimum:"0" maximum:"1" doc:"Fraction of the image's area that differs, from 0 to 1. It includes moved areas."`
	Regions  []Box          `json:"regions" doc:"Areas that changed without moving."`
	Moves    []Move         `json:"moves" doc:"Areas that moved, for example because of scrolling, largest first."`
	Rows     RowChanges     `json:"rows"`
	Elements ElementChanges `json:"elements" doc:"Changed elements other than texts. Changed texts are in rows."`
}

// Move is a part of the screen whose content moved.
type Move struct {
	BBox Box   `json:"bbox" doc:"Position after the move."`
	By   Point `json:"by" doc:"Distance of the move in pixels. If the content moved up, for example because the user scrolled down, y is negative."`
}

// RowChanges lists the rows of text that differ between two images.
type RowChanges struct {
	Appeared []Row        `json:"appeared"`
	Vanished []Row        `json:"vanished"`
	Changed  []RowChanged `json:"changed"`
	More     int          `json:"more" doc:"Number of changes that the lists omit."`
}

// RowChanged is a row that another row replaced.
type RowChanged struct {
	Before Row `json:"before"`
	After  Row `json:"after"`
}

// ElementChanges lists the elements that differ between two images.
type ElementChanges struct {
	Appeared []Element        `json:"appeared"`
	Vanished []Element        `json:"vanished"`
	Changed  []ElementChanged `json:"changed"`
	More     int              `json:"more" doc:"Number of changes that the lists omit."`
}

// ElementChanged is an element that looks different in the same place.
type ElementChanged struct {
	Before Element  `json:"before"`
	After  Element  `json:"after"`
	What   []string `json:"what" enum:"role,label,states,color,icon"`
}
