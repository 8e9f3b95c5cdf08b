package conformance

import (
	"context"
	"net/url"

	"github.com/windieos/windie/internal/test/recorded"
)

// Stage starts the gateways that cases are run against.
type Stage interface {
	// Start starts a gateway for a case, or names one that runs. model is what its model says, one JSON object after the
	// other, as in a dialogue; nil if the case asks no model. stop ends it, and is called once.
	Start(ctx context.Context, name string, model []byte) (gateway string, stop func(), err error)
}

// Runner runs cases with clients.
type Runner struct {
	Stage     Stage
	Drivers   []*Driver
	Dialogues []*Dialogue
	Faults    []*Fault
	Files     Files
	Skips     Skips
	Progress  func(Case) // gets each case at its end; may be nil
}

// Case is what came of a dialogue or a fault with one client.
type Case struct {
	Name     string    `json:"case"`
	Kind     string    `json:"kind"` // dialogue or fault
	Language string    `json:"language"`
	Steps    []Outcome `json:"steps"`
}

// Run runs all cases, one after the other. The error is that of the runner; what clients do wrong is in the cases.
func (r *Runner) Run(ctx context.Context) ([]Case, error) {
	all := []Case{}
	done := func(c Case) {
		for i, step := range c.Steps {
			if skip := r.Skips.of(c.Language, c.Name, step.Step, step.failed); skip != nil && step.Result == Skipped {
				c.Steps[i].Why = skip.Reason + ": " + step.Why
			}
		}
		all = append(all, c)
		if r.Progress != nil {
			r.Progress(c)
		}
	}
	for _, d := range r.Dialogues {
		for _, driver := range r.Drivers {
			steps, err := r.dialogue(ctx, d, driver)
			if err != nil {
				return nil, err
			}
			done(Case{d.Name, "dialogue", driver.Language, steps})
		}
	}
	for _, f := range r.Faults {
		for _, driver := range r.Drivers {
			outcome, err := r.fault(ctx, f, driver)
			if err != nil {
				return nil, err
			}
			done(Case{f.Name, "fault", driver.Language, []Outcome{outcome}})
		}
	}
	return all, ctx.Err()
}

// dialogue plays a dialogue against a gateway of its own.
func (r *Runner) dialogue(ctx context.Context, d *Dialogue, driver *Driver) ([]Outcome, error) {
	gateway, proxy, contract, stop, err := r.begin(ctx, d.Name, d.Model)
	if err != nil {
		return nil, err
	}
	defer stop()
	u, err := url.Parse(proxy.url)
	if err != nil {
		return nil, err
	}
	p := &player{
		driver: driver, gateway: gateway, contract: contract, proxy: proxy, vars: recorded.New(u.Host), files: r.Files, streams: map[string]*call{}, sockets: map[string]*talk{}, tools: toolsOf(d), spoken: spoken{names: map[string]bool{}}, ops: map[string]string{}, broken: map[string]string{},
		skips: func(step, why string) *Skip { return r.Skips.of(driver.Language, d.Name, step, why) },
	}
	outcomes := p.play(ctx, d)
	for _, t := range p.sockets {
		if err := t.call.abort(); err != nil {
			return outcomes, err
		}
	}
	for _, c := range p.streams {
		if err := c.abort(); err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// begin starts a gateway and a proxy before it.
func (r *Runner) begin(ctx context.Context, name string, model []byte) (gateway string, p *proxy, c *contract, stop func(), err error) {
	gateway, stopGateway, err := r.Stage.Start(ctx, name, model)
	if err != nil {
		return "", nil, nil, nil, err
	}
	if p, err = newProxy(gateway); err != nil {
		stopGateway()
		return "", nil, nil, nil, err
	}
	if c, err = readContract(ctx, p.transport, gateway); err != nil {
		p.close()
		stopGateway()
		return "", nil, nil, nil, err
	}
	return gateway, p, c, func() {
		p.close()
		stopGateway()
	}, nil
}
