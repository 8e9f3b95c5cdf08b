package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/retention"
)

// settingsInForce lists the settings for operators, without secrets.
func (c *config) settingsInForce() []sdkapi.Setting {
	var list []sdkapi.Setting
	for _, s := range settings(c) {
		one := sdkapi.Setting{Key: s.key, Env: s.env, Doc: s.doc, Preset: s.preset, Secret: s.secret(), Set: !s.value.IsZero(), Source: cmp.Or(c.sources[s.key], sdkapi.SettingByDefault)}
		if c.Mode == hostedMode {
			one.Preset = cmp.Or(s.hosted, s.preset)
		}
		if !one.Secret {
			one.Value = withoutPasswords(shownValue(s.value))
		}
		list = append(list, one)
	}
	return list
}

// shownValue formats a value for people, in the form of a flag.
func shownValue(v reflect.Value) string {
	if list, is := v.Interface().([]string); is {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v.Interface())
}

// withoutPasswords removes the password from a value that is a URL.
func withoutPasswords(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

// usageOfUser returns a function that measures a user's stored data of a kind, counted as for the
// quota. It returns nil for a kind without a quota.
func (s *state) usageOfUser(kind string) func(ctx context.Context, user string) (retention.Usage, error) {
	switch kind {
	case "artifacts":
		return func(ctx context.Context, user string) (used retention.Usage, err error) {
			err = s.db.Ask(ctx, "retention.usage", func(ctx context.Context, db *bun.DB) error {
				return db.NewRaw("SELECT count(*), coalesce(sum(size + ?), 0) FROM artifacts WHERE owner = ?", owned.Overhead, user).Scan(ctx, &used.Items, &used.Bytes)
			})
			return used, err
		}
	case "prompts":
		return func(ctx context.Context, user string) (used retention.Usage, err error) {
			err = s.db.Ask(ctx, "retention.usage", func(ctx context.Context, db *bun.DB) error {
				return db.NewRaw("SELECT count(*) FROM prompts WHERE user_id = ?", user).Scan(ctx, &used.Items)
			})
			return used, err
		}
	case "memory":
		return func(ctx context.Context, user string) (used retention.Usage, err error) {
			files, err := s.memory.Files(ctx, user)
			for _, f := range files {
				used.Items++
				used.Bytes += f.Size
			}
			return used, err
		}
	}
	return nil
}

// prompts returns the maximum number of prompts per user. 0 means no limit.
func (q quotaSettings) prompts() int64 { return 2 * q.Items }

// memory returns the maximum bytes of memory files per user. 0 means no limit.
func (q quotaSettings) memory() int64 {
	if q.Bytes == 0 {
		return 0
	}
	return max(1, q.Bytes/16)
}

// quotas returns the limits of a user's stored data, by kind.
func (c *config) quotas() map[string]retention.Usage {
	return map[string]retention.Usage{
		"artifacts": {Items: c.Quota.Items, Bytes: c.Quota.Bytes},
		"prompts":   {Items: c.Quota.prompts()},
		"memory":    {Bytes: c.Quota.memory()},
	}
}
