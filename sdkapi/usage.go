package sdkapi

import "time"

// UsagePath shows users their spending on models.
const UsagePath = "/api/usage"

// Usage is a user's spending on models in a day.
type Usage struct {
	UserID           string    `json:"user_id" doc:"The user."`
	Day              string    `json:"day" format:"date" doc:"The day, in UTC." example:"2026-02-11"`
	ResetsAt         time.Time `json:"resets_at" doc:"When the budget starts again: the beginning of the next day."`
	Requests         int64     `json:"requests" doc:"Requests to models, including vision and embedding models."`
	UnpricedRequests int64     `json:"unpriced_requests" doc:"Requests to models without a price, which count as free."`
	InputTokens      int64     `json:"input_tokens" doc:"Tokens of the requests."`
	OutputTokens     int64     `json:"output_tokens" doc:"Tokens of the answers."`
	Tokens           Spent     `json:"tokens" doc:"The day's tokens and the daily budget, in tokens."`
	MoneyMicros      Spent     `json:"money_micros" doc:"The day's cost and the daily budget, in millionths of a unit of the currency."`
	Currency         string    `json:"currency,omitempty" doc:"Code of the currency, if the model catalogue sets one." example:"EUR"`
}

// Spent is the used part of a budget.
type Spent struct {
	Used     int64 `json:"used"`
	Reserved int64 `json:"reserved" doc:"Amount reserved for running requests."`
	Limit    int64 `json:"limit" doc:"Daily budget; 0 means no limit."`
}
