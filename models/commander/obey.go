package commander

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander/sentence"
)

// command is a command that the commander understands: its pattern, and a function that returns its
// calls.
type command struct {
	pattern *regexp.Regexp
	calls   func(req models.Request, part []string) ([]models.Call, error)
	exact   bool // the command ends with a text in which a period or "!" counts
}

// commands are tried in order; the first match is used. A pattern must match the whole text, in any
// case. What else begins with a verb for the screen is for the screen's own tool.
var commands = []command{
	{like(`(?:open|go to|browse to|öffne) (https?://\S+)`), open, false},
	{like(`(?:search|look on) the (?:web|internet) for (.+)`), search, false},
	{like(`(?:search|look) for (.+) (?:on|in) the (?:web|internet)`), search, false},
	{like(`web search(?: for)? (.+)`), search, false},
	{like("(?:run|execute) (?:the )?(?:shell )?command (.+)"), shell, true},
	{like(`(?:run|call|invoke) (?:the tool )?([A-Za-z0-9_.-]+) ?(\{.*\})?`), run, false},
	{like(`remember (?:that )?(.+)`), remember, false},
	{like(`(?:read|what is on|what's on|ocr) (?:the |my )?screen`), readScreen, false},
}

// like compiles a pattern for a whole text, in any case. The text may begin with "please" and have
// several lines.
func like(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:please |bitte )?` + pattern + `$`)
}

var helpPattern = like(`(?:help|what can you do\??|(?:what|which) tools (?:are there|do you have|have you)\??|list (?:the )?tools)`)

// planOf returns the plan of what a user said, or an answer if it cannot be carried out. If it does not understand a part, it
// returns neither, so that no command is carried out in part.
func planOf(req models.Request, said string) (answer string, plan []step) {
	if helpPattern.MatchString(said) {
		return list(req), nil
	}
	if part := conditionPattern.FindStringSubmatch(said); part != nil {
		return conditional(req, part[1:])
	}
	for _, part := range parts(req, said) {
		calls, err := part.calls, part.err
		if calls == nil && err == nil {
			calls, err = onScreen(req, part.said)
		}
		if err != nil {
			return err.Error(), nil
		}
		if calls == nil {
			return "", nil
		}
		for _, c := range calls {
			plan = append(plan, step{call: c})
		}
	}
	return "", plan
}

// part is a part of a message: a command with its calls, or steps for the screen.
type part struct {
	said  string
	calls []models.Call
	err   error
}

// parts returns the parts of a message. Steps for the screen that follow one another are one part, because only the
// screen shows where a name ends.
func parts(req models.Request, said string) (list []part) {
	from := -1 // where steps for the screen begin
	add := func(to int) {
		if from >= 0 {
			list = append(list, part{said: strings.TrimRight(said[from:to], " ,;")})
		}
		from = -1
	}
	for _, s := range steps(said) {
		calls, err := understand(req, said[s[0]:s[1]])
		if calls == nil && err == nil {
			if from < 0 {
				from = s[0]
			}
			continue
		}
		add(s[0])
		list = append(list, part{calls: calls, err: err})
	}
	add(len(said))
	return list
}

// onScreen returns the calls of steps for the screen, or nil if the text is no command.
func onScreen(req models.Request, said string) ([]models.Call, error) {
	if !sentence.IsCommand(said) {
		return nil, nil
	}
	if offers(req, "screen_do") {
		in := map[string]any{"say": said}
		if offers(req, "screenshot") { // the desktop's own tools: people watch such a session by its pictures
			in["picture"] = true
		}
		return call("screen_do", in), nil
	}
	return onDesktop(req, said)
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
		for _, call := range calls {
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

// search searches the web.
func search(_ models.Request, part []string) ([]models.Call, error) {
	return call("web_search", map[string]any{"query": unquoted(part[0])}), nil
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
var tries = []string{
	`click Compose`, `type "hello" into Search, then press enter`, `choose File > Save`, `drag report.txt to Trash`, `scroll to the end`,
	`wait for "Ready"`, `switch to the window Inbox`, `if there is "Continue", then click Continue`, `take a screenshot`, `read the screen`,
	`search the web for tea`, `run command date`,
}

// help lists the commands that work in this session. It is the answer to a text that is no command.
func help(req models.Request) string {
	var b strings.Builder
	b.WriteString("No language model is set, so I understand plain commands only. Try:")
	for _, said := range tries {
		if _, plan := planOf(req, said); plan != nil {
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
