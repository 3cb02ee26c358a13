package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// A number with two spellings in a column is found, whichever comes first and however far apart they are.
func TestTwoSpellings(t *testing.T) {
	for cells, want := range map[string]string{
		"007 7 08": `"007" and "7"`, "7 007": `"7" and "007"`, "1 01": `"1" and "01"`, "01 1 02": `"01" and "1"`,
		"1e5 100000 1E5": `"1e5" and "100000"`, "100000 1e5": `"100000" and "1e5"`, "1.0 1.00 1": `"1.0" and "1.00"`,
		"1 2.5 1.0": `"1" and "1.0"`, "1.0 1": `"1.0" and "1"`, "1.0 2.5 2 1.0": "", "0010 10 1e1": `"0010" and "10"`, "1.50 2.25 1.5": `"1.50" and "1.5"`,
		"+49170 0049170": `"+49170" and "0049170"`, "-07 -7": `"-07" and "-7"`, "5. 5": `"5." and "5"`, "0.50 .5": `"0.50" and ".5"`,
		"001 002 120 001": "", "1.50 2.00 1.50": "", "1 2.5 3.25 1": "", "1e-04 0.5 1e-04": "", "+1 2 +1": "", "1 2 3 1": "", "7": "",
		"10 100 1000": "", "0 0.5 0": "", "-1 1": "", "1.5 1.5 2": "",
		"9007199254740993 9007199254740992": "", "0 -0": `"0" and "-0"`,
	} {
		text := "x,y\n"
		for i, cell := range strings.Fields(cells) {
			text += strings.Repeat(fmt.Sprintf("%s,%d\n", cell, i), 1+2*i)
		}
		for _, decimal := range []rune{'.', ','} {
			src := Source{Path: writeTemp(t, "d.csv", text), Decimal: decimal}
			want := want
			if decimal == ',' {
				swap := strings.NewReplacer(",", ";", ".", ",")
				src.Path, want = writeTemp(t, "d.csv", swap.Replace(text)), strings.ReplaceAll(want, ".", ",")
			}
			for _, grouped := range []bool{false, true} {
				src.Grouped = grouped
				field := mustRead(t, src).Data.Schema().Field(0)
				if got, _ := field.Metadata.GetValue(alikeKey); got != want {
					t.Errorf("%s with decimal %q, grouped %t: two spellings %s, want %s", cells, decimal, grouped, got, want)
				}
			}
			src.Grouped, src.Labels = false, func(name string) bool { return name == "y" }
			if got, noted := mustRead(t, src).Data.Schema().Field(0).Metadata.GetValue(alikeKey); noted {
				t.Errorf("%s: %s is noted of a column without labels", cells, got)
			}
		}
	}
	across := mustRead(t, Source{Path: writeTemp(t, "d.csv", "x\n"+strings.Repeat("7\n", chunkRows+5)+"07\n")})
	if got, _ := across.Data.Schema().Field(0).Metadata.GetValue(alikeKey); got != `"7" and "07"` {
		t.Errorf("after a chunk: %s", got)
	}
	stream, err := Open(t.Context(), Source{Path: writeTemp(t, "d.csv", "x\n"+strings.Repeat("7\n", chunkRows+5)+"07\n")})
	must(t, err)
	defer stream.Close()
	err = stream.Each(t.Context(), func(piece *Table) error {
		if got, _ := piece.Data.Schema().Field(0).Metadata.GetValue(alikeKey); got != `"7" and "07"` {
			t.Errorf("a piece of a stream: %s", got)
		}
		return nil
	})
	must(t, err)
	table := mustRead(t, Source{Path: writeTemp(t, "d.csv", "sku,y\n1e5,1\n100000,2\n3,4\n"), By: []string{"sku"}})
	groups, err := table.Split([]string{"sku"})
	must(t, err)
	for _, g := range groups {
		if len(g.Doubts) != 1 || !strings.Contains(g.Doubts[0], `"1e5" and "100000"`) && !strings.Contains(g.Doubts[0], `"100000" and "1e5"`) {
			t.Errorf("group %s: %q", g.Key, g.Doubts)
		}
		g.Release()
	}
}
