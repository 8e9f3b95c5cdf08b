package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// The answers of the HTTP API have words, boxes and confidences, which cost a model ten times as many
// tokens as the texts and their click points. So the picture tools answer MCP clients with a lean: a
// line for each row or element. The argument "detail" requests the answer of the HTTP API instead.

// detailArgument is the argument that requests the whole answer. The tools themselves do not have it.
const detailArgument = "detail"

// The schemas of detailArgument and of the answers. An answer with detail has no lines, but the fields
// of the HTTP API, which the schema allows too.
var (
	detailSchema = json.RawMessage(`{"type":"boolean","description":"Return boxes, words and confidences too, as long JSON."}`)
	leanSchema   = json.RawMessage(`{"type":"object","properties":{"lines":{"type":"array","items":{"type":"string"}}}}`)
)

// lean is the short answer of a picture tool. Each line begins with the click point of its item.
type lean struct {
	ArtifactID string   `json:"artifact_id,omitempty"` // the image, for use in further calls
	Width      int      `json:"width,omitempty"`
	Height     int      `json:"height,omitempty"`
	X          *int     `json:"x,omitempty"` // click point, if the tool found one place
	Y          *int     `json:"y,omitempty"`
	Lines      []string `json:"lines"`
}

// leans has the function that shortens the answers of each picture tool.
var leans = map[string]func(json.RawMessage) (lean, error){
	"ocr.read":          leanOf(leanRead),
	"ocr.find_text":     leanOf(leanMatches),
	"ocr.resolve_text":  leanOf(leanMatch),
	"vision.locate":     leanOf(leanLocated),
	"vision.locate_all": leanOf(leanLocatedAll),
	"vision.describe":   leanOf(leanDescription),
	"screen.elements":   leanOf(leanElements),
	"screen.at":         leanOf(leanPoint),
	"screen.diff":       leanOf(leanChanges),
}

const overlayTool = "vision.overlay"

// isPicture reports whether d is one of the gateway's own tools for screenshots.
func isPicture(d agent.Descriptor) bool {
	return d.Origin.Kind == agent.Builtin && (leans[d.Name] != nil || d.Name == overlayTool)
}

// isDrawer reports whether an answer of d may have an image. Some clients, such as Codex, show their model
// either structured content or images. So such a tool has no output schema, and its answer has no
// structured content beside an image.
func isDrawer(d agent.Descriptor) bool {
	ofScreen := d.Tag == "computer" && strings.HasPrefix(d.Name, "screen.")
	return d.Origin.Kind == agent.Builtin && (ofScreen || d.Name == overlayTool || d.Name == "browser.screenshot")
}

// isImage reports whether a part of a result is an image.
func isImage(part mcp.Content) bool {
	_, image := part.(*mcp.ImageContent)
	return image
}

// hasLean reports whether d answers with a lean.
func hasLean(d agent.Descriptor) bool { return isPicture(d) && leans[d.Name] != nil }

// withoutDetail returns the arguments of a call without detailArgument, and its value. A value of another
// type stays, so that the schema check refuses it.
func withoutDetail(d agent.Descriptor, arguments json.RawMessage) (_ json.RawMessage, detail bool) {
	var given map[string]json.RawMessage
	if !hasLean(d) || !bytes.Contains(arguments, []byte(detailArgument)) || !reads(arguments, &given) || !reads(given[detailArgument], &detail) {
		return arguments, false
	}
	delete(given, detailArgument)
	rest, err := json.Marshal(given)
	if err != nil {
		return arguments, false // unreachable: it was decoded from JSON
	}
	return rest, detail
}

