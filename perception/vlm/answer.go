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
	share bool // its numbers are fractions of one, whatever the family
}

// A number, and lists of two or four of them. Some models put quotes around numbers.
const (
	number = `["']?([-+]?(?:\d+(?:\.\d*)?|\.\d+))["']?`
	comma  = `\s*,\s*`
	pair   = number + comma + number
)

var (
	numbers = regexp.MustCompile(number)
	// list is two or four numbers in brackets.
	list = regexp.MustCompile(`([\[(])\s*` + pair + `(?:` + comma + pair + `)?\s*[\])]`)
	// corners are two points that make a box, as Qwen writes it.
	corners = regexp.MustCompile(`\(\s*` + pair + `\s*\)` + comma + `\(\s*` + pair + `\s*\)`)
	// named has the numbers under their names: JSON's, arguments of a call, attributes of a tag.
	named   = regexp.MustCompile(`(?i)\bx["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by["']?\s*[:=]\s*` + number)
	namedYX = regexp.MustCompile(`(?i)\by["']?\s*[:=]\s*` + number + `[\s,;]*["']?\bx["']?\s*[:=]\s*` + number)
	// sides has a box under the names of its sides.
	sides = regexp.MustCompile(`(?i)\bx_?(?:1|min)["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by_?(?:1|min)["']?\s*[:=]\s*` + number +
		`[\s,;]*["']?\bx_?(?:2|max)["']?\s*[:=]\s*` + number + `[\s,;]*["']?\by_?(?:2|max)["']?\s*[:=]\s*` + number)
	// pointField and boxField are where a value begins that holds a point or a box.
	pointField = regexp.MustCompile(`(?i)\b(?:point_?2d|click_?point|start_point|points?|coordinates?|position|center|location)["']?\s*[:=]\s*["']?`)
	boxField   = regexp.MustCompile(`(?i)\b(?:bbox_?2d|box_?2d|bbox|bounding_?box|start_box|box)["']?\s*[:=]\s*["']?`)
	// tag is what stands in a tag for places: <point>, <bbox>, <|box_start|>, <|begin_of_box|>, <|det|>.
	tag = regexp.MustCompile(`(?is)<\|?(points?|bbox|box|box_start|begin_of_box|det)\b([^<>]*)>([^<]*)`)
	// numbered has Molmo's several points: x1="10" y1="20" x2="30" y2="40".
	numbered = regexp.MustCompile(`(?i)\bx\d+\s*=\s*` + number + `\s*y\d+\s*=\s*` + number)
	// call is where the arguments of a click begin.
	call = regexp.MustCompile(`(?i)\b(?:left_|right_|double_|mouse_|long_|triple_)?(?:click|double|press|tap|hover|moveto|touch)(?:_at|_element)?\s*\(\s*`)
	// bare is an answer that is two or four numbers and nothing else.
	bare = regexp.MustCompile(`^` + number + `[\s,]+` + number + `(?:[\s,]+` + number + `[\s,]+` + number + `)?\.?$`)
)

// Bounds of what is read from one answer.
const (
	maxMarks = 100
	maxField = 2 << 10 // bytes of one value
)

// marksIn returns what an answer points at, without repetitions. It tries shapes, the surest first,
// and stops at the first that finds something: the label beside a point may have numbers too. If yx
// is set, lists in brackets have the y first.
func marksIn(text string, yx bool) []mark {
	for _, read := range []func(string, bool) []mark{
		func(text string, yx bool) []mark { return inFields(pointField, text, yx) },
		inNames,
		func(text string, yx bool) []mark { return inFields(boxField, text, yx) },
		inTags, inCalls, inLists,
		func(text string, _ bool) []mark { return groupsOf(bare, text) },
	} {
		if found := read(text, yx); len(found) > 0 {
			found = slices.DeleteFunc(found, func(m mark) bool { return m.x == -1 && m.y == -1 }) // which means nowhere
			return distinct(found[:min(len(found), maxMarks)])
		}
	}
	return nil
}

