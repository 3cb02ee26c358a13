package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// Dates and points in time are labels: levels of factor() and of groupings, spelled as in ISO 8601. They are not
// numbers, and a column of them becomes a factor only if the formula asks for one.

// errDates is the reason for which dates and times enter no model as they are.
var errDates = errors.New("dates and times have no natural zero or unit")

// dated reports whether the column holds dates or points in time.
func (c *column) dated() bool { return isDate(c.typ) }

func isDate(t arrow.DataType) bool {
	stamp, is := t.(*arrow.TimestampType)
	return t.ID() == arrow.DATE32 || is && stamp.Unit == arrow.Microsecond
}

// spellDate spells a day or a microsecond since 1970 as a level.
func (c *column) spellDate(v float64) string {
	if c.typ.ID() == arrow.DATE32 {
		return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly)
	}
	return time.UnixMicro(int64(v)).UTC().Format("2006-01-02 15:04:05.999999")
}

// calendars are functions of dates: the names of levels in their order, and the index of a moment's level.
var calendars = map[string]struct {
	levels []string
	index  func(time.Time) int
}{
	"weekday": {[]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
		func(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }},
	"month": {[]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"}, func(t time.Time) int { return int(t.Month()) - 1 }},
}

// calendar reports whether the node is weekday() or month().
func (n *node) calendar() bool { return n.kind == nodeCall && calendars[n.text].levels != nil }

// calendarFactor codes the design's rows by weekday() or month() of a column of dates; all levels are listed.
func (b *builder) calendarFactor(v *variable) (*factor, error) {
	of := calendars[v.node.text]
	moments, err := b.moments(b.columns[v.columns[0]], v.label, b.keep, b.n)
	f := &factor{levels: slices.Clone(of.levels), codes: make([]int32, len(moments))}
	for i, v := range moments {
		f.codes[i] = int32(of.index(time.UnixMicro(int64(v)).UTC()))
	}
	return f, err
}

// microsOfDay are the microseconds of a day.
const microsOfDay = 86400e6

// moments are the microseconds since 1970 of dates and times, or of text that is spelled like levels of them.
// Float64 holds them exactly up to 2^53, which is the year 2255.
func (b *builder) moments(c *column, reader string, keep []bool, n int) ([]float64, error) {
	v := make([]float64, n)
	switch {
	case c.typ.ID() == arrow.DATE32:
		c.floats(v, keep)
		for i := range v {
			v[i] *= microsOfDay
		}
	case c.dated():
		c.floats(v, keep)
	case c.kind == text:
		f := c.factor(keep, n, maxLevels)
		if f == nil {
			return nil, b.manyLevels(c)
		}
		for i, code := range f.codes {
			t, err := time.Parse(time.DateTime, f.levels[code])
			if err != nil {
				t, err = time.Parse(time.DateOnly, f.levels[code])
			}
			if err != nil {
				return nil, b.cellError(c.name, tableRow(keep, i), fmt.Errorf("%q is not a date, and %s takes dates such as "+
					"2024-03-01", f.levels[code], reader), datesHint)
			}
			v[i] = float64(t.UnixMicro())
		}
	default:
		return nil, b.columnError(c.name, fmt.Errorf("its type is %s, and %s takes dates", c.typ, reader), datesHint)
	}
	return v, nil
}

const datesHint = "make dates of it in the query: col::DATE, or strptime(col, format)"

// between is the time from one column of dates or times to another, in days.
func (e *evaluator) between(n, from, to *node) (numbers, error) {
	start, err := e.b.moments(e.b.columns[from.bare().text], n.label(), e.keep, e.n)
	if err != nil {
		return numbers{}, err
	}
	out, err := e.b.moments(e.b.columns[to.bare().text], n.label(), e.keep, e.n)
	for i := range out {
		out[i] = (out[i] - start[i]) / microsOfDay
	}
	return numbers{each: out}, err
}

// isDates reports whether a node is a column of dates, times or text, of which only a difference is a number.
func (e *evaluator) isDates(n *node) bool {
	n = n.bare()
	return n.kind == nodeName && e.b.columns[n.text].kind == text
}

// dateLike matches texts of dates and times: 2024-03-01, 2024/3/1, 20240301T120000Z, 2024-03-01 12:00:00+01:00,
// 01/03/2024, 1.3.2024, 01-Mar-2024, March 1, 2024, Fri, 01 Mar 2024 12:00:00 GMT, 12:30:00.
var dateLike = func() *regexp.Regexp {
	const (
		clock   = `([01]?\d|2[0-3]):[0-5]\d(:[0-6]\d([.,]\d+)?)?( ?[AaPp][Mm])?`
		zone    = ` ?(Z|UTC|GMT|[+-]\d{2}(:?\d{2})?)?`
		weekday = `((?i:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?`
		month   = `(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?`
		day     = `(0?[1-9]|[12]\d|3[01])` // or a month, in one order or the other
		numbers = `\d{4}-` + day + `-` + day + `|\d{4}/` + day + `/` + day + `|\d{4}\.\d{2}\.\d{2}|` +
			day + `/` + day + `/(\d{4}|\d{2})|` + day + `-` + day + `-\d{4}|` + day + `\.` + day + `\.\d{4}`
		names = weekday + `(` + day + `[ -]` + month + `[ -](\d{4}|\d{2})|` + month + ` ` + day + `,? \d{4})`
		date  = `(` + numbers + `|` + names + `)([T ]+` + clock + zone + `)?`
	)
	return regexp.MustCompile(`^ *(` + date + `|\d{8}T\d{4,6}` + zone + `|([01]?\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?) *$`)
}()

// looksDated reports whether a text is spelled as a date or a time.
func looksDated(s string) bool {
	const longest = 60
	return len(s) <= longest && strings.ContainsAny(s, "0123456789") && dateLike.MatchString(s)
}

// notNumber is the error of dates and times if the formula needs numbers, or a factor that it does not ask for.
func (b *builder) notNumber(name string, reason error) error {
	quoted := quoteName(name)
	return b.columnError(name, reason, fmt.Sprintf("write factor(%s), (1 | %s), weekday(%s) or month(%s) for labels, "+
		"I(%s - start) for the days since another date, or \"- %s\" to leave it out", quoted, quoted, quoted, quoted,
		quoted, quoted))
}

// refuseDates refuses a plain column of dates or times as a factor: one by its type, or text most of whose levels are
// spelled as such, unless the spec lists its levels or declares the column as text.
func (b *builder) refuseDates(c *column, f *factor) error {
	if c.dated() {
		return b.notNumber(c.name, fmt.Errorf("its type is %s, and %w", c.typ, errDates))
	}
	if _, forced := b.spec.Levels[c.name]; forced || c.kind != text || slices.Contains(b.spec.Texts, c.name) {
		return nil
	}
	dates := Dates(f.levels)
	if 2*len(dates) <= len(f.levels) {
		return nil
	}
	return b.notNumber(c.name, fmt.Errorf("%d of its %d values are dates or times such as %q, and %w", len(dates),
		len(f.levels), dates[0], errDates))
}

// Dates returns those of some texts that are spelled as dates or times.
func Dates(texts []string) (out []string) {
	for _, s := range texts {
		if looksDated(s) {
			out = append(out, s)
		}
	}
	return out
}
