package audit

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/state/database"
)

// A row of the table holds records of one batch with the same user, tool, protocol and outcome.
// Rare calls have a row each. Of thousands in a second, by an agent that repeats a few tools, a row
// holds hundreds: one for each would take as long as the calls do.

// maxSpan is how far apart in time records of a row are at most, so that who
// looks for a moment knows in which rows it may be.
const maxSpan = time.Second

// typical is about the length of a record in a row, in bytes.
const typical = 200

type common struct {
	user, tool, protocol string
	outcome              Outcome
}

// group is a row in the making.
type group struct {
	common
	first, last time.Time
	records     []byte // JSON; its last comma is yet to become a bracket
}

// grouped puts records, which are in the order of time, into rows.
func grouped(batch []Record) []*group {
	var all []*group
	open := map[common]*group{}
	for i := range batch {
		r := &batch[i]
		of := common{r.User, r.Tool, r.Protocol, r.Outcome}
		g := open[of]
		if g == nil || r.Time.Sub(g.first) > maxSpan {
			g = &group{common: of, first: r.Time, records: append(make([]byte, 0, typical*min(len(batch)-i, maxBatch/4)), '[')}
			open[of], all = g, append(all, g)
		}
		g.last = r.Time
		g.records = append(r.appendTo(g.records), ',')
	}
	return all
}

const columns = "time, id, user_id, tool, protocol, outcome, records"

func (g *group) values() []any {
	g.records[len(g.records)-1] = ']'
	return []any{database.Micros(g.last), rand.Int64(), g.user, g.tool, g.protocol, string(g.outcome), string(g.records)} //nolint:gosec // it is no secret
}

// packed is a record in a row, by the names that appendTo gives its fields.
type packed struct {
	Time      int64  `json:"t"` // microseconds since 1970
	ID        int64  `json:"i"`
	Origin    string `json:"o"`
	Session   string `json:"s"`
	Call      string `json:"c"`
	Parent    string `json:"p"`
	Digest    string `json:"d"`
	Decision  string `json:"by"`
	Decider   string `json:"who"`
	Code      string `json:"e"`
	Duration  int64  `json:"us"` // microseconds
	Fuel      uint64 `json:"fuel"`
	Memory    int64  `json:"mem"`
	HostCalls int64  `json:"host"`
	Egress    int64  `json:"net"`
	Tokens    int64  `json:"tok"`
	Removed   int64  `json:"n"`
}

// appendTo appends r as packed, without empty values, in a fifth of the time of encoding/json.
func (r *Record) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"t":`...), database.Micros(r.Time), 10)
	b = strconv.AppendInt(append(b, `,"i":`...), r.ID, 10)
	for _, f := range [...]struct{ name, value string }{
		{`,"o":`, r.Origin}, {`,"s":`, r.Session}, {`,"c":`, r.Call}, {`,"p":`, r.Parent}, {`,"d":`, r.Digest},
		{`,"by":`, string(r.Decision)}, {`,"who":`, r.By}, {`,"e":`, r.Code},
	} {
		if f.value != "" {
			b = appendText(append(b, f.name...), f.value)
		}
	}
	for _, f := range [...]struct {
		name  string
		value int64
	}{{`,"us":`, r.Duration.Microseconds()}, {`,"mem":`, r.Memory}, {`,"host":`, r.HostCalls}, {`,"net":`, r.Egress}, {`,"tok":`, r.Tokens}, {`,"n":`, r.Removed}} {
		if f.value != 0 {
			b = strconv.AppendInt(append(b, f.name...), f.value, 10)
		}
	}
	if r.Fuel != 0 {
		b = strconv.AppendUint(append(b, `,"fuel":`...), r.Fuel, 10)
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, _ := json.Marshal(text) // a text always can be
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

func (r row) unpack() ([]Record, error) {
	var list []packed
	if err := json.Unmarshal([]byte(r.Records), &list); err != nil {
		return nil, err
	}
	records := make([]Record, len(list))
	for i, p := range list {
		records[i] = Record{
			Time: database.Time(p.Time), ID: p.ID, User: r.UserID, Tool: r.Tool, Origin: p.Origin, Protocol: r.Protocol, Session: p.Session,
			Call: p.Call, Parent: p.Parent, Digest: p.Digest, Decision: Decision(p.Decision), By: p.Decider, Outcome: Outcome(r.Outcome),
			Code: p.Code, Duration: time.Duration(p.Duration) * time.Microsecond, Fuel: p.Fuel, Memory: p.Memory,
			HostCalls: p.HostCalls, Egress: p.Egress, Tokens: p.Tokens, Removed: p.Removed,
		}
	}
	return records, nil
}
