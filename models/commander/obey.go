package commander

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/models"
)

// command is a command that the commander understands: its pattern, and a function that returns its
// calls.
type command struct {
	pattern *regexp.Regexp
	calls   func(req models.Request, part []string) ([]models.Call, error)
	exact   bool // the command ends with a text in which a period or "!" counts
}

// commands are tried in order; the first match is used. A pattern must match the whole text, in any
// case.
var commands = []command{
	{like(`(click|tap|double[- ]click|right[- ]click)(?: on| at)? \(?(\d+) ?[,x ] ?(\d+)\)?`), clickPoint, false},
	{like(`(click|tap|double[- ]click|right[- ]click)(?: on)? (.+)`), clickText, false},
	{like(`(?:type|write|enter) (.+?) (?:into|in|in to) (.+)`), typeInto, false},
	{like(`(?:type|write) (.+)`), typeText, true},
	{like(`(?:press|hit) (.+)`), press, true},
	{like(`scroll (up|down)(?: (\d+))?`), scroll, false},
	{like(`(?:take (?:a |another )?)?screenshot`), screenshot, false},
	{like(`(?:read|what is on|what's on|ocr) (?:the |my )?screen`), readScreen, false},
	{like(`(?:open|go to|browse to) (https?://\S+)`), open, false},
	{like(`(?:search|look on) the (?:web|internet) for (.+)`), search, false},
	{like(`(?:search|look) for (.+) (?:on|in) the (?:web|internet)`), search, false},
	{like(`web search(?: for)? (.+)`), search, false},
	{like("(?:run|execute) (?:the )?(?:shell )?command (.+)"), shell, true},
	{like(`(?:run|call|invoke) (?:the tool )?([A-Za-z0-9_.-]+) ?(\{.*\})?`), run, false},
	{like(`remember (?:that )?(.+)`), remember, false},
}

// like compiles a pattern for a whole text, in any case. The text may begin with "please" and have
// several lines.
func like(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:please )?` + pattern + `$`)
}

var helpPattern = like(`(?:help|what can you do\??|(?:what|which) tools (?:are there|do you have|have you)\??|list (?:the )?tools)`)

// obey returns the calls for all steps of a command. If it does not understand a step, it returns
// an answer and no calls, so that no command is carried out in part.
func obey(req models.Request, said string) (string, []models.Call) {
	if helpPattern.MatchString(said) {
		return list(req), nil
	}
	var calls []models.Call
	for _, step := range steps(said) {
		more, err := understand(req, step)
		if err != nil {
			return err.Error(), nil
		}
		if more == nil {
			return help(req), nil
		}
		calls = append(calls, more...)
	}
	return "", calls
}

// understand returns the calls of the first command that matches a step, or nil if none matches. It
// fails if the session lacks a tool that the calls need.
func understand(req models.Request, step string) ([]models.Call, error) {
	exact, sentence := strings.TrimSpace(step), strings.TrimRight(step, ".! ")
	if strings.HasSuffix(sentence, `"`) || strings.HasSuffix(sentence, "”") || strings.HasSuffix(sentence, "`") {
		exact = sentence // the end of the sentence is outside of the quotes
	}
	for _, c := range commands {
		text := sentence
		if c.exact {
			text = exact
		}
		part := c.pattern.FindStringSubmatch(text)
		if part == nil {
			continue
		}
		calls, err := c.calls(req, part[1:])
		if err != nil {
			return nil, err
		}
		for i, call := range calls {
			call = withEyes(req, call)
			calls[i] = call
			if !offers(req, call.Name) {
				return nil, excuse("This needs the tool %s, which this session lacks. Say \"what tools are there\" for a list", call.Name)
			}
		}
		return calls, nil
	}
	return nil, nil
}

// excuse returns an error whose text is the answer to the user.
func excuse(format string, args ...any) error { return excused(fmt.Sprintf(format, args...)) }

type excused string

// Error returns the message.
func (e excused) Error() string { return string(e) }

// offers reports whether the session has a tool with this name.
func offers(req models.Request, name string) bool {
	return slices.ContainsFunc(req.Tools, func(t models.Tool) bool { return t.Name == name })
}

// call returns a list with one call, the result of most commands.
func call(name string, arguments map[string]any) []models.Call {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return []models.Call{{Name: name, Arguments: raw}}
}

// actions maps words for a click to actions of mouse_control.
var actions = map[string]string{"click": "click", "tap": "click", "double click": "double_click", "right click": "right_click"}

// action returns the action of mouse_control for a word for a click. The word may have capitals and a hyphen.
func action(word string) string {
	return actions[strings.ReplaceAll(strings.ToLower(word), "-", " ")]
}

// clickPoint clicks at the coordinates that the command names, in pixels of the screen.
func clickPoint(_ models.Request, part []string) ([]models.Call, error) {
	x, errX := strconv.Atoi(part[1])
	y, errY := strconv.Atoi(part[2])
	if errX != nil || errY != nil {
		return nil, excuse("%s, %s is not a point on the screen", part[1], part[2])
	}
	return call("mouse_control", map[string]any{"action": action(part[0]), "x": x, "y": y}), nil
}

// clickText clicks at words on the screen. If the command names a kind of element and the tool
// accepts a description, the call has the description too.
func clickText(req models.Request, part []string) ([]models.Call, error) {
	in := map[string]any{"action": action(part[0]), "text": words(part[1])}
	if role := rolePattern.FindStringSubmatch(strings.TrimSpace(part[1])); role != nil && role[2] != "" && takesTarget(req) {
		// The tool uses the description if the words occur several times.
		in["target"] = strings.NewReplacer(`"`, "", "“", "", "”", "").Replace(role[1] + " " + role[2])
	}
	return call("mouse_control", in), nil
}

