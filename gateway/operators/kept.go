package operators

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// addKept registers the routes of storage and retention.
func (s *door) addKept() {
	register(s, operation("operator-kept", http.MethodGet, sdkapi.OperatorKeptPath, "Get storage and retention",
		"Returns the count of each type of data, and its retention. The request reads much of the database.", 503), s.listKept)
	register(s, operation("prune", http.MethodPost, sdkapi.OperatorPrunePath, "Delete old data",
		"Deletes data older than the given ages, except artifacts marked to be kept. The age of an item counts from its last use. A given age below the "+
			"maximum time of a turn counts as this time. With `dry_run`, the route only counts the items. To give the space back to the disk, run `windie prune`.", 400, 413, 415, 422, 503), s.prune)
}

// listKept returns the usage of each kind of data. A kind that is not measured has Measured false and zero counts.
func (s *door) listKept(ctx context.Context, _ *struct{}) (*sdkapi.KeptList, error) {
	usage, err := s.retention.Measure(ctx)
	if err != nil {
		return nil, err
	}
	counts := s.retention.Counts()
	out := sdkapi.KeptList{Kinds: []sdkapi.KeptKind{}}
	for _, k := range s.retention.Kinds() {
		u, measured := usage[k.Name]
		var largest []sdkapi.KeptByUser
		for _, user := range u.Largest {
			largest = append(largest, sdkapi.KeptByUser{UserID: user.User, Items: user.Items, Bytes: user.Bytes})
		}
		out.Kinds = append(out.Kinds, sdkapi.KeptKind{
			Largest: largest,
			Kind:    k.Name, Items: u.Items, Bytes: u.Bytes, OldestAt: u.Oldest, Measured: measured, TTLSeconds: int64(k.TTL / time.Second), Prunable: k.Prunable,
			Aged: counts[k.Name].Aged, Erased: counts[k.Name].Erased,
		})
	}
	return &out, nil
}

// prunes validates all ages of a request before anything is deleted.
func (s *door) prunes(in sdkapi.PruneRequest) error {
	const op = "operators.prune"
	kinds := map[string]bool{}
	for _, k := range s.retention.Kinds() {
		kinds[k.Name] = k.Prunable
	}
	if len(in.OlderThanHours) == 0 {
		return fault.New(op, sdkapi.ValidationError, "name at least one kind to delete").At("body.older_than_hours", "expected at least one kind")
	}
	for kind, hours := range in.OlderThanHours {
		switch {
		case !kinds[kind]:
			return fault.New(op, sdkapi.ValidationError, "this kind cannot be deleted by age").
				At("body.older_than_hours", "expected prunable kinds of GET %s", sdkapi.OperatorKeptPath)
		case hours < 1 || hours > sdkapi.MaxPruneHours:
			return fault.New(op, sdkapi.ValidationError, "age out of range").At("body.older_than_hours."+kind, "expected 1 to %d hours", sdkapi.MaxPruneHours)
		}
	}
	return nil
}

// prune deletes old data, kind by kind in the order of their names. If one kind fails, the kinds before it stay
// deleted, and the error has their counts.
func (s *door) prune(ctx context.Context, in *gateway.Body[sdkapi.PruneRequest]) (*sdkapi.Pruned, error) {
	if err := s.prunes(in.Body); err != nil {
		return nil, err
	}
	done := sdkapi.Pruned{Removed: !in.Body.DryRun, Kinds: map[string]int64{}}
	for _, kind := range slices.Sorted(maps.Keys(in.Body.OlderThanHours)) {
		n, _, err := s.retention.Prune(ctx, kind, time.Duration(in.Body.OlderThanHours[kind])*time.Hour, in.Body.DryRun)
		if n > 0 || err == nil {
			done.Kinds[kind] = n
		}
		if err != nil {
			return nil, interrupted(err, kind, done)
		}
	}
	return &done, nil
}

// interrupted adds to the error of one kind the numbers of items that were deleted before.
func interrupted(err error, kind string, done sdkapi.Pruned) error {
	var deleted []string
	for _, kind := range slices.Sorted(maps.Keys(done.Kinds)) {
		deleted = append(deleted, fmt.Sprintf("%s: %d", kind, done.Kinds[kind]))
	}
	if !done.Removed || len(deleted) == 0 {
		return err
	}
	f := *fault.From(err) // a copy, as callers may share it
	f.Message = fmt.Sprintf("cannot delete all items of %s: %s; deleted before that: %s", kind, f.Message, strings.Join(deleted, ", "))
	return &f
}
