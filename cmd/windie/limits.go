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

// share returns a fraction of a limit: some/parts of it, rounded down, but at least 1. For the limit
// 0, which means no limit, it returns 0.
func share(of, some, parts int) int {
	if of == 0 {
		return 0
	}
	return max(1, of*some/parts)
}

// quota returns the limits that the gateway itself enforces. docs/limits.md lists them.
func (l limitSettings) quota() quota.Limits {
	user, address := l.UserRequests, l.AddressRequests
	return quota.Limits{
		UserRequests: user, UserMegapixels: share(user, 1, 2), UserToolCalls: share(user, 1, 2), UserOpen: share(user, 1, 12), UserSound: share(user, 3, 10),
		AddressRequests: address, AddressMegapixels: share(address, 1, 2), AddressToolCalls: share(address, 1, 2), AddressSound: share(address, 1, 2),
		AddressRegistrations: share(address, 1, 60), AddressOpen: share(address, 1, 6), AddressConnections: share(address, 5, 6),
	}
}

// turns returns how many turns per minute a user may begin. Sessions enforce it.
func (l limitSettings) turns() int { return share(l.UserRequests, 1, 10) }

// maxMoney is the maximum budget of money per day, in the currency of the prices.
const maxMoney = 1e9

// budget returns the default budget of a user per day. 0 means no limit.
func (b budgetSettings) budget() ledger.Budget {
	return ledger.Budget{Tokens: b.TokensDay, Micros: microsOf(b.MoneyDay)}
}

// microsOf returns an amount of money in millionths.
func microsOf(money float64) int64 { return int64(math.Round(money * 1e6)) }

// openLedger returns the ledger of model costs. There is nothing to close. Its currency is empty if
// the catalogue is invalid.
func (c *config) openLedger(db *database.DB, log *slog.Logger) *ledger.Ledger {
	currency := ""
	if catalogue, err := c.catalogue(); err == nil { // opening the models reports an invalid catalogue
		currency = catalogue.Currency()
	}
	return ledger.Open(db, ledger.Options{Budget: c.Budget.budget(), Currency: currency, Log: log})
}

// payer returns the user who pays for the model requests of a request or tool call.
func payer(ctx context.Context) string {
	if user := ledger.PayerOf(ctx); user != "" {
		return user
	}
	r := gateway.RequestOf(ctx)
	return cmp.Or(r.Owner, r.User, sdkapi.LocalUser)
}

// meter returns a wrapper that records the cost of sessions' model requests for their users.
func meter(book *ledger.Ledger) func(models.Model, models.Price, string) models.Model {
	return func(model models.Model, price models.Price, user string) models.Model {
		return book.Model(model, price, func(context.Context) string { return user })
	}
}

// announceBudget logs which models a budget of money does not cover.
func (c *config) announceBudget(log *slog.Logger, source *providers.Source) {
	if unpriced := source.Unpriced(); c.Budget.MoneyDay > 0 && len(unpriced) > 0 {
		log.Warn("these models have no price in the catalogue; the money budget does not count their cost", slog.String("models", strings.Join(unpriced, " ")))
	}
}