// takesTarget reports whether the session's click tool accepts a target description.
func takesTarget(req models.Request) bool {
	return slices.ContainsFunc(req.Tools, func(t models.Tool) bool {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		return (t.Name == "mouse_control" || t.Name == "screen_click") && json.Unmarshal(t.Schema, &schema) == nil && schema.Properties["target"] != nil
	})
}

var quotedPattern = regexp.MustCompile(`^["'“”‘’](.+)["'“”‘’]$`)

var rolePattern = regexp.MustCompile(`(?i)^(?:the |a |an )?(.+?)(?: (button|link|tab|field|box|input|menu item|menu|item|entry|checkbox|option|label|text))?$`)

// words returns the words on the screen that a target names: those in quotes, or all words except
// an article and the kind of element.
func words(target string) string {
	target = strings.TrimSpace(target)
	if quoted := quotedPattern.FindStringSubmatch(target); quoted != nil {
		return quoted[1]
	}
	if part := rolePattern.FindStringSubmatch(target); part != nil {
		target = part[1]
	}
	return unquoted(target)
}

// unquoted returns a text without surrounding white space and without one pair of quotes around it.
func unquoted(text string) string {
	if quoted := quotedPattern.FindStringSubmatch(strings.TrimSpace(text)); quoted != nil {
		return quoted[1]
	}
	return strings.TrimSpace(text)
}

// typeInto clicks at a field, and then types a text: two calls.
func typeInto(req models.Request, part []string) ([]models.Call, error) {
	click, err := clickText(req, []string{"click", part[1]})
	if err != nil {
		return nil, err
	}
	text, err := typeText(req, part)
	return append(click, text...), err
}

// typeText types a text where the focus is.
func typeText(_ models.Request, part []string) ([]models.Call, error) {
	return call("keyboard_control", map[string]any{"action": "type", "text": unquoted(part[0])}), nil
}

// press presses a key, or several keys together.
func press(_ models.Request, part []string) ([]models.Call, error) {
	keys := keysOf(strings.ToLower(part[0]))
	how := "press"
	if len(keys) > 1 {
		how = "hotkey"
	}
	return call("keyboard_control", map[string]any{"action": how, "keys": keys}), nil
}

// keysOf returns the keys in a text. Spaces and plus signs separate keys. A plus sign where a key is
// expected is a key itself, as in "ctrl++" and "+". The end of the sentence is not a key, unless it is
// alone.
func keysOf(text string) (keys []string) {
	for text = strings.TrimSpace(text); text != ""; {
		n := len(text)
		if next := strings.IndexAny(text[1:], "+ "); next >= 0 {
			n = 1 + next
		}
		if text[0] == '+' {
			n = 1
		}
		key := text[:n]
		text = strings.TrimSpace(text[n:])
		if word := strings.TrimRight(key, ".!"); text == "" && word != "" {
			key = word
		}
		keys = append(keys, key)
		if after := strings.TrimSpace(strings.TrimPrefix(text, "+")); after != "" {
			text = after
		}
	}
	return keys
}

// scrollStep is the default scroll distance, in pixels.
const scrollStep = 400

