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

// quota returns the limits that the gateway itself holds callers to. Turns are the sessions'.
func (l limitSettings) quota() quota.Limits {
	return quota.Limits{
		UserRequests: l.UserRequests, UserMegapixels: l.UserMegapixels, UserToolCalls: l.UserToolCalls, UserOpen: l.UserOpen,
		AddressRequests: l.AddressRequests, AddressMegapixels: l.AddressMegapixels, AddressToolCalls: l.AddressToolCalls,
		AddressRegistrations: l.AddressRegistrations, AddressOpen: l.AddressOpen, AddressConnections: l.AddressConnections,
		UserSound: l.UserSound, AddressSound: l.AddressSound,
	}
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
