package sdkapi

import "time"

// UsagePath shows users their spending on models.
const UsagePath = "/api/usage"

// Usage is a user's spending on models in a day.
type Usage struct {
	UserID           string    `json:"user_id" doc:"Whose it is."`
	Day              string    `json:"day" format:"date" doc:"The day, in UTC." example:"2026-02-11"`
	ResetsAt         time.Time `json:"resets_at" doc:"When the next day begins, with the whole budget."`
	Requests         int64     `json:"requests" doc:"Requests to models, those of vision and of the search by meaning too."`
	UnpricedRequests int64     `json:"unpriced_requests" doc:"Of these, those to models without a price, which cost nothing here."`
	InputTokens      int64     `json:"input_tokens" doc:"Tokens of the requests."`
	OutputTokens     int64     `json:"output_tokens" doc:"Tokens of the answers."`
	Tokens           Spent     `json:"tokens" doc:"All tokens, and their budget."`
	MoneyMicros      Spent     `json:"money_micros" doc:"What they cost, and the budget, in millionths of the currency that the gateway's prices are in."`
	Currency         string    `json:"currency,omitempty" doc:"The code of that currency, where the catalogue of models says it." example:"EUR"`
}

// Spent is the used part of a budget.
type Spent struct {
	Used     int64 `json:"used"`
	Reserved int64 `json:"reserved" doc:"What requests under way may come to."`
	Limit    int64 `json:"limit" doc:"The budget of a day; 0: there is none."`
}