// scroll scrolls by the given number of pixels, default scrollStep. A negative distance is up.
func scroll(_ models.Request, part []string) ([]models.Call, error) {
	far := scrollStep
	if n, err := strconv.Atoi(part[1]); err == nil {
		far = n
	}
	if strings.EqualFold(part[0], "up") {
		far = -far
	}
	return call("mouse_control", map[string]any{"action": "scroll", "scroll_y": far}), nil
}

// search searches the web.
func search(_ models.Request, part []string) ([]models.Call, error) {
	return call("web_search", map[string]any{"query": unquoted(part[0])}), nil
}

// screenshot takes a screenshot of the user's screen.
func screenshot(models.Request, []string) ([]models.Call, error) {
	return call("screenshot", map[string]any{}), nil
}

// imagePattern matches the text before an image in a conversation, which names the image.
var imagePattern = regexp.MustCompile(`^\[image ([A-Za-z0-9._-]+)\]$`)

// readScreen reads the latest image of the conversation. If there is none, it takes a screenshot.
func readScreen(req models.Request, _ []string) ([]models.Call, error) {
	for _, m := range slices.Backward(req.Messages) {
		if id := latestImage(m.Parts); id != "" {
			return call("ocr_read", map[string]any{"image": map[string]any{"artifact_id": id}}), nil
		}
	}
	return screenshot(req, nil)
}

// latestImage returns the artifact id of the last image that parts or the results in them name, or "".
func latestImage(parts []models.Part) string {
	for _, p := range slices.Backward(parts) {
		if found := imagePattern.FindStringSubmatch(p.Text); found != nil {
			return found[1]
		}
		if p.Result != nil {
			if id := latestImage(p.Result.Parts); id != "" {
				return id
			}
		}
	}
	return ""
}

// open opens a web address in the browser.
func open(_ models.Request, part []string) ([]models.Call, error) {
	return call("browser", map[string]any{"action": "open", "url": part[0]}), nil
}

// shell runs a shell command on the user's machine. It removes quotes and backticks around the command.
func shell(_ models.Request, part []string) ([]models.Call, error) {
	return call("run_shell_command", map[string]any{"command": strings.Trim(unquoted(part[0]), "`")}), nil
}

// run calls any tool by its name, in the form for models or with dots.
func run(_ models.Request, part []string) ([]models.Call, error) {
	arguments := json.RawMessage(part[1])
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	if !json.Valid(arguments) {
		return nil, excuse("The arguments of %s are invalid JSON. Write them as {\"name\": \"value\"}", part[0])
	}
	return []models.Call{{Name: strings.ReplaceAll(part[0], ".", "_"), Arguments: arguments}}, nil
}

// remember adds a text to the user's memory.
func remember(_ models.Request, part []string) ([]models.Call, error) {
	return call("memory_write", map[string]any{"text": unquoted(part[0])}), nil
}

// tries are example commands. help shows those for which the session has tools.
var tries = []string{`click Compose`, `type "hello" into Search, then press enter`, `take a screenshot`, `read the screen`, `search the web for tea`, `run command date`}

// help lists the commands that work in this session. It is the answer to a text that is no command.
func help(req models.Request) string {
	var b strings.Builder
	b.WriteString("No language model is set, so I understand plain commands only. Try:")
	for _, said := range tries {
		if _, calls := obey(req, said); calls != nil {
			b.WriteString("\n- " + said)
		}
	}
	fmt.Fprintf(&b, `
- run TOOL {"argument": "value"}
- what tools are there

This session has %d tools. To use a language model, set WINDIE_MODEL and the key of its provider, or run Ollama (docs/models.md).`, len(req.Tools))
	return b.String()
}

// maxListed is the maximum number of tools in a list.
const maxListed = 50

// list lists the session's tools with the first sentence of each description, at most maxListed.
func list(req models.Request) string {
	if len(req.Tools) == 0 {
		return "This session has no tools."
	}
	var b strings.Builder
	b.WriteString("The tools of this session:")
	for i, t := range req.Tools {
		if i == maxListed {
			fmt.Fprintf(&b, "\n- and %d more", len(req.Tools)-i)
			break
		}
		first, _, _ := strings.Cut(t.Description, ". ")
		first, _, _ = strings.Cut(first, "\n")
		fmt.Fprintf(&b, "\n- %s: %s", t.Name, strings.TrimSuffix(first, "."))
	}
	return b.String()
}
