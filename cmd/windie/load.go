package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/windieos/windie/sdkapi"
)

// loader returns the settings in force. Its error is a *configError.
type loader func() (*config, error)

// addConfigFlags adds a flag to root for every setting that is not a secret. It returns the loader
// that reads them.
func addConfigFlags(root *cobra.Command, environ []string) loader {
	env := environMap(environ)
	flags := root.PersistentFlags()
	flags.String("config", "", "YAML `FILE` of settings (env WINDIE_CONFIG)")
	_ = flags.SetAnnotation("config", settingAnnotation, []string{"config"}) // cannot fail: the flag exists
	for _, s := range settings(new(config)) {
		if !s.secret() {
			addSettingFlag(flags, s)
		}
	}
	return func() (*config, error) { return load(flags, env) }
}

// environMap returns the variables by name. If a name occurs twice, the last value wins.
func environMap(environ []string) map[string]string {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	return env
}

// load merges defaults, file, environment and flags, in this order, and checks the result. A later
// source wins. It reports all problems at once.
func load(flags *pflag.FlagSet, env map[string]string) (*config, error) {
	c, p := new(config), new(configError)
	given := koanf.New(".")
	// cannot fail: it is a map
	merge := func(k *koanf.Koanf, layer map[string]any) { _ = k.Load(confmap.Provider(layer, "."), nil) }
	if path := configPath(flags, env); path != "" {
		err := given.Load(file.Provider(path), yaml.Parser())
		p.add(err != nil, "config file %s: %v", path, err)
	}
	c.noteSources(given.All(), sdkapi.SettingByFile)
	for _, layer := range []struct {
		given  map[string]any
		source sdkapi.SettingSource
	}{{fromEnviron(c, env), sdkapi.SettingByEnvironment}, {fromFlags(c, flags), sdkapi.SettingByFlag}} {
		merge(given, layer.given)
		c.noteSources(layer.given, layer.source)
	}
	c.otlp = otlpEndpoint(env)
	k := koanf.New(".")
	merge(k, defaults(c, env, given.String("mode")))
	_ = k.Merge(given) // cannot fail: it is a map
	unread := decode(k, c)
	p.problems = append(p.problems, unread...)
	// one problem for each setting: a value that could not be parsed cannot be checked
	for _, wrong := range c.check() {
		known := slices.ContainsFunc(unread, func(u string) bool { return settingOf(u) == settingOf(wrong) })
		p.add(!known, "%s", wrong)
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	return c, p.orNil()
}

// noteSources records the source of the settings that a layer gives, by key.
func (c *config) noteSources(given map[string]any, source sdkapi.SettingSource) {
	if c.sources == nil {
		c.sources = map[string]sdkapi.SettingSource{}
	}
	for key := range given {
		c.sources[key] = source
	}
}

// defaults returns the defaults in a mode of the settings that were not given.
func defaults(c *config, env map[string]string, mode string) map[string]any {
	layer := map[string]any{"data_dir": defaultDataDir(func(name string) string { return env[name] })}
	for _, s := range settings(c) {
		if s.preset != "" {
			layer[s.key] = s.preset
		}
		if mode == hostedMode && s.hosted != "" {
			layer[s.key] = s.hosted
		}
	}
	return layer
}

// configPath returns the settings file of --config, else of WINDIE_CONFIG, else "".
func configPath(flags *pflag.FlagSet, env map[string]string) string {
	if path, err := flags.GetString("config"); err == nil && path != "" {
		return path
	}
	return env["WINDIE_CONFIG"]
}

// fromEnviron reads the settings' variables. API_HOST, API_PORT and API_CORS_ORIGIN are older names
// that deployments may still use. A variable with a name of ours wins over them.
func fromEnviron(c *config, env map[string]string) map[string]any {
	layer := map[string]any{}
	if host, port := env["API_HOST"], env["API_PORT"]; host != "" || port != "" {
		layer["listen"] = net.JoinHostPort(cmp.Or(strings.Trim(host, "[]"), "127.0.0.1"), cmp.Or(port, "8765"))
	}
	if origins := env["API_CORS_ORIGIN"]; origins != "" {
		layer["allowed_origins"] = origins
	}
	for _, s := range settings(c) {
		if value := env[s.env]; value != "" {
			layer[s.key] = value
		}
	}
	return layer
}

// fromFlags returns the settings whose flags were given, even if they are given as empty.
func fromFlags(c *config, flags *pflag.FlagSet) map[string]any {
	layer := map[string]any{}
	for _, s := range settings(c) {
		if f := flags.Lookup(s.flag()); f != nil && f.Changed {
			layer[s.key] = f.Value.String()
		}
	}
	return layer
}

// decode fills c and lists unknown keys and wrong types.
func decode(k *koanf.Koanf, c *config) []string {
	err := k.UnmarshalWithConf("", c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		TagName:          "key",
		ErrorUnused:      true,
		WeaklyTypedInput: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.StringToTimeDurationHookFunc(),
			mapstructure.DecodeHookFuncType(splitList),
		),
	}})
	if err == nil {
		return nil
	}
	var problems []string
	for _, e := range leaves(err) {
		if group, keys, unknown := strings.Cut(e.Error(), " has invalid keys: "); unknown {
			problems = append(problems, unknownKeys(c, group, strings.Split(keys, ", "))...)
			continue
		}
		problems = append(problems, nameSetting(c, e.Error()))
	}
	return problems
}

