package groups

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/references"
	"glmbatch/internal/variate"
)

// table is a CSV file by column.
type table map[string][]string

// readTable reads a file of the shared data.
func readTable(t testing.TB, name string) table {
	f, err := os.Open(filepath.Join(references.Folder(t, "multilevel"), name))
	must(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	must(t, err)
	out := table{}
	for j, name := range records[0] {
		for _, row := range records[1:] {
			out[name] = append(out[name], row[j])
		}
	}
	return out
}

// numbers reads a column.
func (t table) numbers(name string) []float64 {
	out := make([]float64, len(t[name]))
	for i, s := range t[name] {
		out[i], _ = strconv.ParseFloat(s, 64)
	}
	return out
}

// is is 1 where a column has a value.
func (t table) is(name, value string) []float64 {
	out := make([]float64, len(t[name]))
	for i, s := range t[name] {
		if s == value {
			out[i] = 1
		}
	}
	return out
}

// by groups the rows by columns, in the order of appearance.
func (t table) by(names ...string) *design.Effects {
	at := map[string]int32{}
	e := &design.Effects{Group: strings.Join(names, ":"), Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
	var of []int32
	for i := range t[names[0]] {
		var parts []string
		for _, n := range names {
			parts = append(parts, t[n][i])
		}
		key := strings.Join(parts, "_")
		l, ok := at[key]
		if !ok {
			l = int32(len(at))
			at[key] = l
			e.Levels = append(e.Levels, key)
		}
		of = append(of, l)
	}
	e.Grouping = design.NewGrouping(of, len(at))
	return e
}

// with adds terms.
func with(e *design.Effects, name string, column []float64) *design.Effects {
	e.Terms, e.Columns = append(e.Terms, name), append(e.Columns, column)
	return e
}

// problem lays out a model with an intercept, columns, and effects under half_student_t(3, 2.5·scale of y) and lkj(1).
func problem(family, link string, y []float64, columns [][]float64, effects ...*design.Effects) study {
	x := design.NewDense(len(y), 1+len(columns))
	s := study{data: glm.Data{X: x, Intercept: 0, Y: y, Names: []string{"(Intercept)"},
		Penalised: glm.Penalised{Effects: effects}},
		model: glm.Model{Family: glm.Family{Name: family, Link: link}}}
	scale := 1.0
	if family == "gaussian" {
		m, v := mean(y), 0.0
		for _, e := range y {
			v += (e - m) * (e - m)
		}
		scale = math.Sqrt(v / float64(len(y)))
	}
	copy(x.Col(0), filled(len(y)))
	flat := prior.Prior{Kind: prior.Flat}
	if family != "gaussian" {
		flat = prior.Prior{Kind: prior.Normal, Scale: 10}
	}
	s.model.Coefficients = []prior.Prior{flat}
	for j, c := range columns {
		m := mean(c)
		for i, e := range c {
			x.Col(j + 1)[i] = e - m
		}
		s.data.Names = append(s.data.Names, "x"+strconv.Itoa(j+1))
		s.model.Coefficients = append(s.model.Coefficients, flat)
	}
	s.model.Dispersion = prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 2.5 * scale}
	for _, e := range effects {
		p := glm.EffectsPrior{LKJ: 1}
		for range e.Terms {
			p.SD = append(p.SD, s.model.Dispersion)
		}
		s.model.Effects = append(s.model.Effects, p)
	}
	return s
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// crossed simulates n rows over one to three random groupings. levels counts the levels of each.
func crossed(family, link string, n int, levels ...int) study {
	rng := infer.NewStream(3, "crossed")
	of, r := make([][]int32, len(levels)), make([][]float64, len(levels))
	for g, count := range levels {
		of[g], r[g] = make([]int32, n), make([]float64, count)
		for l := range r[g] {
			r[g][l] = []float64{0.8, 0.5, 0.4}[g] * variate.Normal(rng)
		}
	}
	y, x := make([]float64, n), make([]float64, n)
	for i := range n {
		for g, count := range levels {
			of[g][i] = int32(rng.Float64() * float64(count))
		}
		x[i] = variate.Normal(rng)
		eta := 0.3 + 0.5*x[i]
		for g := range levels {
			eta += r[g][of[g][i]]
		}
		y[i] = eta + variate.Normal(rng)
		if family == "bernoulli" {
			y[i] = 0
			if rng.Float64() < 1/(1+math.Exp(-eta)) {
				y[i] = 1
			}
		}
	}
	var effects []*design.Effects
	for g, count := range levels {
		e := &design.Effects{Group: string(rune('a' + g)), Grouping: design.NewGrouping(of[g], count),
			Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
		for l := range count {
			e.Levels = append(e.Levels, strconv.Itoa(l))
		}
		effects = append(effects, e)
	}
	return problem(family, link, y, [][]float64{x}, effects...)
}

// problems are models of the shared data by name.
var problems = map[string]func(t testing.TB) study{
	"sleepstudy": func(t testing.TB) study {
		d := readTable(t, "sleepstudy.csv")
		return problem("gaussian", "identity", d.numbers("Reaction"), [][]float64{d.numbers("Days")},
			with(d.by("Subject"), "Days", d.numbers("Days")))
	},
	"VerbAgg": func(t testing.TB) study {
		d := readTable(t, "VerbAgg.csv")
		return problem("bernoulli", "logit", d.is("r2", "Y"), [][]float64{d.numbers("Anger"), d.is("Gender", "M"),
			d.is("btype", "scold"), d.is("btype", "shout"), d.is("situ", "self")}, d.by("id"), d.by("item"))
	},
}
