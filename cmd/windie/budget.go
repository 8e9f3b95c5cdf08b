package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/ledger"
)

// userBudgetCommand returns `windie user budget`. Without flags it only reads the budget and the
// spending.
func userBudgetCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "budget USER",
		Short: "Show what a user has spent on models today, or set a budget for the user",
		Long: "Without flags, the command changes nothing. From the user's next model request on, the user's own\n" +
			"budget replaces the budget in the settings. If you set only --tokens or only --money, the other has\n" +
			"no limit. 0 means no limit.",
		Example: "  windie user budget USER\n  windie user budget USER --tokens 10000000 --money 5",
		Args:    cobra.ExactArgs(1),
	}
	var tokens int64
	var money float64
	var preset bool
	cmd.Flags().Int64Var(&tokens, "tokens", 0, "maximum `TOKENS` per day")
	cmd.Flags().Float64Var(&money, "money", 0, "maximum `COST` per day, for example 2.50, in the currency of the prices")
	cmd.Flags().BoolVar(&preset, "default", false, "remove the user's own budget, so that the budget in the settings applies")
	answer := printed(cmd)
	cmd.RunE = load.withDatabase(func(cmd *cobra.Command, c *config, db *database.DB, args []string) error {
		own := cmd.Flags().Changed("tokens") || cmd.Flags().Changed("money")
		if own && preset || tokens < 0 || !(money >= 0 && money <= maxMoney) {
			return wrongArgument("give --tokens and --money with values of 0 or more, or give only --default")
		}
		book := c.openLedger(db, newLog(cmd.ErrOrStderr(), c))
		var err error
		switch {
		case own:
			err = book.SetBudget(cmd.Context(), args[0], &ledger.Budget{Tokens: tokens, Micros: microsOf(money)})
		case preset:
			err = book.SetBudget(cmd.Context(), args[0], nil)
		}
		if err != nil {
			return err
		}
		u, err := book.Usage(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return answer(spentInfo{args[0], u.Requests, u.Unpriced, u.Input + u.Output, u.Budget.Tokens, ledger.Money(u.Micros), ledger.Money(u.Budget.Micros), u.Own, u.Resets})
	})
	return cmd
}

// spentInfo is a user's spending today, in the output of commands.
type spentInfo struct {
	UserID    string    `json:"user_id"`
	Requests  int64     `json:"requests"`
	Unpriced  int64     `json:"unpriced_requests"`
	Tokens    int64     `json:"tokens"`
	MaxTokens int64     `json:"tokens_day"` // 0: no limit
	Money     string    `json:"money"`
	MaxMoney  string    `json:"money_day"` // 0.00: no limit
	Own       bool      `json:"own_budget"`
	Resets    time.Time `json:"resets_at"`
}

// print prints the spending of the UTC day and the limits in two sentences, and a third if some
// requests had no price.
func (s spentInfo) print(w io.Writer) error {
	of := map[bool]string{true: "the user's own", false: "that of the settings"}[s.Own]
	limit := func(n, none string) string {
		if n == none {
			return "no limit"
		}
		return n
	}
	_, err := fmt.Fprintf(w, "%s today: %d requests to models, %d tokens (%s), %s (%s). The budget is %s, and begins anew at %s.\n",
		s.UserID, s.Requests, s.Tokens, limit(fmt.Sprint(s.MaxTokens), "0"), s.Money, limit(s.MaxMoney, "0.00"), of, stamp(s.Resets))
	if s.Unpriced > 0 {
		_, failed := fmt.Fprintf(w, "%d of the requests were to models without a price, and cost nothing here.\n", s.Unpriced)
		err = cmp.Or(err, failed)
	}
	return err
}
