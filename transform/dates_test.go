package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestLooksDated(t *testing.T) {
	for _, s := range []string{"2024-03-01", "2024-3-1", "2024/03/01", "2024.03.01", "20240301T120000Z", "2024-03-01T00:00:00Z",
		"2024-03-01 00:00:00", "2024-03-01 00:00:00.123456", "2024-03-01 12:00:00+01:00", "2024-03-01T12:00", "01/03/2024",
		"3/1/24", "01-03-2024", "1.3.2024", "01/03/2024 14:05", "1-Mar-2024", "01 March 2024", "March 1, 2024", "Mar 1 2024",
		"Fri, 01 Mar 2024 12:00:00 GMT", " 2024-03-01 ", "12:30:00", "3/1/2024 2:05:00 PM"} {
		if !looksDated(s) {
			t.Errorf("%q is not taken for a date or a time", s)
		}
	}
	for _, s := range []string{"", "Berlin", "2024", "2024-03", "2024 Q1", "1.2.3", "10.4.22", "2024.1.3", "192.168.10.1", "A1-2-2024",
		"99/99/9999", "2024-13-45", "5-10", "1/2", "12:30", "march", "555-12-3456", "0171-123-4567", "2024-03-01 x", "25:00:00",
		strings.Repeat("9", 100)} {
		if looksDated(s) {
			t.Errorf("%q is taken for a date or a time", s)
		}
	}
}

// daysTable has the same 12 days as dates, as points in time and as text, in rows that are not in their order.
func daysTable(t *testing.T) arrow.Table {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Column
	add := func(name string, typ arrow.DataType, fill func(b array.Builder, row int)) {
		b := array.NewBuilder(memory.DefaultAllocator, typ)
		defer b.Release()
		for row := range 48 {
			fill(b, row*5%12)
		}
		a := b.NewArray()
		defer a.Release()
		fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true})
		columns = append(columns, *arrow.NewColumn(fields[len(fields)-1], arrow.NewChunked(typ, []arrow.Array{a})))
	}
	stamp := &arrow.TimestampType{Unit: arrow.Microsecond}
	texts := []string{"02/29/2024", "03/01/2024", "03/02/2024", "03/03/2024", "03/04/2024", "03/05/2024", "03/06/2024",
		"03/07/2024", "03/08/2024", "03/09/2024", "03/10/2024", "unknown"}
	rng := 0.0
	add("y", arrow.PrimitiveTypes.Float64, func(b array.Builder, day int) {
		rng += 0.7
		b.(*array.Float64Builder).Append(float64(day) + rng - float64(int(rng)))
	})
	add("day", arrow.PrimitiveTypes.Date32, func(b array.Builder, day int) {
		b.(*array.Date32Builder).Append(arrow.Date32(19782 + day))
	})
	add("ts", stamp, func(b array.Builder, day int) {
		b.(*array.TimestampBuilder).Append(arrow.Timestamp((19782+int64(day))*86_400_000_000 + 1_500_000))
	})
	add("us", arrow.BinaryTypes.String, func(b array.Builder, day int) { b.(*array.StringBuilder).Append(texts[day]) })
	return array.NewTable(arrow.NewSchema(fields, nil), columns, 48)
}

// Dates are labels: levels in the order of time, in ISO 8601. As numbers, as plain terms and as responses they are
// errors that name the remedies, typed or as text.
func TestDates(t *testing.T) {
	table := daysTable(t)
	defer table.Release()
	build := func(formula string, s Spec) (*Design, error) {
		f, err := ParseFormula(formula)
		must(t, err)
		s.Dataset, s.Formula, s.Family.Name, s.Family.Link = "d", f, "gaussian", "identity"
		return Build(table, s)
	}
	for formula, want := range map[string]string{
		"y ~ factor(day)": "factor(day)2024-03-01", "y ~ relevel(day, ref = \"2024-03-01\")": `relevel(day, ref = "2024-03-01")2024-02-29`,
		"y ~ factor(ts)": "factor(ts)2024-03-01 00:00:01.5", "y ~ factor(us)": "factor(us)03/01/2024",
	} {
		d, err := build(formula, Spec{})
		if err != nil || d.Data.Cols() != 12 || d.Data.Names[1] != want {
			t.Errorf("%s: %v, want 12 columns, the second %q (%v)", formula, d, want, err)
			continue
		}
		again, err := d.Record.Code(table, Coding{})
		if err != nil || len(again.Data.Names) != 12 {
			t.Errorf("%s of new data: %v", formula, err)
		}
	}
	for formula, want := range map[string]string{"y ~ (1 | day)": "2024-02-29", "y ~ (1 | ts)": "2024-02-29 00:00:01.5", "y ~ (1 | factor(day))": "2024-02-29",
		"y ~ (1 | us)": "02/29/2024"} {
		if d, err := build(formula, Spec{}); err != nil || d.Record.GroupedBy[0].Levels[0] != want ||
			len(d.Record.GroupedBy[0].Levels) != 12 {
			t.Errorf("%s: %v, want 12 levels, the first %q", formula, err, want)
		}
	}
	for _, c := range []struct{ formula, column string }{
		{"y ~ day", "day"}, {"y ~ ts", "ts"}, {"y ~ us", "us"}, {"y ~ . - ts - us", "day"}, {"y ~ . - day - ts", "us"},
		{"y ~ log(day)", "day"}, {"y ~ I(ts / 2)", "ts"}, {"y ~ (day | us)", "day"},
		{"y ~ us:factor(day)", "us"}, {"day ~ y", "day"}, {"y ~ offset(day)", "day"},
	} {
		_, err := build(c.formula, Spec{})
		if err == nil || !strings.Contains(err.Error(), `"`+c.column+`"`) || !strings.Contains(err.Error(), "natural zero") {
			t.Errorf("%s: %v", c.formula, err)
		} else if hint := hintOf(err); c.formula != "day ~ y" && !strings.Contains(hint, "factor("+c.column+")") {
			t.Errorf("%s: hint %q", c.formula, hint)
		}
	}
	levels := map[string][]string{"us": {"03/01/2024"}}
	for what, s := range map[string]Spec{"levels": {Levels: levels}, "types": {Texts: []string{"us"}}} {
		if d, err := build("y ~ us", s); err != nil || d.Data.Cols() != 12 {
			t.Errorf("text of dates with %s is no factor: %v", what, err)
		}
	}
}

