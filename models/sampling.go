package models

import (
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Sampling configures how a model chooses words. The value nil of a field means the provider's
// default.
type Sampling struct {
	Temperature      *float64 // 0 asks for the likeliest answer; thinking models may refuse it
	TopP             *float64 // probability of the words among which the model chooses, 0 to 1
	PresencePenalty  *float64 // -2 to 2
	FrequencyPenalty *float64 // -2 to 2
	Seed             *int64   // requests with the same seed get similar answers
}

// Likeliest returns the Sampling that asks for the likeliest answer.
func Likeliest() Sampling { return Sampling{Temperature: new(float64)} }

// The parameters of Sampling, by their names in errors.
const (
	Temperature      = "temperature"
	TopP             = "top_p"
	PresencePenalty  = "presence_penalty"
	FrequencyPenalty = "frequency_penalty"
	Seed             = "seed"
)

// set lists the parameters that s sets.
func (s Sampling) set() (names []string) {
	for _, p := range []struct {
		name string
		set  bool
	}{
		{Temperature, s.Temperature != nil}, {TopP, s.TopP != nil}, {PresencePenalty, s.PresencePenalty != nil},
		{FrequencyPenalty, s.FrequencyPenalty != nil}, {Seed, s.Seed != nil},
	} {
		if p.set {
			names = append(names, p.name)
		}
	}
	return names
}

// Refuse returns a VALIDATION_ERROR that names the parameters of s that a provider lacks. It
// returns nil if s sets none of them.
func (s Sampling) Refuse(lacking ...string) error {
	refused := slices.DeleteFunc(s.set(), func(name string) bool { return !slices.Contains(lacking, name) })
	if len(refused) == 0 {
		return nil
	}
	f := fault.New("models.Stream", sdkapi.ValidationError, "the model's provider does not support %s; omit it, or choose another model", refused[0])
	for _, name := range refused {
		f = f.At(name, "expected no value: the model's provider does not support it")
	}
	return f
}
