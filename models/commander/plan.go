package commander

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/models"
)

// step is one call of a plan.
type step struct {
	call models.Call

	// asks is set if the call only looks: its result decides how the plan goes on. If it fails, the plan
	// goes on with otherwise, and else with then.
	asks            bool
	then, otherwise []step
}

// after returns the steps that are left of a plan after the results of its calls so far. If a call has
// failed that was more than a question, it is the first of them, and failed is its result.
func after(plan []step, results []models.Result) (left []step, failed *models.Result) {
	for i, r := range results {
		if len(plan) == 0 {
			return nil, nil
		}
		first := plan[0]
		switch {
		case first.asks && r.IsError:
			plan = slices.Concat(first.otherwise, plan[1:])
		case first.asks:
			plan = slices.Concat(first.then, plan[1:])
		case r.IsError:
			return plan, &results[i]
		default:
			plan = plan[1:]
		}
	}
	return plan, nil
}

// next returns the calls to make together: those up to the next one whose result decides. The gateway
// makes them in order, and none after a call that fails.
func next(plan []step) (calls []models.Call) {
	for _, s := range plan {
		calls = append(calls, s.call)
		if s.asks {
			break
		}
	}
	return calls
}

// answer returns the text or the calls that come next in a conversation.
func answer(req models.Request) (string, []models.Call) {
	last := lastUser(req.Messages)
	if last < 0 {
		return help(req), nil
	}
	text, plan := said(req, last)
	if text == "" && plan == nil {
		return help(req), nil
	}
	results := resultsIn(req.Messages[last+1:])
	left, failed := after(plan, results)
	switch {
	case failed == nil && len(left) > 0:
		return "", next(left)
	case len(results) > 0:
		return report(req, plan, results), nil
	}
	return text, nil
}

// lastUser returns the index of the user's last message, or -1.
func lastUser(messages []models.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == models.User {
			return i
		}
	}
	return -1
}

// resultsIn returns the results of calls in messages.
func resultsIn(messages []models.Message) (list []models.Result) {
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				list = append(list, *p.Result)
			}
		}
	}
	return list
}

// said returns the plan of the user's message with index i, or an answer. A message that is only a
// number chooses a candidate that the result before it lists.
func said(req models.Request, i int) (string, []step) {
	text := query(req.Messages[i])
	before := lastUser(req.Messages[:i])
	n, ok := chosen(text)
	if !ok || before < 0 {
		return planOf(req, text)
	}
	_, plan := said(req, before)
	left, failed := after(plan, resultsIn(req.Messages[before+1:i]))
	if failed == nil {
		return planOf(req, text)
	}
	x, y, ok := candidate(textOf(*failed), n)
	if !ok {
		return "The last answer lists no number " + strconv.Itoa(n) + ".", nil
	}
	left = slices.Clone(left)
	left[0].call = at(left[0].call, textOf(*failed), x, y)
	return "", left
}

var (
	numberPattern = regexp.MustCompile(`(?i)^(?:(?:the )?(?:number|no\.?|nr\.?|nummer) ?|#)?(\d{1,2})[.!]?$`)
	whichPattern  = regexp.MustCompile(`(?i)^(?:the |der |die |das |den )?(first|second|third|fourth|fifth|erste|zweite|dritte|vierte|fünfte)n?(?: one)?[.!]?$`)
	ordinals      = []string{"first", "second", "third", "fourth", "fifth", "erste", "zweite", "dritte", "vierte", "fünfte"}
)

// chosen returns the number that a text consists of: "2", "number 2", "the second one".
func chosen(text string) (n int, ok bool) {
	if part := numberPattern.FindStringSubmatch(text); part != nil {
		n, _ = strconv.Atoi(part[1])
		return n, true
	}
	if part := whichPattern.FindStringSubmatch(text); part != nil {
		return slices.Index(ordinals, strings.ToLower(part[1]))%5 + 1, true
	}
	return 0, false
}

// listedPattern matches a numbered line with the click point of a candidate.
var listedPattern = regexp.MustCompile(`(?m)^(\d+)\.? .*? at (?:x )?(\d+), ?(?:y )?(\d+)`)

