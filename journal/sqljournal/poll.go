package sqljournal

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
)

// channel is where gateways send each other topics.
const channel = "windie_journal"

// pollAtOnce is how many streams or decisions one query asks for.
const pollAtOnce = 500

// runListener wakes those who wait for the topics of another gateway.
func (j *Journal) runListener() {
	ctx, cancel := j.untilClosed()
	defer cancel()
	j.db.Listen(ctx, channel, j.hub.wakeAll, func(notice string) { j.hub.wake(topicsOf(notice)...) })
}

// runPoller wakes those who wait for what has changed without a notice.
func (j *Journal) runPoller() {
	ctx, cancel := j.untilClosed()
	defer cancel()
	background.Every(ctx, j.poll, func(ctx context.Context) {
		_ = j.pollOnce(ctx) // if the database is away, the next look comes soon enough
	})
}

func (j *Journal) pollOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	streams, decisions := j.hub.waiting()
	for names := range slices.Chunk(streams, pollAtOnce) {
		if err := j.pollStreams(ctx, names); err != nil {
			return err
		}
	}
	for ids := range slices.Chunk(decisions, pollAtOnce) {
		if err := j.pollDecisions(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) pollStreams(ctx context.Context, names []string) error {
	var rows []struct {
		ID   int64
		Name string
		Last int64
	}
	err := j.db.Ask(ctx, "sqljournal.poll", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT id, name, last FROM streams WHERE name IN (?)", bun.List(names)).Scan(ctx, &rows)
	})
	if err != nil {
		return err
	}
	now := map[string]mark{} // the zero mark for one that is not there
	for _, row := range rows {
		now[row.Name] = mark{row.ID, row.Last}
	}
	for _, name := range names {
		j.hub.wakeBehind(name, now[name])
	}
	return nil
}

func (j *Journal) pollDecisions(ctx context.Context, ids []string) error {
	var open []string
	err := j.db.Ask(ctx, "sqljournal.poll", func(ctx context.Context, db *bun.DB) error {
		open = nil
		return db.NewRaw("SELECT id FROM decisions WHERE id IN (?) AND state = 'pending'", bun.List(ids)).Scan(ctx, &open)
	})
	if err != nil {
		return err
	}
	still := map[string]bool{}
	for _, id := range open {
		still[id] = true
	}
	for _, id := range ids {
		if !still[id] {
			j.hub.wake(decisionTopic(id))
		}
	}
	return nil
}
