package metrics

import "github.com/prometheus/client_golang/prometheus"

// Metrics of refusals by limits, and of the use and cost of models.
var (
	limitRefused  = newFigure(prometheus.CounterValue, "windie_limit_refusals_total", "Requests refused by limits of users and addresses.", "limit")
	modelRequests = newFigure(prometheus.CounterValue, "windie_model_requests_total", "Requests to models, also of vision and memory, by whether the model has a price.", "priced")
	modelTokens   = newFigure(prometheus.CounterValue, "windie_model_tokens_total", "Tokens of requests to models (input) and of their answers (output).", "kind")
	modelCost     = newFigure(prometheus.CounterValue, "windie_model_cost_total", "Cost of requests to models, in the currency of the catalogue's prices.")
	budgetRefused = newFigure(prometheus.CounterValue, "windie_budget_refusals_total", "Requests to models, and turns, refused by budgets.")
)

// collectSpending sends the metrics of refusals by limits, and of the use and cost of models.
func (c *collector) collectSpending(ch chan<- prometheus.Metric) {
	for limit, n := range c.from.Refused() {
		limitRefused.send(ch, float64(n), limit)
	}
	if c.from.Ledger == nil {
		return
	}
	t := c.from.Ledger.Totals()
	modelRequests.send(ch, float64(t.Requests-t.Unpriced), "yes")
	modelRequests.send(ch, float64(t.Unpriced), "no")
	modelTokens.send(ch, float64(t.Input), "input")
	modelTokens.send(ch, float64(t.Output), "output")
	modelCost.send(ch, float64(t.Micros)/1e6)
	budgetRefused.send(ch, float64(t.Refused))
}
