package main

import (
	"strings"
	"testing"

	"github.com/windieos/windie/models/modelstest"
)

// The doctor shows whether the vision model answers, and whether its numbers
// are read rightly.
func TestDoctorAsksTheVisionModel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, model, answer, told string
		fault                     modelstest.Fault
		ok, blind                 bool
	}{
		{name: "pixels", model: "qwen2.5vl", answer: `{"point_2d": [478, 118]}`, told: "qwen2.5vl, family qwen2.5-vl, found a square", ok: true},
		{name: "thousandths", model: "qwen3-vl", answer: `{"point_2d": [750, 250]}`, told: "found a square", ok: true},
		{name: "pixels as thousandths", model: "qwen3-vl", answer: `{"point_2d": [480, 120]}`, told: "full name"},
		{name: "thousandths as pixels", model: "mine", answer: `{"point_2d": [750, 250]}`, told: "check the family"},
		{name: "no eyes", model: "mine", answer: "2", told: "mine, without images, chose a line", ok: true, blind: true},
		{name: "no eyes, and wrong", model: "mine", answer: "3", told: "the second of three lines is right", blind: true},
		{name: "a wrong key", model: "mine", fault: modelstest.BadKey, told: "refuses the key"},
		{name: "silence", model: "mine", fault: modelstest.Silence, told: "did not answer within 4.5s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := modelstest.Serve(t, modelstest.OpenAI, modelstest.Reply{Text: []string{tt.answer}, Fault: tt.fault})
			c := new(config)
			c.Vision.URL, c.Vision.Model, c.Vision.APIKey, c.Vision.Eyes = s.URL, tt.model, "hush-hush", !tt.blind
			if c := examine(t.Context(), []check{{"vision", c.checkVision}})[0]; c.OK != tt.ok || !strings.Contains(c.Message, tt.told) || strings.Contains(c.Message, "hush") {
				t.Errorf("%+v", c)
			}
			if asked := s.Asked(); len(asked) != 1 || asked[0].Header.Get("Authorization") != "Bearer hush-hush" || asked[0].Path != "/chat/completions" {
				t.Errorf("asked %d times", len(asked))
			}
		})
	}
	if _, _, checks := doctor(t); !checks["vision"].OK || checks["vision"].Message != "disabled (WINDIE_VISION_URL is not set)" {
		t.Errorf("%+v", checks["vision"])
	}
}
