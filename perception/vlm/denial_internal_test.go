package vlm

import (
	"errors"
	"image"
	"testing"
)

// A model that says that there is no such thing, or that it does not want to, is believed, whatever numbers it names;
// an answer whose last number may have been cut is not a point.
func TestNumbersOfNoAnswer(t *testing.T) {
	t.Parallel()
	p := picture{region: image.Rect(0, 0, 1000, 1000), size: image.Pt(1000, 1000)}
	for _, tt := range []struct {
		text string
		cut  bool
		want Why // "": a point
	}{
		{"There is no Save button on this screen. The closest thing is the Submit button at (512, 300).", false, Absent},
		{"I cannot find a Delete account button. The only button is Check out [830, 588].", false, Absent},
		{"The element is not visible in the screenshot. The scroll bar is at (990, 500).", false, Absent},
		{"I'm sorry, I can't help with clicking Pay now (640, 480).", false, Refused},
		{`{"found": false, "point": [500, 500]}`, false, Absent},
		{"not found (0, 0)", false, Absent},
		{`{"point": [500, 500], "label": "No such user"}`, false, ""},
		{`It is the text "not found" at (500, 500).`, false, ""},
		{`<point x="50" y="50" alt="not visible">not visible</point>`, false, ""},
		{"Thought: the menu is not visible yet.\nAction: click(start_box='(512,300)')", false, ""},
		{`click(512, 3`, true, Unclear}, {`{"x": 512, "y": 30`, true, Unclear}, {`The button is at x=512, y=3`, true, Unclear}, {`<point x="51.2" y="3`, true, Unclear},
		{`{"point": [512, 300], "label": "Sa`, true, ""}, {"(512, 300) is where", true, ""}, {"<point>512 300</point> is", true, ""},
		{"<think>near (512, 300) perhaps", false, Unclear}, {"<think>near (1, 2)</think>(512, 300)", false, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			at, _, err := family{space: Pixels}.read(reply{text: withoutThoughts(tt.text), cut: tt.cut}, p)
			miss, _ := errors.AsType[*Miss](err)
			if (tt.want == "") != (err == nil) || miss != nil && miss.Why != tt.want {
				t.Errorf("%v, %v, want %q", at, err, tt.want)
			}
		})
	}
}
