package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// Messages to the program besides keys.
type (
	heard     struct{ m sdkapi.AgentMessage }
	connected struct{ err error }
	printed   struct{}
	ticked    struct{}
	served    struct{ err error }
	noted     struct{ id, line string } // progress of a call
	uploaded  struct {
		text, shown string
		images      []sdkapi.ImageSource
		err         error
	}
)

// mode is the purpose of the input line.
type mode int

// The modes.
const (
	saying  mode = iota // a message to the agent
	denying             // the reason for denying a call
	editing             // a call's arguments
)

// screen shows a conversation in a terminal. Finished blocks go to the terminal's own history,
// above the view. The view has the open text, a question, and the input line.
type screen struct {
	talk
	ctx     context.Context
	opts    Options
	host    *sdk.Host
	runner  *runner
	allowed permits
	history *history

	line          textarea.Model
	mode          mode
	images        []string   // images for the next message
	waiting       []uploaded // messages to send once the agent is done
	width, height int
	out           []string // finished blocks that are not printed yet
	printing      bool
	away          error     // why the connection is broken; nil if it is not
	quit          time.Time // time of the last Ctrl-C
	askedAt       time.Time // since when the question is shown
	spin          int
	rendered      string    // the open text as last rendered
	renderedAt    time.Time // time of that rendering
	renderedText  string    // its source text
	tall          int       // rows of the view on the screen
	wanted        int       // rows that it needs; fewer than tall while it shrinks
	shrinks       time.Time // since when it shrinks; zero if it does not
	frames        int64     // count of drawn frames at that time
	drawn         atomic.Int64
	err           error
	leaving       bool
}

// runScreen holds a conversation in a terminal.
func runScreen(ctx context.Context, opts Options, r *runner, allowed permits) (done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newScreen(ctx, opts, r, allowed)
	out := opts.Out
	if file, ok := out.(*os.File); ok {
		out = drawing{file, &s.drawn}
	}
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(opts.In), tea.WithOutput(out), tea.WithEnvironment(opts.Environ), tea.WithoutSignalHandler())
	r.noted = func(id, line string) { p.Send(noted{id, line}) }
	defer opts.Steps.join(func(m sdkapi.AgentMessage) { p.Send(heard{m}) })()
	s.host, err = opts.open(ctx, sdk.HostOptions{
		History: opts.Session != "", Tools: r.manifest(), Run: r.run,
		Heard: func(m sdkapi.AgentMessage) { p.Send(heard{m}) }, Connected: func(err error) { p.Send(connected{err}) },
	})
	if err != nil {
		return false, err
	}
	serving := make(chan struct{})
	go func() {
		defer close(serving)
		p.Send(served{s.host.Serve(ctx)})
	}()
	_, err = p.Run()
	cancel()
	<-serving
	if s.err != nil || s.leaving {
		err = s.err
	}
	s.farewell(opts.Out)
	return err == nil, err
}

// newScreen returns a screen without a host, which runScreen sets.
func newScreen(ctx context.Context, opts Options, r *runner, allowed permits) *screen {
	line := textarea.New()
	line.Placeholder, line.Prompt, line.ShowLineNumbers = "Say what you want. /help lists what else there is.", "› ", false
	line.DynamicHeight, line.MinHeight, line.MaxHeight = true, 1, 10
	line.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	line.SetVirtualCursor(false)
	style := "dark"
	if environ(opts.Environ, "NO_COLOR") != "" {
		style = "notty"
	}
	return &screen{
		talk: talk{md: &markdown{style: style}, files: r.files, ours: map[string]bool{}, notes: map[string]string{}},
		ctx:  ctx, opts: opts, runner: r, allowed: allowed, history: openHistory(opts.History), line: line,
	}
}

// environ returns the value of an environment variable of the terminal.
func environ(list []string, name string) (value string) {
	for _, v := range list {
		if found, ok := strings.CutPrefix(v, name+"="); ok {
			value = found
		}
	}
	return value
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd {
	s.out = append(s.out, faintLook.Render(fmt.Sprintf("windie agent · session %s · %s", s.host.ID(), plain.Text(s.opts.Root))))
	return tea.Batch(s.line.Focus(), tick(), s.print())
}

// spinTime is the interval between two pictures of the spinner.
const spinTime = 120 * time.Millisecond

// tick returns the command for the next picture of the spinner.
func tick() tea.Cmd { return tea.Tick(spinTime, func(time.Time) tea.Msg { return ticked{} }) }

// frameTime is longer than drawing a frame takes.
const frameTime = 40 * time.Millisecond

// print prints the finished blocks. Only one print runs at a time, because two may arrive in any
// order. It first waits for a frame: rows that the view gives up in the frame of a print would stay
// above it.
func (s *screen) print() tea.Cmd {
	if s.printing || len(s.out) == 0 || s.width == 0 {
		return nil
	}
	text := ansi.Wrap(strings.Join(s.out, "\n"), s.width-1, " /-")
	s.out, s.printing = nil, true
	wait := tea.Tick(frameTime, func(time.Time) tea.Msg { return nil })
	return tea.Sequence(wait, tea.Println(text), func() tea.Msg { return printed{} })
}

// Update implements tea.Model.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	before := s.question()
	defer func() {
		if s.question() != before {
			s.askedAt = time.Now()
		}
	}()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		s.line.SetWidth(msg.Width)
		s.md.resize(msg.Width)
	case heard:
		s.take(msg.m)
	case connected:
		s.away = msg.err
	case noted:
		s.notes[msg.id] = msg.line
	case served:
		s.err = msg.err
		cmd = s.leave()
	case uploaded:
		s.send(msg)
	case printed:
		s.printing = false
		if s.leaving && len(s.out) == 0 {
			return s, goodbye()
		}
	case ticked:
		s.spin++
		cmd = tick()
	case tea.PasteMsg:
		cmd = s.paste(msg)
	case tea.KeyPressMsg:
		cmd = s.press(msg)
	default:
		s.line, cmd = s.line.Update(msg)
	}
	return s, tea.Batch(cmd, s.print())
}