// candidate returns the click point of the candidate with number n in a text.
func candidate(text string, n int) (x, y int, ok bool) {
	for _, part := range listedPattern.FindAllStringSubmatch(text, -1) {
		if part[1] == strconv.Itoa(n) {
			x, errX := strconv.Atoi(part[2])
			y, errY := strconv.Atoi(part[3])
			return x, y, errX == nil && errY == nil
		}
	}
	return 0, 0, false
}

// undonePattern matches what a call of screen_do says it has not done.
var undonePattern = regexp.MustCompile(`(?s)\nNot done: (.+)$`)

// at returns a call with a point in the place of the element that it names first. failed is what the call answered: of a
// sentence only the rest is left to do.
func at(c models.Call, failed string, x, y int) models.Call {
	var in map[string]any
	_ = json.Unmarshal(c.Arguments, &in) // this package wrote them
	if part := undonePattern.FindStringSubmatch(failed); part != nil && in["say"] != nil {
		in["say"] = part[1]
	}
	delete(in, "text")
	in["x"], in["y"] = x, y
	return call(c.Name, in)[0]
}

// conditionPattern matches a command with a condition: what must be on the screen, the command, and
// the command otherwise.
var conditionPattern = like(`(?:if|wenn|falls) (?:there is |you see |the screen (?:shows|says|has) |it says )?(?:a |an |the )?(.+?)(?: (?:is|are) (?:there|on the screen|shown|visible)| appears| da ist| erscheint| zu sehen ist)?(?:,| then| dann)(?: then| dann)? (.+?)(?:[,;.]? (?:otherwise|else|sonst),? (.+))?`)

// conditional returns the plan of a command with a condition.
func conditional(req models.Request, part []string) (string, []step) {
	look := step{call: call("screen_wait", map[string]any{"text": unquoted(part[0]), "seconds": 1})[0], asks: true}
	if !offers(req, look.call.Name) {
		return excuse("This needs the tool %s, which this session lacks", look.call.Name).Error(), nil
	}
	text, then := planOf(req, part[1])
	if then == nil {
		return text, nil
	}
	look.then = then
	if part[2] != "" {
		if text, look.otherwise = planOf(req, part[2]); look.otherwise == nil {
			return text, nil
		}
	}
	return "", []step{look}
}

// maxReport is the maximum length of a tool's output in an answer, in bytes.
const maxReport = 4000

// report describes the results of a plan, and the calls that were not made.
func report(req models.Request, plan []step, results []models.Result) string {
	var lines []string
	for i, r := range results {
		left, failed := after(plan, results[:i])
		if failed != nil {
			break // the rest did not run
		}
		asks := len(left) > 0 && left[0].asks
		text := textOf(r)
		if len(text) > maxReport {
			text = strings.ToValidUTF8(text[:maxReport], "") + " …"
		}
		switch {
		case asks && r.IsError:
			lines = append(lines, "It is not on the screen.")
		case asks:
			lines = append(lines, "It is on the screen.")
		case r.IsError:
			lines = append(lines, "Failed: "+text)
			if candidates := len(listedPattern.FindAllString(text, -1)); candidates > 1 && offers(req, r.Name) {
				lines = append(lines, "Which one? Answer with its number.")
			}
		case text == "":
			lines = append(lines, "Done.")
		default:
			lines = append(lines, text)
		}
	}
	if left, failed := after(plan, results); failed != nil {
		for _, s := range left[1:] {
			lines = append(lines, "Not done: "+s.call.Name+" "+string(s.call.Arguments))
		}
	}
	return strings.Join(lines, "\n")
}

var fencePattern = regexp.MustCompile(`</?untrusted-[a-z0-9]+>\n?`)

// statePattern matches the start of the part of a result that describes the client's machine.
var statePattern = regexp.MustCompile(`^System state: `)

// textOf returns the text of a result.
func textOf(r models.Result) string {
	var texts []string
	for _, inner := range r.Parts {
		said := strings.TrimSpace(fencePattern.ReplaceAllString(inner.Text, ""))
		if said != "" && !imagePattern.MatchString(said) && !statePattern.MatchString(said) {
			texts = append(texts, said)
		}
	}
	return strings.Join(texts, "\n")
}