// leaves returns the single errors of a joined error, in their order.
func leaves(err error) []error {
	joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok {
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, leaves(e)...)
	}
	return list
}

// unknownKeys returns a problem for each unknown key of the config file, with the nearest setting.
// group is the decoder's name for the part of the file, in quotes.
func unknownKeys(c *config, group string, keys []string) (problems []string) {
	prefix := ""
	if group != "'main.config'" {
		prefix = strings.Trim(group, "'") + "."
	}
	var known []string
	for _, s := range settings(c) {
		known = append(known, s.key)
		if of, _, nested := strings.Cut(s.key, "."); nested {
			known = append(known, of)
		}
	}
	for _, key := range keys {
		advice := "`windie config` lists them"
		if near := nearest(prefix+key, known); near != "" {
			advice = "did you mean " + near + "?"
		}
		problems = append(problems, fmt.Sprintf("%s%s in the config file: there is no such setting; %s", prefix, key, advice))
	}
	return problems
}

// nameSetting rewrites a decoder's message, for example "'drain_timeout' time: invalid duration",
// so that it begins with the setting's key and variable, like other problems.
func nameSetting(c *config, message string) string {
	for _, s := range settings(c) {
		if rest, ok := strings.CutPrefix(message, "'"+s.key+"' "); ok {
			return fmt.Sprintf("%s (%s): %s", s.key, s.env, rest)
		}
	}
	return message
}

// settingOf returns the setting at the start of a problem.
func settingOf(problem string) string {
	name, _, _ := strings.Cut(problem, ": ")
	return name
}

// splitList parses a list such as a,b, with or without spaces.
func splitList(from, to reflect.Type, data any) (any, error) {
	if from.Kind() != reflect.String || to.Kind() != reflect.Slice {
		return data, nil
	}
	var list []string
	for item := range strings.SplitSeq(data.(string), ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list, nil
}

// unknownVariables lists variables that look like settings but are unknown, with the nearest
// setting if one is near. The program only warns of them, because orchestrators set such variables
// for a service of our name.
func unknownVariables(environ []string) []string {
	known := []string{"WINDIE_CONFIG", "WINDIE_URL", "WINDIE_TEST_STRICT"}
	for _, s := range settings(new(config)) {
		known = append(known, s.env)
	}
	var unknown []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "WINDIE_") || strings.HasPrefix(name, secretPrefix) || slices.Contains(known, name) {
			continue
		}
		said := name + " is not a setting"
		if near := nearest(name, known); near != "" {
			said += "; did you mean " + near + "?"
		}
		unknown = append(unknown, said)
	}
	return unknown
}