// shorten replaces the content of a picture tool's result with its lean, and removes structured content
// beside an image.
func shorten(d agent.Descriptor, out *mcp.CallToolResult, structured json.RawMessage) {
	switch {
	case out.IsError || len(structured) == 0:
	case isPicture(d) && d.Name == overlayTool:
		var drawn sdkapi.Overlay
		if reads(structured, &drawn) {
			out.Content = []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s%s with %d marks", gateway.ArtifactScheme, drawn.ArtifactID, drawn.AnnotationCount)}}
			out.StructuredContent = nil // the image follows
		}
	case isDrawer(d) && slices.ContainsFunc(out.Content, isImage):
		out.StructuredContent = nil
	case hasLean(d):
		short, err := leans[d.Name](structured)
		if err != nil {
			return // unreachable: the tool encoded this type
		}
		out.Content = []mcp.Content{&mcp.TextContent{Text: short.text()}}
		out.StructuredContent = short
	}
}

// text returns the lean for a reader: a line about the image, then the lines.
func (l lean) text() string {
	head := fmt.Sprintf("%d by %d pixels", l.Width, l.Height)
	if l.ArtifactID != "" {
		head += ", image " + gateway.ArtifactScheme + l.ArtifactID
	}
	return strings.Join(append([]string{head}, l.Lines...), "\n")
}

// leanOf returns a function that decodes an answer and shortens it.
func leanOf[T any](of func(T) lean) func(json.RawMessage) (lean, error) {
	return func(raw json.RawMessage) (l lean, err error) {
		var answer T
		if err = json.Unmarshal(raw, &answer); err == nil {
			l = of(answer)
		}
		return l, err
	}
}

// about returns a lean without lines about an image.
func about(info sdkapi.ImageInfo) lean {
	l := lean{Width: info.Width, Height: info.Height, Lines: []string{}}
	if info.ArtifactID != nil {
		l.ArtifactID = *info.ArtifactID
	}
	return l
}

// add adds a line about the item at a point.
func (l *lean) add(at sdkapi.Point, text string) {
	l.Lines = append(l.Lines, strconv.Itoa(at.X)+","+strconv.Itoa(at.Y)+" "+text)
}

// note adds a line without a point.
func (l *lean) note(format string, values ...any) {
	l.Lines = append(l.Lines, fmt.Sprintf(format, values...))
}

// found sets the click point of the only result.
func (l *lean) found(at sdkapi.Point) { l.X, l.Y = &at.X, &at.Y }

func leanRead(r sdkapi.OCRRunResult) lean {
	l := about(r.Image)
	for _, row := range r.Results {
		l.add(row.Center, rowText(row))
	}
	for _, u := range r.Unreadable {
		l.note("%d rows are unreadable: %s", u.Rows, u.Advice)
	}
	return l
}

// rowText returns the text of a row, and its score if the row is not exactly the requested text.
func rowText(row sdkapi.Row) string {
	switch {
	case row.Readable != nil && !*row.Readable:
		return "(unreadable: " + string(row.Script) + ")"
	case row.Score != nil && *row.Score < 1:
		return fmt.Sprintf("%s (score %.2f)", row.Text, *row.Score)
	}
	return row.Text
}

func leanMatches(r sdkapi.OCRMatchesResult) lean {
	l := about(r.Image)
	for _, row := range r.Matches {
		l.add(row.Center, rowText(row))
	}
	if len(r.Matches) == 0 {
		l.note("no match")
	}
	return l
}

func leanMatch(r sdkapi.OCRResolveTextResult) lean {
	l := about(r.Image)
	l.found(r.Match.Center)
	l.add(r.Match.Center, rowText(r.Match))
	return l
}

func leanLocated(r sdkapi.VisionLocateResult) lean {
	l := about(r.Image)
	l.found(r.Point)
	l.add(r.Point, targetText(r.Match))
	l.fellBack(r.Found)
	return l
}

// fellBack notes why the vision model's answer was not used.
func (l *lean) fellBack(f sdkapi.Found) {
	if f.Fallback != nil {
		l.note("without the vision model: %s", f.Fallback.Message)
	}
}

// targetText returns the one-line description of a target.
func targetText(t sdkapi.Target) string {
	text := cmp.Or(t.Line, strconv.Quote(t.Text))
	if t.Hint != "" {
		text += " (to choose it, add: " + t.Hint + ")"
	}
	return text
}