// Weekdays and months are factors in the order of the calendar, and a difference of two dates is a number of days, in
// new data too. 2024-02-29 was a Thursday.
func TestCalendar(t *testing.T) {
	table := daysTable(t)
	defer table.Release()
	build := func(formula string) (*Design, error) {
		f, err := ParseFormula(formula)
		if err != nil {
			return nil, err
		}
		s := Spec{Dataset: "d", Formula: f}
		s.Family.Name, s.Family.Link = "gaussian", "identity"
		return Build(table, s)
	}
	for formula, want := range map[string]string{
		"y ~ weekday(day)": "(Intercept) weekday(day)Tuesday weekday(day)Wednesday weekday(day)Thursday weekday(day)Friday " +
			"weekday(day)Saturday weekday(day)Sunday",
		"y ~ month(ts)":                  "(Intercept) month(ts)March",
		"y ~ 0 + month(day):I(ts - day)": "month(day)February:I(ts - day) month(day)March:I(ts - day)",
	} {
		d, err := build(formula)
		if err != nil || strings.Join(d.Data.Names, " ") != want {
			t.Fatalf("%s: %v, want %s (%v)", formula, d, want, err)
		}
		again, err := d.Record.Code(table, Coding{})
		if err != nil {
			t.Fatalf("%s of new data: %v", formula, err)
		}
		for j := range d.Data.Names {
			if !slices.Equal(again.Data.X.Col(j), d.Data.X.Col(j)) {
				t.Errorf("%s of new data: column %d differs", formula, j)
			}
		}
	}
	d, err := build("y ~ (1 | weekday(day)) + I(ts - day) + I(2 * (day - ts))")
	if err != nil || strings.Join(d.Record.GroupedBy[0].Levels, " ") != "Monday Tuesday Wednesday Thursday Friday Saturday Sunday" {
		t.Fatalf("levels of weekday(day): %v", err)
	}
	first := d.Record.GroupedBy[0].Levels[d.Data.Effects[0].Grouping.Of()[0]]
	if first != "Thursday" || d.Data.X.Col(1)[0] != 1.5/86400 || d.Data.X.Col(2)[0] != -3.0/86400 {
		t.Errorf("row 1: %s, %v days, %v", first, d.Data.X.Col(1)[0], d.Data.X.Col(2)[0])
	}
	moved := Replace(table, []string{"day", "ts"}, []any{"2024-03-01", "2024-02-29 12:00:00.5"}) // as effects do
	defer moved.Release()
	again, err := d.Record.Code(moved, Coding{})
	if err != nil || again.Data.Effects[0].Grouping.Of()[0] != 4 || again.Data.X.Col(1)[0] != -43199.5/86400 {
		t.Errorf("dates as text: %v, error %v", again, err)
	}
	for formula, want := range map[string]string{
		"y ~ weekday(us)": `row 1: "02/29/2024" is not a date, and weekday(us) takes dates such as 2024-03-01`, "I(ts - day) ~ month(y)": "month(y) takes dates", "y ~ I(day + ts)": "natural zero",
		"y ~ I(day - 3)": "natural zero", "y ~ I(day - us)": "day - us takes dates", "y ~ log(month(day))": "is a term by itself",
		"y ~ weekday(day, ts)": "takes one column of dates",
	} {
		if _, err := build(formula); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", formula, err, want)
		}
	}
}
