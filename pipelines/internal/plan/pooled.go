package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// Pooled is a generalised linear model on several imputations of one data set. Its chains are those of each
// imputation in turn, and its draws are theirs, with equal weights.
//
// All imputations are coded by one design of their rows one below the other, so that levels, centres, scales, knots and
// default priors are the same in each.
type Pooled struct {
	*Regression
	imputations []ingest.Imputation
	rows        [][]int // of each imputation, in the design
}

// kindPooled is that of several imputations.
var kindPooled = Kind{
	of:      func(u *Unit, _ *spec.Model) bool { return u.imputations != nil },
	problem: func(f *Fit) (Problem, error) { return newPooled(f) },
	method:  regressionMethod, survey: surveyRows, Words: rowsWords, Size: rowsSize,
}

// newPooled codes the imputations of a unit.
func newPooled(f *Fit) (*Pooled, error) {
	if err := f.refused(); err != nil {
		return nil, err
	}
	r, err := newRegression(f)
	if err != nil {
		return nil, err
	}
	p := &Pooled{Regression: r, imputations: f.Unit.imputations}
	at, place := 0, make([]int, f.Unit.rows())
	for row := range place {
		place[row] = -1
		if r.Kept == nil || r.Kept[row] {
			place[row] = at
			at++
		}
	}
	for _, v := range p.imputations {
		var rows []int
		for _, row := range v.Rows {
			if place[row] >= 0 {
				rows = append(rows, place[row])
			}
		}
		if len(rows) == 0 {
			return nil, f.Explain(fmt.Errorf("imputation %s has no complete row", v.Name))
		}
		p.rows = append(p.rows, rows)
	}
	return p, nil
}

// imputationsOf finds the versions of a data set in a table, whose place another one may take.
func imputationsOf(t *ingest.Table, ds *spec.Dataset) (*ingest.Table, []ingest.Imputation, error) {
	by := ""
	if len(ds.By) > 0 {
		by = ds.By[0]
	}
	own, versions, err := t.Imputations(by)
	if err != nil || own != t {
		t.Release()
	}
	return own, versions, err
}

// rows counts those of all imputations.
func (u *Unit) rows() (n int) {
	for _, v := range u.imputations {
		n += len(v.Rows)
	}
	return n
}

// Imputations counts the versions of the data; 1 of data sets that have no others.
func (f *Fit) Imputations() int { return max(1, len(f.Unit.imputations)) }

// Chains counts those of the fit: of a data set of several imputations, so many for each.
func (f *Fit) Chains() int { return f.Pipeline.Run.Chains * f.Imputations() }

// ImputationNames are those of the versions of the data, in the order of their chains; nil if there is one.
func (f *Fit) ImputationNames() (out []string) {
	for _, v := range f.Unit.imputations {
		out = append(out, v.Name)
	}
	return out
}

// CompleteDF is the number of degrees of freedom that one imputation would have if it were complete data: its rows
// less the columns of the design, +Inf where there are no more rows.
func (p *Pooled) CompleteDF() float64 {
	if df := len(p.rows[0]) - p.Data.Cols(); df > 0 {
		return float64(df)
	}
	return math.Inf(1)
}

// Capabilities are those without rows: they are the rows of each imputation.
func (p *Pooled) Capabilities() Capabilities {
	return Capabilities{Imputations: p, Smooths: p.Record, Preview: p.preview, Undrawn: p.undrawn(),
		Anew: "each imputation has a posterior of its own"}
}

func (p *Pooled) inCase(*Case) error {
	return words.Hint(fmt.Errorf("data set %q has several imputations, and this verb is for one table of rows",
		p.fit.Unit.Dataset.Name), "name one of them as a data set of its own, or choose fits with --only dataset=…")
}

// Facts are those of the regression on one imputation.
func (p *Pooled) Facts() Facts {
	out, count := p.Regression.Facts(), len(p.rows)
	out.Rows /= count
	out.Observations /= float64(count)
	names := p.fit.ImputationNames()
	out.Notes = append(out.Notes, fmt.Sprintf("%d imputations, %s to %s: %d chains for each, pooled with equal weights",
		count, names[0], names[count-1], p.fit.Pipeline.Run.Chains))
	return out
}

