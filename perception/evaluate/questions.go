package evaluate

import (
	"fmt"
	"strings"
	"time"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// resolved has the shares of correct answers, 0..1; 1 without questions.
type resolved struct {
	Found     float64 `json:"found"`
	Ambiguous float64 `json:"ambiguous"`
	Missing   float64 `json:"missing"`
}

// answers counts correct answers by the expected answer.
type answers struct {
	Found     part `json:"found"`
	Ambiguous part `json:"ambiguous"`
	Missing   part `json:"missing"`
}

// of returns the count for questions with an expected answer.
func (a *answers) of(expect string) *part {
	switch expect {
	case "ambiguous":
		return &a.Ambiguous
	case "missing":
		return &a.Missing
	}
	return &a.Found
}

// add adds the counts of o.
func (a *answers) add(o answers) {
	a.Found.add(o.Found)
	a.Ambiguous.add(o.Ambiguous)
	a.Missing.add(o.Missing)
}

// resolved returns the shares of correct answers. A share without questions is 1.
func (a answers) resolved() resolved {
	of := func(p part) float64 {
		if p.Of == 0 {
			return 1
		}
		return p.ratio()
	}
	return resolved{Found: of(a.Found), Ambiguous: of(a.Ambiguous), Missing: of(a.Missing)}
}

// looked has the counts for elements and descriptions. Held is for questions that are held back
// from tuning.
type looked struct {
	Elements recalled `json:"elements"`
	Clicks   clicks   `json:"clicks,omitempty"`
	Locate   located  `json:"locate"`
	Held     located  `json:"locate_held"`
}

// part is a count of a total.
type part struct {
	Count int `json:"count"`
	Of    int `json:"of"`
}

// count counts one case, in Count only if yes is true.
func (p *part) count(yes bool) {
	p.Of++
	if yes {
		p.Count++
	}
}

// add adds the counts of o.
func (p *part) add(o part) { p.Count, p.Of = p.Count+o.Count, p.Of+o.Of }

// ratio returns Count divided by Of, 0 if Of is 0.
func (p part) ratio() float64 { return ratio(p.Count, p.Of) }

// String returns the ratio and the total, for example "0.950 of 20".
func (p part) String() string { return fmt.Sprintf("%.3f of %d", p.ratio(), p.Of) }

// MarshalJSON adds the ratio to the counts. If the total is 0, the ratio is 0.
func (p part) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"count":%d,"of":%d,"ratio":%.4g}`, p.Count, p.Of, p.ratio()), nil
}

// located counts correct answers to descriptions, and wrong points.
type located struct {
	answers
	Wrong  part   `json:"wrong_clicks"`
	Styles styles `json:"styles,omitempty"`
	Trust  trust  `json:"calibration,omitzero"` // correct single points, by tenths of confidence
}

// add adds the counts of o.
func (l *located) add(o located) {
	l.answers.add(o.answers)
	l.Wrong.add(o.Wrong)
	l.Styles.add(o.Styles)
	l.Trust.add(o.Trust)
}

// String returns the counts on one line.
func (l located) String() string {
	return fmt.Sprintf("wrong clicks %d of %d (%.3f), found %v, ambiguous %v, missing %v", l.Wrong.Count, l.Wrong.Of, l.Wrong.ratio(), l.Found, l.Ambiguous, l.Missing)
}

// add adds the counts of o.
func (l *looked) add(o looked) {
	l.Elements.add(o.Elements)
	l.Clicks.add(o.Clicks)
	l.Locate.add(o.Locate)
	l.Held.add(o.Held)
}

// missedQuestion is a question with a wrong answer, which is in Got.
type missedQuestion struct {
	Kind   string `json:"kind"`
	Asked  string `json:"asked"`
	Expect string `json:"expect"`
	Got    string `json:"got"`
	Wrong  bool   `json:"wrong_click,omitempty"`
}

// resolve answers the questions about texts and counts the results.
func (s *screened) resolve(questions []question, on *elements.Screen) {
	index := match.NewIndex(on.Rows)
	for _, q := range questions {
		right, got := q.resolve(index)
		if s.answers.of(q.Expect).count(right); !right {
			s.MissedQuestions = append(s.MissedQuestions, missedQuestion{q.Kind, q.Text, q.Expect, got, false})
		}
	}
}

// resolve returns the answer to the question, and reports whether it is right.
func (q question) resolve(index *match.Index) (right bool, got string) {
	one, rivals := index.Find(match.Query{Text: q.Text, Threshold: sdkapi.DefaultThreshold}).Resolve()
	switch {
	case len(rivals) > 0:
		return q.Expect == "ambiguous", fmt.Sprintf("ambiguous: %d rows", len(rivals))
	case one == nil:
		return q.Expect == "missing", "missing"
	}
	p := geo.Center(one.Row.Box)
	return q.Expect == "found" && q.holds(p), fmt.Sprintf("%v %q", p, one.Row.Text)
}

// locate answers the questions about descriptions and counts the results. It does not list misses
// of questions that are held back.
func (s *screened) locate(questions []question, on *elements.Screen) {
	for _, q := range questions {
		start := time.Now()
		answer := locate.Find(on, q.Description)
		s.took = append(s.took, milliseconds(time.Since(start)))
		right, wrong, got := q.judge(on, answer)
		to := &s.Locate
		if q.Held {
			to = &s.Held
		}
		to.of(q.Expect).count(right)
		to.Wrong.count(wrong)
		to.Styles.count(q.Style, q.Expect, right)
		if one, ok := answer.One(); ok {
			to.Trust.count(one.Score, right)
		}
		if !right && !q.Held {
			s.MissedQuestions = append(s.MissedQuestions, missedQuestion{q.Kind, q.Description, q.Expect, got, wrong})
		}
	}
}

// judge reports whether an answer is right and whether it is a wrong point, and returns it as text.
func (q question) judge(on *elements.Screen, answer locate.Answer) (right, wrong bool, got string) {
	if one, ok := answer.One(); ok {
		right = q.Expect == "found" && q.holds(one.Point)
		return right, !right, one.Point.String() + " " + nameOf(on, one)
	}
	if len(answer.Matches) == 0 {
		return q.Expect == "missing", false, "missing: " + strings.Join(answer.Unmet, ", ")
	}
	var rivals []string
	for _, m := range answer.Matches {
		rivals = append(rivals, nameOf(on, m))
	}
	return q.Expect == "ambiguous", false, "ambiguous: " + strings.Join(rivals, ", ")
}

// nameOf returns a short text about a match.
func nameOf(on *elements.Screen, m locate.Match) string {
	e := on.Elements[m.Element]
	return fmt.Sprintf("%s %q %.2f", e.Role, e.Label, m.Score)
}