func distinct(marks []mark) []mark {
	var out []mark
	for _, m := range marks {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// markOf returns what two or four numbers mean; empty ones are missing.
func markOf(texts ...string) mark {
	var v []float64
	share := true
	for _, t := range texts {
		if t == "" {
			continue
		}
		n, _ := strconv.ParseFloat(t, 64) // too large is infinite, and on no image
		v = append(v, n)
		share = share && n >= 0 && n <= 1
	}
	share = share && strings.Contains(strings.Join(texts, ""), ".")
	if len(v) == 4 {
		return mark{(v[0] + v[2]) / 2, (v[1] + v[3]) / 2, share}
	}
	return mark{v[0], v[1], share}
}

// swapped returns m with its numbers the other way round.
func (m mark) swapped() mark { return mark{m.y, m.x, m.share} }

// inFields reads {"point_2d": [12, 34]} and its like, and click(box=[[1,2,3,4]]).
func inFields(field *regexp.Regexp, text string, yx bool) []mark {
	var out []mark
	for _, at := range field.FindAllStringIndex(text, maxMarks) {
		out = append(out, inLists(bracketed(text[at[1]:]), yx)...)
	}
	return out
}

// bracketed returns the text up to the bracket that closes its first, at most
// maxField bytes; nothing if it begins with no bracket.
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

// inNames reads {"x": 12, "y": 34}, click(x=12, y=34), <point x="12" y="34">
// and {"x1": 1, "y1": 2, "x2": 3, "y2": 4}.
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

// groupsOf returns the marks of the numbers that a pattern finds.
func groupsOf(pattern *regexp.Regexp, text string) (out []mark) {
	for _, m := range pattern.FindAllStringSubmatch(text, maxMarks) {
		out = append(out, markOf(m[1:]...))
	}
	return out
}

// inTags reads <point>12 34</point>, <box>[[1, 2, 3, 4]]</box>,
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

// inCalls reads click(12, 34), and click((12, 34)).
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

// firstPair is two numbers that begin the arguments of a call.
var firstPair = regexp.MustCompile(`^\(\s*` + pair)

// inLists reads (12, 34), [12, 34], [1, 2, 3, 4] and (1, 2), (3, 4), which is a box.
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
	// nothing is an answer that says in one word that it is not there.
	nothing = regexp.MustCompile(`(?i)^\W*(?:none|null|nothing|n/?a|no|not found)\W*$|^\W*(?:json)?\s*(?:\[\s*\]|\{\s*\})\W*$|["']?:\s*(?:null|none)\b|\[?\s*-1\s*,\s*-1\b`)
	// absent says so in a sentence.
	absent = regexp.MustCompile(`(?i)\b(?:not (?:visible|found|present|shown|in (?:the|this) (?:image|screenshot|picture)|on (?:the|this) (?:screen|page))|no such|` +
		`(?:cannot|can't|can’t|could not|couldn't|couldn’t|unable to|do not|don't|don’t) (?:find|see|locate|identify|spot)|(?:does not|doesn't|doesn’t) (?:exist|appear|contain|show)|there (?:is|are|'s) no)\b`)
	// refusing says that it does not want to.
	refusing = regexp.MustCompile(`(?i)\b(?:sorry|(?:cannot|can't|can’t|won't|won’t|unable to|not able to|not allowed to) (?:\w+ )?(?:help|assist|comply|do|provide|perform|process|click)|against (?:\w+ )?polic|as an ai)\b`)
)

var (
	// unseen is a field that says that there is no such thing.
	unseen = regexp.MustCompile(`(?i)["'](?:found|visible|exists|present)["']\s*:\s*["']?(?:false|no)\b`)
	// wrapped is what an answer says in brackets, tags and quotes: a label may hold any words.
	wrapped = regexp.MustCompile(`(?s)<(?:\w+)[^<>]*>[^<>]*</\w+>|\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|<[^<>]*>|"[^"\n]*"|“[^”\n]*”`)
	// notFound begins an answer that says so, and goes on.
	notFound = regexp.MustCompile(`(?i)^\W*(?:not found|none|no such)\b`)
)

// denial reports whether an answer says, in its own words, that there is no such thing or that it does not want
// to, whatever numbers it has, and which.
func denial(text string) (why Why, ok bool) {
	if unseen.MatchString(text) {
		return Absent, true
	}
	if i := strings.LastIndex(text, "Action:"); i >= 0 {
		text = text[i:] // what comes before it is thought
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

// maxNested is how deep the brackets of an answer are, at most, that denial leaves out.
const maxNested = 4

// isClosed reports whether a bracket or tag ends what follows the last number of an answer.
func isClosed(text string) bool {
	at := numbers.FindAllStringIndex(text, -1)
	return len(at) > 0 && strings.ContainsAny(text[at[len(at)-1][0]:], "])}<>")
}

// whyNone returns why an answer without a point has none.
func whyNone(text string) Why {
	switch {
	case nothing.MatchString(text), absent.MatchString(text):
		return Absent
	case refusing.MatchString(text):
		return Refused
	}
	return Unclear
}
