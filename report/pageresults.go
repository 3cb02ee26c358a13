package report

import (
	"cmp"
	"slices"

	"glmbatch/infer"
	"glmbatch/report/html"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Limits of the overview's results of a model.
const (
	pageCoefficients = 12  // of a model
	pageForest       = 200 // fits for a coefficient
)

// said gathers the reasons of the fits: equal ones once, with their fits, those of the worst fits first. Fits with
// a warning without advice get an explanation of warnings.
func (r *pageReader) said() error {
	at := map[string]int{}
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		if f.Verdict == string(judge.Warn) && len(f.Advice) == 0 {
			f.Advice = []string{"No gate asks for this: the draws are as good as was asked. See whether the data and " +
				"the model " +
				"are as you mean them."}
		}
		for _, reason := range f.Reasons {
			headline := judge.Headline(reason)
			own := cmp.Or(judge.Cause(reason), headline)
			k, ok := at[headline]
			if !ok {
				k, at[headline] = len(r.page.Said), len(r.page.Said)
				r.page.Said = append(r.page.Said, html.Said{Headline: own, Verdict: f.Verdict, Example: reason,
					Advice: judge.Advice([]string{reason}, false), Fits: []int{}})
			}
			s := &r.page.Said[k]
			if s.Headline != own { // fits differ in the names and numbers of the cause
				s.Headline = headline
			}
			if !slices.Contains(f.Why, own) {
				f.Why = append(f.Why, own)
			}
			if len(s.Fits) == 0 || s.Fits[len(s.Fits)-1] != i {
				s.Fits = append(s.Fits, i)
			}
		}
	}
	slices.SortStableFunc(r.page.Said, func(a, b html.Said) int {
		return cmp.Or(cmp.Compare(slices.Index(verdictOrder, a.Verdict), slices.Index(verdictOrder, b.Verdict)),
			cmp.Compare(len(b.Fits), len(a.Fits)))
	})
	return nil
}

// results gathers the coefficients of the shown fits by model, those models first that most fits have.
func (r *pageReader) results() error {
	at := map[[2]string]int{}
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		if f.Detail == nil || f.Detail.Discrete != nil {
			continue
		}
		k, ok := at[[2]string{f.Model, f.Link}]
		if !ok {
			k, at[[2]string{f.Model, f.Link}] = len(r.page.Results), len(r.page.Results)
			r.page.Results = append(r.page.Results, html.Result{Model: f.Model, Link: f.Link})
		}
		r.page.Results[k].Fits++
		addForests(&r.page.Results[k], &f.Detail.Coefficients, i)
	}
	r.page.Results = slices.DeleteFunc(r.page.Results, func(m html.Result) bool { return len(m.Forests) == 0 })
	slices.SortStableFunc(r.page.Results, func(a, b html.Result) int { return cmp.Compare(b.Fits, a.Fits) })
	return nil
}

// addForests adds the coefficients of fit number i to those of its model; of the first fit they come as in the model.
func addForests(m *html.Result, c *html.Coefficients, i int) {
	for row, kind := range c.Kind {
		switch infer.ParameterKind(kind) {
		case infer.Coefficient, record.Derived, infer.GroupSD:
		default:
			continue
		}
		k := slices.IndexFunc(m.Forests, func(f html.Forest) bool { return f.Name == c.Name[row] })
		if k < 0 {
			if len(m.Forests) == pageCoefficients {
				continue
			}
			k = len(m.Forests)
			m.Forests = append(m.Forests, html.Forest{Name: c.Name[row], Kind: kind})
		}
		if f := &m.Forests[k]; len(f.Fit) < pageForest {
			f.Fit = append(f.Fit, i)
			f.Of = append(f.Of, [5]html.Number{c.Q025[row], c.Q25[row], c.Median[row], c.Q75[row], c.Q975[row]})
		}
	}
}
