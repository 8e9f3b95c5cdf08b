package main

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"strings"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/providers"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/ledger"
)

// limitSettings are those of how much a user or an address may ask for, see docs/deploy.md.
type limitSettings struct {
	UserRequests         int `key:"user_requests" env:"WINDIE_LIMITS_USER_REQUESTS" default:"0" hosted:"600" doc:"requests of one user in a minute, messages of /ws and MCP too; 0: any number; default in hosted mode: 600"`
	UserMegapixels       int `key:"user_megapixels" env:"WINDIE_LIMITS_USER_MEGAPIXELS" default:"0" hosted:"300" doc:"megapixels of screens that are read for one user in a minute; 0: any number; default in hosted mode: 300"`
	UserToolCalls        int `key:"user_tool_calls" env:"WINDIE_LIMITS_USER_TOOL_CALLS" default:"0" hosted:"300" doc:"calls of tools by one user in a minute; 0: any number; default in hosted mode: 300"`
	UserTurns            int `key:"user_turns" env:"WINDIE_LIMITS_USER_TURNS" default:"0" hosted:"60" doc:"turns of agents that one user begins in a minute, by whichever protocol; 0: any number; default in hosted mode: 60"`
	UserOpen             int `key:"user_open" env:"WINDIE_LIMITS_USER_OPEN" default:"0" hosted:"50" doc:"sockets and streams that one user has open at once, and large bodies that it is still sending; 0: any number; default in hosted mode: 50"`
	AddressRequests      int `key:"address_requests" env:"WINDIE_LIMITS_ADDRESS_REQUESTS" default:"0" hosted:"1200" doc:"requests from one address in a minute, messages of /ws and MCP too; 0: any number; default in hosted mode: 1200"`
	AddressMegapixels    int `key:"address_megapixels" env:"WINDIE_LIMITS_ADDRESS_MEGAPIXELS" default:"0" hosted:"600" doc:"megapixels of screens that are read for one address in a minute; 0: any number; default in hosted mode: 600"`
	AddressToolCalls     int `key:"address_tool_calls" env:"WINDIE_LIMITS_ADDRESS_TOOL_CALLS" default:"0" hosted:"600" doc:"calls of tools from one address in a minute; 0: any number; default in hosted mode: 600"`
	AddressRegistrations int `key:"address_registrations" env:"WINDIE_LIMITS_ADDRESS_REGISTRATIONS" default:"0" hosted:"20" doc:"registrations from one address in an hour; 0: any number; default in hosted mode: 20"`
	UserSound            int `key:"user_sound" env:"WINDIE_LIMITS_USER_SOUND" default:"0" hosted:"180" doc:"seconds of sound of one user that are transcribed in a minute; 0: any number; default in hosted mode: 180"`
	AddressSound         int `key:"address_sound" env:"WINDIE_LIMITS_ADDRESS_SOUND" default:"0" hosted:"600" doc:"seconds of sound from one address that are transcribed in a minute; 0: any number; default in hosted mode: 600"`
	AddressConnections   int `key:"address_connections" env:"WINDIE_LIMITS_ADDRESS_CONNECTIONS" default:"0" hosted:"1000" doc:"connections from one address at once, sockets not counted; trusted proxies have any number; 0: any number; default in hosted mode: 1000"`
	AddressOpen          int `key:"address_open" env:"WINDIE_LIMITS_ADDRESS_OPEN" default:"0" hosted:"200" doc:"sockets and streams that one address has open at once, and large bodies that it is still sending; 0: any number; default in hosted mode: 200"`
}

// quota returns the limits that the gateway itself holds callers to. Turns are the sessions'.
func (l limitSettings) quota() quota.Limits {
	return quota.Limits{
		UserRequests: l.UserRequests, UserMegapixels: l.UserMegapixels, UserToolCalls: l.UserToolCalls, UserOpen: l.UserOpen,
		AddressRequests: l.AddressRequests, AddressMegapixels: l.AddressMegapixels, AddressToolCalls: l.AddressToolCalls,
		AddressRegistrations: l.AddressRegistrations, AddressOpen: l.AddressOpen, AddressConnections: l.AddressConnections,
		UserSound: l.UserSound, AddressSound: l.AddressSound,
	}
}

// budgetSettings are those of what a user may spend on models, see docs/deploy.md.
type budgetSettings struct {
	TokensDay int64   `key:"tokens_day" env:"WINDIE_BUDGET_TOKENS_DAY" default:"0" hosted:"5000000" doc:"tokens that the requests of one user to models may take in a day; 0: any number; default in hosted mode: 5000000"`
	MoneyDay  float64 `key:"money_day" env:"WINDIE_BUDGET_MONEY_DAY" default:"0" max:"1000000000" zero:"no limit" doc:"what the requests of one user to models may cost in a day, as 2.50, in the currency that the catalogue's prices are in; 0: any amount"`
}

// maxMoney bounds a budget of money.
const maxMoney = 1e9

func (b budgetSettings) budget() ledger.Budget {
	return ledger.Budget{Tokens: b.TokensDay, Micros: microsOf(b.MoneyDay)}
}

// microsOf returns an amount of money in millionths.
func microsOf(money float64) int64 { return int64(math.Round(money * 1e6)) }

func (c *config) openLedger(db *database.DB, log *slog.Logger) *ledger.Ledger {
	currency := ""
	if catalogue, err := c.catalogue(); err == nil { // opening the models reports a wrong one
		currency = catalogue.Currency()
	}
	return ledger.Open(db, ledger.Options{Budget: c.Budget.budget(), Currency: currency, Log: log})
}

// payer returns who pays for what a request, or a call of a tool, asks of models.
func payer(ctx context.Context) string {
	if user := ledger.PayerOf(ctx); user != "" {
		return user
	}
	r := gateway.RequestOf(ctx)
	return cmp.Or(r.Owner, r.User, sdkapi.LocalUser)
}

// meter returns what books the requests of sessions to their users.
func meter(book *ledger.Ledger) func(models.Model, models.Price, string) models.Model {
	return func(model models.Model, price models.Price, user string) models.Model {
		return book.Model(model, price, func(context.Context) string { return user })
	}
}

// announceBudget logs which models a budget of money does not count.
func (c *config) announceBudget(log *slog.Logger, source *providers.Source) {
	if unpriced := source.Unpriced(); c.Budget.MoneyDay > 0 && len(unpriced) > 0 {
		log.Warn("these models have no price in the catalogue, so the budget of money does not count what they cost", slog.String("models", strings.Join(unpriced, " ")))
	}
}