// Need counts the rows of all imputations, and once more where each has its own.
func (p *Pooled) Need(chains, workers int) Need {
	n := p.Regression.Need(chains, workers)
	n.Bytes += 8 * p.Data.X.Entries()
	return n
}

// Identify adds that there are imputations, and how many; what is derived is computed with the pooled summaries.
func (p *Pooled) Identify(id *Identity) {
	p.Regression.Identify(id)
	id.Pooled = &pooledIdentity{Imputations: len(p.rows)}
	for _, d := range p.fit.Model.Derive {
		id.Pooled.Derive = append(id.Pooled.Derive, d.Name+" = "+d.Expression.String())
	}
	id.Data = fmt.Sprintf("%s in %d imputations", id.Data, len(p.rows))
}

// pooledIdentity is the further part of the identity of a fit of several imputations.
type pooledIdentity struct {
	Imputations int
	Derive      []string `json:",omitempty"`
}

// Setup makes the sampler of each imputation, with the priors that all have.
func (p *Pooled) Setup(by infer.Parallel, _ Schedule, _ *Previous) (*Setup, error) {
	out := &Setup{Gating: p.Gating()}
	out.Cautions = unused(p.fit.Model, p.Data)
	s := &pooledSetup{toData: p.Regression.ToData}
	for m, rows := range p.rows {
		own, err := p.setupRows(rows, by, out)
		if err != nil {
			return nil, p.fit.Explain(fmt.Errorf("imputation %s: %w", p.imputations[m].Name, err))
		}
		s.setups = append(s.setups, own)
	}
	out.Sampler = s
	if e, ok := s.setups[0].(infer.Explainer); ok {
		out.Sampler = &explainedSetup{s, e}
	}
	return out, nil
}

// setupRows makes the sampler of one imputation, and adds to out the means that may not exist.
func (p *Pooled) setupRows(rows []int, by infer.Parallel, out *Setup) (setup infer.Setup, err error) {
	err = withinMemory(func() error {
		model, err := groups.NewModel(p.Data.Taken(rows), p.Posterior(), by)
		if err != nil {
			return err
		}
		if p.sampler.effects == nil {
			var found Setup
			p.doubt(model.Plain(), &found)
			out.Cautions = append(out.Cautions, found.Cautions...)
			for _, d := range found.Doubts {
				same := func(o glm.Doubt) bool { return slices.Equal(o.Parameters, d.Parameters) }
				if !slices.ContainsFunc(out.Doubts, same) {
					out.Doubts = append(out.Doubts, d)
				}
			}
		}
		setup, err = p.setupOn(model)
		return err
	})
	return setup, err
}

// ToData leaves positions as they are: kernels have them in the units of the data.
func (p *Pooled) ToData([]float64) {}

// Bind looks up what a derived quantity names among parameters; rows to be averaged over differ by imputation.
func (p *Pooled) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	if len(d.Expression.Averages()) > 0 {
		return nil, errors.New("an average over rows that differ by imputation is not in this version")
	}
	return p.Regression.Bind(d, params)
}

// pooledSetup is a sampler for each imputation, over the same parameters.
type pooledSetup struct {
	setups []infer.Setup
	toData func([]float64)
}

// explainedSetup explains its samplers by the first of them.
type explainedSetup struct {
	*pooledSetup
	infer.Explainer
}

// Parameters are those of each.
func (s *pooledSetup) Parameters() []infer.Parameter { return s.setups[0].Parameters() }

// Kernel returns a chain of the imputation that it is of: the first chains are those of the first.
func (s *pooledSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	few := c.Count / len(s.setups)
	of := c.Index / few
	c.Index, c.Count = c.Index%few, few
	k, err := s.setups[of].Kernel(c)
	if err != nil {
		return nil, err
	}
	return pooledKernel{k, s.toData}, nil
}

// pooledKernel is a chain of one imputation, whose positions are in the units of the data.
type pooledKernel struct {
	infer.Kernel
	toData func([]float64)
}

// Position writes the parameters in the units of the data.
func (k pooledKernel) Position(dst []float64) {
	k.Kernel.Position(dst)
	k.toData(dst)
}
