package vlm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mark is a point, or the middle of a box, in the numbers of an answer.
type mark struct {
	x, y  float64
	share bool // the numbers are fractions of one, whatever the family
}

// Patterns of a number, and of lists of two or four numbers. Some models put quotes around numbers.
const (
	number = `["']?([-+]?(?:\d+(?:\.\d*)?|\.\d+))["']?`
	comma  = `\s*,\s*`
	pair   = number + comma + number
)

var (
	numbers = regexp.MustCompile(number)
	// list matches two or four numbers in brackets.
	list = regexp.MustCompile(`([\[(])\s*` + pair + `(?:` + comma + pair + `)?\s*[\])]`)
	// corners matches two points that make a box, in Qwen's form.
	corners = regexp.MustCompile(`\(\s*` + pair + `\s*\)` + comma + `\(\s*` + pair + `\s*\)`)
	// named matches numbers after their names: fields of JSON, arguments of a call, attributes of a
	// tag.
	named   = regexp.MustCompile(`(?i)\bx["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by["']?\s*[:=]\s*` + number)
	namedYX = regexp.MustCompile(`(?i)\by["']?\s*[:=]\s*` + number + `[\s,;]*["']?\bx["']?\s*[:=]\s*` + number)
	// sides matches a box with the names of its sides.
	sides = regexp.MustCompile(`(?i)\bx_?(?:1|min)["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by_?(?:1|min)["']?\s*[:=]\s*` + number +
		`[\s,;]*["']?\bx_?(?:2|max)["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by_?(?:2|max)["']?\s*[:=]\s*` + number)
	// pointField and boxField match the text up to a value that contains a point or a box.
	pointField = regexp.MustCompile(`(?i)\b(?:point_?2d|click_?point|start_point|points?|coordinates?|position|center|location)["']?\s*[:=]\s*["']?`)
	boxField   = regexp.MustCompile(`(?i)\b(?:bbox_?2d|box_?2d|bbox|bounding_?box|start_box|box)["']?\s*[:=]\s*["']?`)
	// tag matches a tag for positions with its content: <point>, <bbox>, <|box_start|>,
	// <|begin_of_box|>, <|det|>.
	tag = regexp.MustCompile(`(?is)<\|?(points?|bbox|box|box_start|begin_of_box|det)\b([^<>]*)>([^<]*)`)
	// numbered matches Molmo's form of several points: x1="10" y1="20" x2="30" y2="40".
	numbered = regexp.MustCompile(`(?i)\bx\d+\s*=\s*` + number + `\s*y\d+\s*=\s*` + number)
	// call matches the text up to the arguments of a click.
	call = regexp.MustCompile(`(?i)\b(?:left_|right_|double_|mouse_|long_|triple_)?(?:click|double|press|tap|hover|moveto|touch)(?:_at|_element)?\s*\(\s*`)
	// bare matches an answer that is only two or four numbers.
	bare = regexp.MustCompile(`^` + number + `[\s,]+` + number + `(?:[\s,]+` + number + `[\s,]+` + number + `)?\.?$`)
)

// Limits of the parsing of one answer.
const (
	maxMarks = 100
	maxField = 2 << 10 // bytes of one value
)

// marksIn returns the positions in an answer, without duplicates. It tries the formats from the
// most to the least reliable, and returns the marks of the first that matches: a label beside a
// point may contain numbers too. If yx is set, lists in square brackets have the y first.
func marksIn(text string, yx bool) []mark {
	for _, read := range []func(string, bool) []mark{
		func(text string, yx bool) []mark { return inFields(pointField, text, yx) },
		inNames,
		func(text string, yx bool) []mark { return inFields(boxField, text, yx) },
		inTags, inCalls, inLists,
		func(text string, _ bool) []mark { return groupsOf(bare, text) },
	} {
		if found := read(text, yx); len(found) > 0 {
			// -1, -1 means nowhere
			found = slices.DeleteFunc(found, func(m mark) bool { return m.x == -1 && m.y == -1 })
			return distinct(found[:min(len(found), maxMarks)])
		}
	}
	return nil
}

