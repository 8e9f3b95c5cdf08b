package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/windieos/windie/agent"
)

// BenchmarkInvoke is what the registry adds to a call: a tool that does
// nothing, with no schema, with two of four fields, and made by Func.
func BenchmarkInvoke(b *testing.B) {
	const input = `{"type":"object","required":["city"],"additionalProperties":false,"properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1},"unit":{"enum":["C","F"]},"note":{"type":"string"}}}`
	const output = `{"type":"object","required":["degrees"],"properties":{"degrees":{"type":"number"}}}`
	answer := func(context.Context, agent.Call) (agent.Result, error) {
		return agent.Result{Structured: json.RawMessage(`{"degrees":21.5}`)}, nil
	}
	plain, checked := with("", ""), with(input, output)
	plain.answer, checked.answer = answer, answer
	typed := forecast(func(context.Context, agent.Call, forecastIn) (forecastOut, error) { return forecastOut{}, nil })
	for _, bb := range []struct {
		name      string
		tool      agent.Tool
		arguments string
	}{
		{"without schemas", plain, `{"city":"Rome","days":3}`},
		{"with schemas", checked, `{"city":"Rome","days":3}`},
		{"of Func", typed, `{"city":"Rome","days":3}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := registered(b, bb.tool)
			name := bb.tool.Descriptor().Name
			call := agent.Call{Arguments: json.RawMessage(bb.arguments)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Invoke(b.Context(), name, call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChange is what it costs to replace one tool among many, with its
// schemas compiled anew.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := agent.NewRegistry()
			other := agent.Origin{Kind: agent.Wasm, Owner: "other"}
			for i := range n {
				if err := r.Register(tool(fmt.Sprintf("t.t%d", i), weather)); err != nil {
					b.Fatal(err)
				}
			}
			one := with(place, "")
			one.about.Name, one.about.Origin = "t.other", other
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Update(other, []agent.Tool{one}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	r := agent.NewRegistry()
	for i := range 200 {
		if err := r.Register(tool(fmt.Sprintf("t.t%d", i), weather)); err != nil {
			b.Fatal(err)
		}
	}
	view := r.View(agent.Tags(""))
	b.ReportAllocs()
	for b.Loop() {
		view.List()
	}
}