// leave ends the program once everything is printed.
func (s *screen) leave() tea.Cmd {
	s.leaving = true
	if s.printing || len(s.out) > 0 {
		return nil // the handler of printed continues
	}
	return goodbye()
}

// goodbye ends the program once the view has given up its rows, see shrunk.
func goodbye() tea.Cmd {
	return tea.Tick(shrinkTime+2*spinTime, func(time.Time) tea.Msg { return tea.Quit() })
}

// take handles a message of the session.
func (s *screen) take(m sdkapi.AgentMessage) {
	if asked, ok := m.(*sdkapi.AgentApprovalMessage); ok && s.allowed.allow(asked, s.files) {
		s.settle(asked, sdk.Decision{Approved: true})
		s.out = append(s.out, s.flush()...)
		return
	}
	before := s.question()
	s.out = append(s.out, s.hear(m)...)
	if _, ended := m.(*sdkapi.AgentDoneMessage); ended && len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.send(next)
	}
	if s.mode != saying && s.question() != before { // the input was about a question that is gone
		s.mode = saying
		s.line.Reset()
	}
}

// question returns the current question to the user, or nil.
func (s *screen) question() *sdkapi.AgentApprovalMessage {
	if len(s.asked) == 0 {
		return nil
	}
	return s.asked[0]
}

// paste handles a pasted text, or attaches images if it names some.
func (s *screen) paste(msg tea.PasteMsg) (cmd tea.Cmd) {
	if s.mode == saying {
		if files := pastedImages(msg.Content); len(files) > 0 {
			s.attach(files...)
			return nil
		}
	}
	s.line, cmd = s.line.Update(msg)
	return cmd
}

// attach adds images to the next message.
func (s *screen) attach(files ...string) {
	for _, file := range files {
		if len(s.images) == sdkapi.MaxAgentImages {
			s.out = append(s.out, errorLook.Render(fmt.Sprintf("a message can have at most %d images", sdkapi.MaxAgentImages)))
			return
		}
		s.images = append(s.images, file)
	}
}

// say sends the text in the line, once its images are uploaded.
func (s *screen) say(text string) tea.Cmd {
	images := s.images
	s.images = nil
	s.history.add(text)
	shown := saidBlock(text, len(images))
	if len(images) == 0 {
		s.send(uploaded{text: text, shown: shown})
		return nil
	}
	return func() tea.Msg {
		sources, err := upload(s.ctx, s.opts.Client, images)
		return uploaded{text, shown, sources, err}
	}
}

// send sends a message whose images are uploaded.
func (s *screen) send(msg uploaded) {
	if msg.err != nil {
		s.out = append(s.out, errorLook.Render(safe(msg.err.Error())))
		return
	}
	if s.running {
		s.waiting = append(s.waiting, msg)
		return
	}
	s.ours[s.host.Say(msg.text, msg.images...)] = true
	s.running = true
	s.out = append(s.out, msg.shown)
}

// decide answers the question.
func (s *screen) decide(d sdk.Decision) {
	asked := s.question()
	s.settle(asked, d)
	s.answered(asked.ToolCallID)
	s.mode = saying
	s.line.Reset()
}

// settle sends an answer to the requester: a tool of this machine, or the gateway.
func (s *screen) settle(asked *sdkapi.AgentApprovalMessage, d sdk.Decision) {
	if !s.opts.Steps.answer(asked.ToolCallID, d.Approved) {
		s.runner.consents.give(asked, d)
		s.host.Decide(asked, d)
	}
}

// always adds a rule, and allows all pending requests that match it.
func (s *screen) always(r rule) {
	s.allowed = append(s.allowed, r)
	for _, asked := range append([]*sdkapi.AgentApprovalMessage(nil), s.asked...) {
		if s.allowed.allow(asked, s.files) {
			s.settle(asked, sdk.Decision{Approved: true})
			s.answered(asked.ToolCallID)
		}
	}
}

// edited allows the call with the arguments in the line.
func (s *screen) edited() {
	raw := []byte(s.line.Value())
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		s.out = append(s.out, errorLook.Render("not a JSON object: "+safe(err.Error())))
		return
	}
	s.decide(sdk.Decision{Approved: true, Arguments: raw})
}

// farewell lists the changed files, and says how to resume.
func (s *screen) farewell(w io.Writer) {
	for _, f := range s.files.summary() {
		fmt.Fprintf(w, "%s %s (%s)\n", f.Change, plain.Text(f.Path), counted(f.Added, f.Removed))
	}
	fmt.Fprintf(w, "To go on: windie agent --session %s\n", s.host.ID())
}

// sizeOf formats the size of an image for people.
func sizeOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "gone"
	}
	return fmt.Sprintf("%d KB", (info.Size()+1023)/1024)
}