func leanLocatedAll(r sdkapi.VisionLocateAllResult) lean {
	l := about(r.Image)
	for _, t := range r.Matches {
		l.add(t.Center, targetText(t))
	}
	if len(r.Matches) == 0 {
		l.note("no match; unmet: %s; nearest:", strings.Join(r.Unmet, ", "))
		for _, t := range r.Nearest {
			l.add(t.Center, targetText(t))
		}
	}
	l.fellBack(r.Found)
	return l
}

// center returns the middle of a box.
func center(b sdkapi.Box) sdkapi.Point { return sdkapi.Point{X: b.X + b.Width/2, Y: b.Y + b.Height/2} }

// isContainer reports whether elements of a role contain parts of a screen.
func isContainer(role string) bool {
	return slices.Contains([]string{"panel", "toolbar", "sidebar", "dialog"}, role)
}

// elementText returns the one-line description of an element. A text is its whole label in quotes, since its
// point says its place. A container also has its size, so that the line has its whole box.
func elementText(e sdkapi.Element) string {
	if e.Role == "text" && e.Label != "" {
		return strconv.Quote(e.Label)
	}
	text := cmp.Or(e.Line, strings.TrimSpace(e.Role+" "+e.Label))
	if isContainer(e.Role) {
		text += fmt.Sprintf(" (%dx%d)", e.BBox.Width, e.BBox.Height)
	}
	return text
}

// leanElements lists the containers, and then the other elements in reading order. It omits the texts and
// icons inside an element that has them as its own label or icon.
func leanElements(r sdkapi.ScreenElementsResult) lean {
	l := about(r.Image)
	var items []item
	for _, e := range r.Elements {
		switch {
		case isContainer(e.Role):
			l.add(center(e.BBox), elementText(e))
		case !slices.ContainsFunc(r.Elements, func(outer sdkapi.Element) bool { return repeats(e, outer) }):
			items = append(items, item{center(e.BBox), elementText(e)})
		}
	}
	l.addInOrder(items)
	if more := r.Total - len(r.Elements); more > 0 {
		l.note("%d more: filter by role, text or region, or increase max_results", more)
	}
	if r.Total == 0 {
		l.note("no match")
	}
	return l
}

// repeats reports whether e is a text or an icon in the box of an outer element whose line has the text or
// whose icon it is. A row of a table is no such element: its cells have places of their own.
func repeats(e, outer sdkapi.Element) bool {
	at := center(e.BBox)
	if e.ID == outer.ID || isContainer(outer.Role) || outer.Role == "row" || outer.Role == "text" || outer.Role == e.Role || !image.Pt(at.X, at.Y).In(outer.BBox.Rect()) {
		return false
	}
	return e.Role == "text" && strings.Contains(outer.Line, e.Label) || e.Role == "icon" && (e.Icon == outer.Icon || e.Icon == "")
}

// item is a line with its click point.
type item struct {
	at   sdkapi.Point
	text string
}

// lineHeight is the height in pixels within which items are in one line of the screen: the height of small
// text.
const lineHeight = 12

// addInOrder adds items in reading order.
func (l *lean) addInOrder(items []item) {
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.at.Y/lineHeight, b.at.Y/lineHeight), cmp.Compare(a.at.X, b.at.X))
	})
	for _, i := range items {
		l.add(i.at, i.text)
	}
}

func leanPoint(r sdkapi.ScreenAtResult) lean {
	l := about(r.Image)
	l.note("color %s %s", r.Color.Hex, r.Color.Name)
	if r.Element != nil {
		l.add(center(r.Element.BBox), elementText(*r.Element))
	}
	for _, e := range r.Parents {
		l.add(center(e.BBox), "in "+elementText(e))
	}
	if r.Row != nil {
		l.add(r.Row.Center, "text "+rowText(*r.Row))
	}
	return l
}

// maxTexts is the maximum number of texts in a short description, besides the labels of controls. ocr_read lists
// all.
const maxTexts = 18

