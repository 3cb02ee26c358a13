package transform

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// tallTable has a 0/1 response and columns that take turns between floats,
// integers and a text factor of five levels, in chunks of 65,536 rows.
func tallTable(b *testing.B, rows, columns int) arrow.Table {
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]int64, rows)
	for i := range y {
		y[i] = rng.Int64N(2)
	}
	cols := []col{{name: "y", values: y}}
	for j := range columns {
		c := col{name: fmt.Sprintf("x%d", j+1)}
		switch j % 10 {
		case 8:
			v := make([]string, rows)
			for i := range v {
				v[i] = []string{"north", "south", "east", "west", "centre"}[rng.IntN(5)]
			}
			c.values = v
		case 3, 6, 9:
			v := make([]int64, rows)
			for i := range v {
				v[i] = rng.Int64N(1000)
			}
			c.values = v
		default:
			v := make([]float64, rows)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			c.values = v
		}
		cols = append(cols, c)
	}
	return makeTable(b, 65_536, cols...)
}

// BenchmarkBuild measures Build alone, the table being in memory. A cell is a
// cell of the design.
func BenchmarkBuild(b *testing.B) {
	for _, standardize := range []string{"none", "center_scale", "max_abs"} {
		for _, rows := range []int{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("shape=tall/n=%d/p=20/standardize=%s", rows, standardize), func(b *testing.B) {
				benchmarkBuild(b, tallTable(b, rows, 20), standardize)
			})
		}
	}
	for _, set := range []string{"ALLAML", "BASEHOCK"} {
		b.Run(fmt.Sprintf("shape=wide/set=%s/standardize=center_scale", set), func(b *testing.B) {
			benchmarkBuild(b, readPanel(b, set), "center_scale")
		})
	}
}

func benchmarkBuild(b *testing.B, table arrow.Table, standardize string) {
	spec := Spec{Formula: mustParse(b, "y ~ ."), Family: familyNamed("bernoulli"), Standardize: standardize}
	cells := 0
	b.ReportAllocs()
	for b.Loop() {
		d, err := Build(table, spec)
		must(b, err)
		cells = d.Data.Rows() * d.Data.Cols()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
	b.ReportMetric(float64(cells)*8/1e6, "design-MB")
}

// Formulas whose columns are computed: ns per cell of the design.
func BenchmarkBuildFormula(b *testing.B) {
	const rows = 100_000
	table := scaledTable(b, rows)
	for name, formula := range map[string]string{
		"arithmetic": "y ~ log(shifted) + I(big^2) + scale(small)", "poly": "y ~ poly(shifted, 5)", "ns": "y ~ ns(shifted, 5)", "bs": "y ~ bs(shifted, 8)",
		"crossing": "y ~ group * flag * shifted", "factor": "y ~ factor(constant) + group",
	} {
		b.Run(fmt.Sprintf("formula=%s/n=%d", name, rows), func(b *testing.B) {
			cells := 0
			for b.Loop() {
				x := mustBuild(b, table, formula, Spec{}).Data.X
				cells += int(x.Entries())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(cells), "ns/cell")
		})
	}
}

func BenchmarkToData(b *testing.B) {
	for _, p := range []int{10, 7129} {
		b.Run(fmt.Sprintf("p=%d", p), func(b *testing.B) {
			r := &Record{Columns: make([]Column, p+1)}
			r.Columns[0] = Column{Term: -1, Scale: 1}
			for j := range p {
				r.Columns[j+1] = Column{Centre: 1.5, Scale: 2}
			}
			theta := make([]float64, p+1)
			for b.Loop() {
				r.ToData(theta)
			}
		})
	}
}