// distinct returns the marks without duplicates, in the same order.
func distinct(marks []mark) []mark {
	var out []mark
	for _, m := range marks {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// markOf returns the mark for two or four numbers; empty strings are missing numbers.
func markOf(texts ...string) mark {
	var v []float64
	share := true
	for _, t := range texts {
		if t == "" {
			continue
		}
		n, _ := strconv.ParseFloat(t, 64) // a too large number becomes infinite, which is outside any image
		v = append(v, n)
		share = share && n >= 0 && n <= 1
	}
	share = share && strings.Contains(strings.Join(texts, ""), ".")
	if len(v) == 4 {
		return mark{(v[0] + v[2]) / 2, (v[1] + v[3]) / 2, share}
	}
	return mark{v[0], v[1], share}
}

// swapped returns m with x and y exchanged.
func (m mark) swapped() mark { return mark{m.y, m.x, m.share} }

// inFields parses {"point_2d": [12, 34]} and similar fields, and click(box=[[1,2,3,4]]).
func inFields(field *regexp.Regexp, text string, yx bool) []mark {
	var out []mark
	for _, at := range field.FindAllStringIndex(text, maxMarks) {
		out = append(out, inLists(bracketed(text[at[1]:]), yx)...)
	}
	return out
}

// bracketed returns the text up to the bracket that closes the first one, at most maxField bytes.
// It returns "" if the text does not begin with a bracket.
func bracketed(text string) string {
	text = text[:min(len(text), maxField)]
	if text == "" || !strings.ContainsRune("[(", rune(text[0])) {
		return ""
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// inNames parses {"x": 12, "y": 34}, click(x=12, y=34), <point x="12" y="34"> and {"x1": 1, "y1":
// 2, "x2": 3, "y2": 4}.
func inNames(text string, _ bool) []mark {
	if out := groupsOf(named, text); len(out) > 0 {
		return out
	}
	out := groupsOf(namedYX, text)
	for i := range out {
		out[i] = out[i].swapped()
	}
	if len(out) > 0 || strings.Contains(text, "<points") {
		return out
	}
	return groupsOf(sides, text)
}

// groupsOf returns a mark for each match of a pattern; its groups are the numbers.
func groupsOf(pattern *regexp.Regexp, text string) (out []mark) {
	for _, m := range pattern.FindAllStringSubmatch(text, maxMarks) {
		out = append(out, markOf(m[1:]...))
	}
	return out
}

// inTags parses <point>12 34</point>, <box>[[1, 2, 3, 4]]</box>,
// <|box_start|>(1,2),(3,4)<|box_end|> and <points x1="1" y1="2" x2="3" y2="4">.
func inTags(text string, yx bool) []mark {
	var out []mark
	for _, m := range tag.FindAllStringSubmatch(text, maxMarks) {
		name, attributes, body := strings.ToLower(m[1]), m[2], m[3]
		out = append(out, groupsOf(numbered, attributes)...)
		if in := inLists(body, yx); len(in) > 0 {
			out = append(out, in...)
			continue
		}
		var v []string
		for _, n := range numbers.FindAllStringSubmatch(body, 2*maxMarks) {
			v = append(v, n[1])
		}
		each := 4
		if strings.HasPrefix(name, "point") || len(v)%4 != 0 {
			each = 2
		}
		for ; len(v) >= each; v = v[each:] {
			out = append(out, markOf(v[:each]...))
		}
	}
	return out
}

// inCalls parses click(12, 34) and click((12, 34)).
func inCalls(text string, _ bool) []mark {
	var out []mark
	for _, at := range call.FindAllStringIndex(text, maxMarks) {
		open := strings.LastIndexByte(text[:at[1]], '(')
		arguments := bracketed(text[open:])
		if in := inLists(arguments, false); len(in) > 0 {
			out = append(out, in[0])
		} else if n := firstPair.FindStringSubmatch(arguments); n != nil {
			out = append(out, markOf(n[1:]...))
		}
	}
	return out
}

// firstPair matches two numbers at the beginning of the arguments of a call.
var firstPair = regexp.MustCompile(`^\(\s*` + pair)

// inLists parses (12, 34), [12, 34], [1, 2, 3, 4] and (1, 2), (3, 4), which is a box.
func inLists(text string, yx bool) []mark {
	var out []mark
	text = corners.ReplaceAllString(text, "($1,$2,$3,$4)")
	for _, m := range list.FindAllStringSubmatch(text, maxMarks) {
		mark := markOf(m[2:]...)
		if yx && m[1] == "[" {
			mark = mark.swapped()
		}
		out = append(out, mark)
	}
	return out
}

var (
	// nothing matches an answer that means "not there" in one word or value.
	nothing = regexp.MustCompile(`(?i)^\W*(?:none|null|nothing|n/?a|no|not found)\W*$|^\W*(?:json)?\s*(?:\[\s*\]|\{\s*\})\W*$|["']?:\s*(?:null|none)\b|\[?\s*-1\s*,\s*-1\b`)
	// absent matches a sentence that means "not there".
	absent = regexp.MustCompile(`(?i)\b(?:not (?:visible|found|present|shown|in (?:the|this) (?:image|screenshot|picture)|on (?:the|this) (?:screen|page))|no such|` +
		`(?:cannot|can't|can’t|could not|couldn't|couldn’t|unable to|do not|don't|don’t) (?:find|see|locate|identify|spot)|(?:does not|doesn't|doesn’t) (?:exist|appear|contain|show)|there (?:is|are|'s) no)\b`)
	// refusing matches a refusal.
	refusing = regexp.MustCompile(`(?i)\b(?:sorry|(?:cannot|can't|can’t|won't|won’t|unable to|not able to|not allowed to) (?:\w+ )?(?:help|assist|comply|do|provide|perform|process|click)|against (?:\w+ )?polic|as an ai)\b`)
)

var (
	// unseen matches a field that means "not there".
	unseen = regexp.MustCompile(`(?i)["'](?:found|visible|exists|present)["']\s*:\s*["']?(?:false|no)\b`)
	// wrapped matches text in brackets, tags and quotes. It may be a label, which can contain any
	// words.
	wrapped = regexp.MustCompile(`(?s)<(?:\w+)[^<>]*>[^<>]*</\w+>|\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|<[^<>]*>|"[^"\n]*"|“[^”\n]*”`)
	// notFound matches the beginning of an answer that means "not there" and continues.
	notFound = regexp.MustCompile(`(?i)^\W*(?:not found|none|no such)\b`)
)

// denial reports whether an answer says, outside of labels, that the target does not exist, or that
// the model refuses. why is Absent or Refused. Numbers in the answer do not matter.
func denial(text string) (why Why, ok bool) {
	if unseen.MatchString(text) {
		return Absent, true
	}
	if i := strings.LastIndex(text, "Action:"); i >= 0 {
		text = text[i:] // the text before it is the model's thoughts
	}
	for range maxNested {
		text = wrapped.ReplaceAllString(text, " ")
	}
	switch {
	case notFound.MatchString(text), absent.MatchString(text):
		return Absent, true
	case refusing.MatchString(text):
		return Refused, true
	}
	return "", false
}

// maxNested is the maximum depth of nested brackets that denial removes.
const maxNested = 4

// isClosed reports whether a bracket or tag follows the last number of an answer.
func isClosed(text string) bool {
	at := numbers.FindAllStringIndex(text, -1)
	return len(at) > 0 && strings.ContainsAny(text[at[len(at)-1][0]:], "])}<>")
}

// whyNone returns the reason why an answer has no point.
func whyNone(text string) Why {
	switch {
	case nothing.MatchString(text), absent.MatchString(text):
		return Absent
	case refusing.MatchString(text):
		return Refused
	}
	return Unclear
}
