package groups

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
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
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
	s := study{data: glm.Data{X: x, Intercept: 0, Y: y, Names: []string{"(Intercept)"}, Effects: effects},
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

// crossed simulates n rows over random groupings, one to three, of so many levels.
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
	"radon": func(t testing.TB) study {
		d := readTable(t, "radon_mn.csv")
		return problem("gaussian", "identity", d.numbers("log_radon"), [][]float64{d.numbers("floor")},
			with(d.by("county"), "floor", d.numbers("floor")))
	},
	"grouseticks": func(t testing.TB) study {
		d := readTable(t, "grouseticks.csv")
		return problem("poisson", "log", d.numbers("TICKS"),
			[][]float64{d.is("YEAR", "96"), d.is("YEAR", "97"), d.numbers("cHEIGHT")},
			d.by("BROOD"), d.by("INDEX"), d.by("LOCATION"))
	},
	"VerbAgg": func(t testing.TB) study {
		d := readTable(t, "VerbAgg.csv")
		return problem("bernoulli", "logit", d.is("r2", "Y"), [][]float64{d.numbers("Anger"), d.is("Gender", "M"),
			d.is("btype", "scold"), d.is("btype", "shout"), d.is("situ", "self")}, d.by("id"), d.by("item"))
	},
	"cbpp": func(t testing.TB) study {
		d := readTable(t, "cbpp.csv")
		s := problem("binomial", "logit", d.numbers("incidence"),
			[][]float64{d.is("period", "2"), d.is("period", "3"), d.is("period", "4")}, d.by("herd"))
		s.data.Trials = d.numbers("size")
		return s
	},
	"InstEval": func(t testing.TB) study {
		d := readTable(t, "InstEval.csv.gz")
		return problem("gaussian", "identity", d.numbers("y"), [][]float64{d.numbers("service")}, d.by("s"), d.by("d"),
			d.by("dept", "service"))
	},
	"weak": func(testing.TB) study { // 2 rows a level
		s := crossed("bernoulli", "logit", 10_000, 5_000, 20)
		for i := range s.data.Y {
			s.data.Y[i] = float64((i*i/7 + i/3) % 2)
		}
		return s
	},
	"bernoulli1e6one": func(testing.TB) study { return crossed("bernoulli", "logit", 1_000_000, 100_000) },
}

// Groupings crossed at random, from 1e3 to 1e6 rows: of n/10 and n/20 levels, and both of √n.
func init() {
	for n, name := 1000, 3; n <= 1_000_000; n, name = 10*n, name+1 {
		for family, link := range map[string]string{"gaussian": "identity", "bernoulli": "logit"} {
			root := int(math.Sqrt(float64(n)))
			problems[family+"1e"+strconv.Itoa(name)] = func(testing.TB) study { return crossed(family, link, n, n/10, n/20) }
			problems[family+"root1e"+strconv.Itoa(name)] = func(testing.TB) study { return crossed(family, link, n, root, root) }
		}
	}
}

// seconds is the processor time of this process.
func seconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}

// peak is the most memory that this process had so far, in MB.
func peak() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Maxrss) / 1e3
}

// mostWatched is the number of parameters whose effective draws are counted: all sds, and effects at equal distances.
const mostWatched = 6000

// BenchmarkToESS is the processor time of one chain, set-up and 100 iterations of warm-up in, until every parameter has
// 100 effective draws, and the least effective draws of an iteration.
func BenchmarkToESS(b *testing.B) {
	names := []string{}
	for name := range problems {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			s := problems[name](b)
			for range b.N {
				toESS(b, s)
			}
		})
	}
}

// steps advances a chain.
func steps(b *testing.B, k infer.Kernel, n int, each func()) {
	for range n {
		if _, err := k.Step(); err != nil {
			b.Fatal(err)
		}
		each()
	}
}

func toESS(b *testing.B, s study) {
	begin := seconds()
	setup, err := New(&s.data, s.model, nil, Options{})
	if err != nil {
		b.Fatal(err)
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: 100, Stream: infer.NewStream(1, "speed")})
	if err != nil {
		b.Fatal(err)
	}
	steps(b, k, 100, func() {})
	ready := seconds() - begin
	params := setup.Parameters()
	var watched []int
	for j, p := range params {
		if p.Kind != infer.GroupEffect || len(params) <= mostWatched || j%(len(params)/mostWatched+1) == 0 {
			watched = append(watched, j)
		}
	}
	draws, theta := make([][]float64, len(watched)), make([]float64, len(params))
	spent, drawn, least, worst := 0.0, 0, 0.0, 0
	for least < 200 && drawn < 20_000 && spent < 60 {
		more := max(400, drawn)
		before := seconds()
		steps(b, k, more, func() {
			k.Position(theta)
			for i, j := range watched {
				draws[i] = append(draws[i], theta[j])
			}
		})
		spent += seconds() - before
		drawn += more
		least = math.Inf(1)
		for i := range draws {
			if ess := diag.ESSBulk([][]float64{draws[i]}); ess < least {
				least, worst = ess, i
			}
		}
	}
	b.ReportMetric(ready+spent*100/least, "s/ESS100")
	b.ReportMetric(ready, "s-ready")
	b.ReportMetric(1e3*spent/float64(drawn), "ms/sweep")
	b.ReportMetric(least/float64(drawn), "ess/sweep")
	b.ReportMetric(peak(), "MB-peak") // of the process: of the problem where it runs alone
	b.ReportMetric(0, "ns/op")
	b.Logf("least is %s", params[watched[worst]].Name)
	for i, j := range watched {
		if p := params[j]; p.Kind != infer.GroupEffect {
			b.Logf("%s: %.3f effective draws an iteration", p.Name, diag.ESSBulk([][]float64{draws[i]})/float64(drawn))
		}
	}
}
