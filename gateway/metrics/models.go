package metrics

import "github.com/prometheus/client_golang/prometheus"

// Metrics of requests to language models and of turns. Durations and tokens have the names that
// OpenTelemetry's conventions for generative AI define, in the form of Prometheus.
var (
	genTook      = newFigure(prometheus.UntypedValue, "gen_ai_client_operation_duration_seconds", "Time of a request to a language model, to the end of its answer, with retries.", "gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
	genFirst     = newFigure(prometheus.UntypedValue, "gen_ai_client_operation_time_to_first_chunk_seconds", "Time of a request to a language model, to the first piece of its answer.", "gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")
	genTokens    = newFigure(prometheus.CounterValue, "gen_ai_client_token_usage_total", "Tokens of requests to language models (input) and of their answers (output), as the provider counts.", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_token_type")
	modelAnswers = newFigure(prometheus.CounterValue, "windie_model_answers_total", "Requests to language models, by result. CANCELED: the caller left.", "provider", "model", "code")

	turnsRunning = newFigure(prometheus.GaugeValue, "windie_turns_running", "Turns running on this gateway.")
	turnsEnded   = newFigure(prometheus.CounterValue, "windie_turns_ended_total", "Turns that ended on this gateway, by reason: done, or why not.", "protocol", "reason")
	turnsTook    = newFigure(prometheus.UntypedValue, "windie_turn_duration_seconds", "Time of a turn, including waiting for people.", "protocol")
)

// modelFigures are the metrics above.
var modelFigures = []figure{genTook, genFirst, genTokens, modelAnswers, turnsRunning, turnsEnded, turnsTook}

// chat is the operation name of all requests, as the conventions define it.
const chat = "chat"

// collectModels sends the metrics of requests to language models.
func (c *collector) collectModels(ch chan<- prometheus.Metric) {
	if c.from.Models == nil {
		return
	}
	for _, m := range c.from.Models() {
		genTook.sendAll(ch, m.Took, chat, m.Provider, m.Model)
		genFirst.sendAll(ch, m.First, chat, m.Provider, m.Model)
		genTokens.send(ch, float64(m.Usage.Prompt()), m.Provider, m.Model, "input")
		genTokens.send(ch, float64(m.Usage.Output+m.Usage.Reasoning), m.Provider, m.Model, "output")
		for code, n := range m.Outcomes {
			modelAnswers.send(ch, float64(n), m.Provider, m.Model, code)
		}
	}
}

// collectTurns sends the metrics of turns.
func (c *collector) collectTurns(ch chan<- prometheus.Metric) {
	if c.from.Sessions == nil {
		return
	}
	f := c.from.Sessions.Figures()
	turnsRunning.send(ch, float64(f.Running))
	for protocol, took := range f.Took {
		turnsTook.sendAll(ch, took, protocol)
	}
	for protocol, ends := range f.Ends {
		for reason, n := range ends {
			turnsEnded.send(ch, float64(n), protocol, string(reason))
		}
	}
}
