package audit

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/state/database"
)

// A row of the table has the records of one batch with the same user, tool, protocol and outcome.
// Rare calls have a row each. If an agent repeats a few tools thousands of times per second, a row
// has hundreds of records; one row per record would take as long as the calls.

// maxSpan is the maximum time between the records of a row, so that a search for a moment knows
// which rows may have it.
const maxSpan = time.Second

// typical is the approximate length of a record in a row, in bytes.
const typical = 200

type common struct {
	user, tool, protocol string
	outcome              Outcome
}

// group is a row that is being built.
type group struct {
	common
	first, last time.Time
	records     []byte // a JSON array without its end; it ends with a comma
}

// grouped sorts records into rows. The records must be in order of time.
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

// values ends the list of records and returns the row in the order of columns. It must be called only once.
func (g *group) values() []any {
	g.records[len(g.records)-1] = ']'
	return []any{database.Micros(g.last), rand.Int64(), g.user, g.tool, g.protocol, string(g.outcome), string(g.records)} //nolint:gosec // it is no secret
}

// packed is the JSON form of a record in a row, with the short names of appendTo.
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
	Duration  int64  `json:"us"` // in microseconds
	Fuel      uint64 `json:"fuel"`
	Memory    int64  `json:"mem"`
	HostCalls int64  `json:"host"`
	Egress    int64  `json:"net"`
	Tokens    int64  `json:"tok"`
	Removed   int64  `json:"n"`
}

// appendTo appends r as packed JSON, without empty values. It takes a fifth of the time of
// encoding/json.
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

// appendText appends a text as a JSON string. A text of plain ASCII needs no allocation.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, _ := json.Marshal(text) // strings always marshal
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// unpack returns the records of a row, in the order in which the writer added them.
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