// leanDescription has the parts of the screen, its controls, and its largest texts in reading order. A control
// and the text that is its label are one line. The lines say more than the summary that rules make of them, of
// which only the first sentence remains.
func leanDescription(r sdkapi.VisionDescribeResult) lean {
	l := about(r.Image)
	if r.CroppedFrom != nil {
		l.note("the part at %d,%d of the image; coordinates begin at its corner", r.CroppedFrom.X, r.CroppedFrom.Y)
	}
	summary := r.Description
	if r.Provider == sdkapi.Offline {
		summary, _, _ = strings.Cut(summary, ". ")
	}
	l.note("%s", summary)
	l.fellBack(r.Found)
	for _, part := range r.Regions {
		text := part.Kind
		if part.Title != "" {
			text += " " + strconv.Quote(part.Title)
		}
		l.add(center(part.BBox), text)
	}
	var items []item
	var texts []sdkapi.DescribedLine
	labeled := make(map[int]bool, len(r.Controls))
	for _, line := range r.Text {
		i := slices.IndexFunc(r.Controls, func(c sdkapi.Control) bool { return labels(c, line) })
		if i < 0 {
			texts = append(texts, line)
			continue
		}
		labeled[i] = true
		items = append(items, item{center(line.BBox), controlText(r.Controls[i])})
	}
	for i, c := range r.Controls {
		if !labeled[i] {
			items = append(items, item{c.Center, controlText(c)})
		}
	}
	slices.SortStableFunc(texts, func(a, b sdkapi.DescribedLine) int { return cmp.Compare(b.BBox.Height, a.BBox.Height) })
	listed := min(len(texts), maxTexts)
	for _, line := range texts[:listed] {
		items = append(items, item{center(line.BBox), line.Text})
	}
	l.addInOrder(items)
	if more := r.More.Text + len(texts) - listed; r.More.Controls+more > 0 {
		l.note("%d more controls and %d more texts: describe a region, or read the texts", r.More.Controls, more)
	}
	return l
}

// controlText returns the role, the label and the properties of a control.
func controlText(c sdkapi.Control) string {
	text := c.Role
	if c.Label != "" {
		text += " " + strconv.Quote(c.Label)
	}
	for _, property := range append([]string{c.Icon}, c.States...) {
		if property != "" {
			text += ", " + property
		}
	}
	return text
}

// labels reports whether a text is the label of a control, and in its box.
func labels(c sdkapi.Control, line sdkapi.DescribedLine) bool {
	at := center(line.BBox)
	return c.Label == line.Text && image.Pt(at.X, at.Y).In(c.BBox.Rect())
}

func leanChanges(r sdkapi.ScreenDiffResult) lean {
	l := about(r.After)
	if r.Same {
		l.note("nothing changed")
		return l
	}
	l.note("%d %% of the image changed", int(math.Ceil(100*r.Share)))
	for _, m := range r.Moves {
		l.add(center(m.BBox), fmt.Sprintf("moved by %d,%d (%dx%d)", m.By.X, m.By.Y, m.BBox.Width, m.BBox.Height))
	}
	for _, row := range r.Rows.Appeared {
		l.add(row.Center, "new: "+rowText(row))
	}
	for _, row := range r.Rows.Vanished {
		l.add(row.Center, "gone: "+rowText(row))
	}
	for _, c := range r.Rows.Changed {
		l.add(c.After.Center, fmt.Sprintf("changed: %s, before: %s", rowText(c.After), rowText(c.Before)))
	}
	for _, e := range r.Elements.Appeared {
		l.add(center(e.BBox), "new: "+elementText(e))
	}
	for _, e := range r.Elements.Vanished {
		l.add(center(e.BBox), "gone: "+elementText(e))
	}
	for _, c := range r.Elements.Changed {
		l.add(center(c.After.BBox), fmt.Sprintf("changed: %s, before: %s", elementText(c.After), elementText(c.Before)))
	}
	for _, b := range r.Regions {
		l.add(center(b), fmt.Sprintf("changed area (%dx%d)", b.Width, b.Height))
	}
	if more := r.Rows.More + r.Elements.More; more > 0 {
		l.note("%d more changes: increase max_results", more)
	}
	return l
}
