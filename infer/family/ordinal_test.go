package family_test

import (
	"math"
	"testing"

	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// ordinals passes the families of ordered classes by each link, without and with a predictor of disc.
func ordinals(do func(name string, f family.Family)) {
	for _, name := range []string{"cumulative", "sratio", "cratio", "acat"} {
		for _, link := range family.Named(name).LinkNames() {
			f, _ := family.Parse(name, link)
			do(f.String(), f)
			f, _ = f.WithPredictor("disc")
			do(f.String()+" disc", f)
		}
	}
}

// inverses are the inverse links, by package math.
var inverses = map[string]func(x float64) float64{
	"logit":   func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"probit":  func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
	"cloglog": func(x float64) float64 { return 1 - math.Exp(-math.Exp(x)) },
	"cauchit": func(x float64) float64 { return 0.5 + math.Atan(x)/math.Pi },
}

// ordered returns the probabilities of the classes by their definitions.
func ordered(name string, inverse func(float64) float64, disc, eta float64, tau []float64) (p []float64) {
	left, before := 1.0, 0.0
	weights := []float64{1}
	for _, t := range tau {
		up, down := inverse(disc*(t-eta)), inverse(disc*(eta-t))
		switch name {
		case "cumulative":
			p, before = append(p, up-before), up
			left = 1 - up
		case "sratio":
			p, left = append(p, left*up), left*(1-up)
		case "cratio":
			p, left = append(p, left*(1-down)), left*down
		case "acat":
			weights = append(weights, weights[len(weights)-1]*down/(1-down))
		}
	}
	if name != "acat" {
		return append(p, left)
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for _, w := range weights {
		p = append(p, w/sum)
	}
	return p
}

// ordinalRows are responses with predictors: eta, log disc if that has a predictor, and thresholds.
func ordinalRows(f family.Family, disc bool) (r family.Rows, eta [][]float64) {
	r = family.Rows{Kernels: simd.Vector()}
	for i := range 300 {
		r.Y = append(r.Y, float64(i%4))
		r.Frequency = append(r.Frequency, float64(1+i%2))
		r.Total += r.Frequency[i]
	}
	eta = make([][]float64, len(f.Several().Predictors([]string{"a", "b", "c", "d"})))
	for i := range r.Y {
		at := 0
		add := func(v float64) {
			eta[at] = append(eta[at], v)
			at++
		}
		if add(3 * math.Sin(float64(i))); disc {
			add(0.4 * math.Cos(float64(2*i)))
		}
		for _, tau := range []float64{-1.2, 0.1, 0.9} {
			add(tau + 0.1*math.Sin(float64(7*i)))
		}
	}
	return r, eta
}

// Log densities and means are those of the definitions.
func TestOrderedClasses(t *testing.T) {
	ordinals(func(name string, f family.Family) {
		disc := f.Predicted != ""
		r, eta := ordinalRows(f, disc)
		got, means := make([]float64, len(r.Y)), make([]float64, 4)
		f.Several().LogLik(&r, 0, eta, got)
		for i, y := range r.Y {
			row, scale := make([]float64, len(eta)), 1.0
			for p := range eta {
				row[p] = eta[p][i]
			}
			tau := row[1:]
			if disc {
				scale, tau = math.Exp(row[1]), row[2:]
			}
			want := ordered(f.Name, inverses[f.Link], scale, row[0], tau)
			f.Several().Means(row, [2]float64{}, means)
			if p := want[int(y)]; p > 1e-12 && math.Abs(got[i]-math.Log(p)) > 1e-12+1e-15/p { // differences of F cancel
				t.Fatalf("%s, row %d: log density %v, by its definition %v", name, i, got[i], math.Log(p))
			}
			for k, p := range want {
				if math.Abs(means[k]-p) > 1e-12 {
					t.Fatalf("%s, row %d: probabilities %v, by their definitions %v", name, i, means, want)
				}
			}
		}
	})
}

// The likelihood along a predictor, with what the others leave, is the whole one; its slopes are its derivatives.
func TestOrderedClassesAlong(t *testing.T) {
	ordinals(func(name string, f family.Family) {
		r, eta := ordinalRows(f, f.Predicted != "")
		of, n := f.Several(), len(r.Y)
		whole := make([]float64, n)
		of.LogLik(&r, 0, eta, whole)
		views := family.NewViews(len(eta), n)
		for p, q := range of.Predictors([]string{"a", "b", "c", "d"}) {
			if q.Cut > 0 {
				break
			}
			of.Given(p, &r, eta, views[p])
			terms, rows := q.Of.Likelihood().Terms, r
			rows.Given = views[p].Given
			at := func(first, n int, shift float64) []float64 {
				var moved []float64
				for _, e := range eta[p][first : first+n] {
					moved = append(moved, e+shift)
				}
				terms.Terms(rows.Part(first, first+n), moved, moved)
				return moved
			}
			got, want := views[p].Base, 0.0
			for first := 0; first < n; first += 100 {
				const h = 1e-4
				here, up, down := at(first, 100, 0), at(first, 100, h), at(first, 100, -h)
				var grad, curv, info [100]float64
				terms.Slopes(rows.Part(first, first+100), eta[p][first:first+100], grad[:], curv[:], info[:])
				for i := range here {
					got += here[i] * r.Frequency[first+i]
					want += whole[first+i] * r.Frequency[first+i]
					slope, curve := (up[i]-down[i])/(2*h), -(up[i]-2*here[i]+down[i])/(h*h)
					if math.Abs(grad[i]-slope) > 1e-6*(1+math.Abs(slope)) || math.Abs(curv[i]-curve) > 1e-5*(1+math.Abs(curve)) {
						t.Fatalf("%s along %q: slopes %v and %v, by differences %v and %v", name, q.Name, grad[i], curv[i], slope,
							curve)
					}
				}
			}
			if math.Abs(got-want) > 1e-8*math.Abs(want) {
				t.Errorf("%s along %q: log likelihood %v, of the whole %v", name, q.Name, got, want)
			}
		}
	})
}

// Slopes are numbers far out, where thresholds are equal to rounding, or disc is 0 or infinite to rounding.
func TestOrderedClassesFarOut(t *testing.T) {
	ordinals(func(name string, f family.Family) {
		r, eta := ordinalRows(f, f.Predicted != "")
		of, n := f.Several(), len(r.Y)
		views := family.NewViews(len(eta), n)
		for _, far := range []float64{-1e200, -1e6, -800, 800, 1e6, 1e200} {
			for p, q := range of.Predictors([]string{"a", "b", "c", "d"}) {
				if q.Cut > 0 {
					break
				}
				for i := range eta[p] {
					eta[p][i] += far
				}
				for k, of0 := range of.Predictors([]string{"a", "b", "c", "d"}) {
					if of0.Cut > 0 {
						break
					}
					of.Given(k, &r, eta, views[k])
					rows := r
					rows.Given = views[k].Given
					rows = rows.Part(0, 100)
					var grad, curv, info [100]float64
					var terms [100]float64
					of0.Of.Likelihood().Terms.Terms(rows, eta[k][:100], terms[:])
					of0.Of.Likelihood().Terms.Slopes(rows, eta[k][:100], grad[:], curv[:], info[:])
					for i := range grad {
						if math.IsNaN(terms[i]+views[k].Base) || math.IsNaN(grad[i]) || math.IsNaN(curv[i]) || math.IsNaN(info[i]) {
							t.Fatalf("%s with %v in predictor %d: slopes along %q in row %d are %v, %v and %v", name, far, p, of0.Name, i,
								grad[i], curv[i], info[i])
						}
					}
				}
				for i := range eta[p] {
					eta[p][i] -= far
				}
			}
		}
	})
}
