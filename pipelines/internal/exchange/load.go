package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/internal/words"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// Method is that of fits whose draws another program made.
const Method = "imported"

// Version names what Load makes of draws.
const Version = "imported/1"

// Load configures how foreign draws enter a ledger.
type Load struct {
	Sampler string            // name of the fit among those of other samplers
	Rename  map[string]string // column → parameter, for columns with other names
	RunID   string            // of a run that the ledger has
	At      time.Time
}

// UseError says that draws are not those of the posterior that they were named for.
type UseError struct{ Err error }

func (e *UseError) Error() string { return e.Err.Error() }

func (e *UseError) Unwrap() error { return e.Err }

// Fit makes a fit of foreign draws of the same posterior as peer: judged,
// and comparable with peer and its other samplers. Draws must be in the units of
// the data. left names the columns that are not parameters of the peer.
// It is a *UseError where parameters are missing.
func (l Load) Fit(f *Foreign, peer report.Fitted, shared report.Posterior) (fit *report.Fit, left []string, err error) {
	at, left, err := l.match(f, shared)
	if err != nil {
		return nil, nil, err
	}
	var parameters []report.Parameter
	var columns []int // of f, one a parameter
	for i, p := range shared.Parameters {
		if at[i] >= 0 {
			parameters, columns = append(parameters, p), append(columns, at[i])
		}
	}
	n := f.count()
	fit = &report.Fit{
		Key:         report.Key{Dataset: peer.Dataset, Group: peer.Group, Model: peer.Model, Sampler: l.Sampler},
		Fingerprint: f.hash(l, peer), RunID: l.RunID, Pipeline: peer.Pipeline,
		Method: Method, Family: peer.Family, Link: peer.Link, Formula: peer.Formula, Rows: peer.Rows, Columns: peer.Columns,
		Chains: len(f.Chains), Warmup: f.Warmup, Draws: n, Iterations: f.Warmup + n,
		DataHash: peer.DataHash, ModelHash: shared.ModelHash,
		AlgorithmVersions: map[string]string{"imported": Version, "diag": diag.Version},
		Status:            report.Complete, Gates: judge.Defaults(), Created: l.At, Parameters: parameters,
		Design:  peer.Design,
		DrawsOf: f.blocks(columns), StatsOf: f.stats(),
		Warnings: []string{"the draws were made by another program: the ledger vouches for what it computed from them, not " +
			"for how they were made"},
	}
	f.judge(fit, columns)
	return fit, left, nil
}

// match finds the column of each parameter; −1 for a scale that is not there.
func (l Load) match(f *Foreign, shared report.Posterior) (at []int, left []string, err error) {
	named := make([]string, len(f.Names))
	for i, name := range f.Names {
		named[i] = name
		if f.Called[i] != "" {
			named[i] = f.Called[i]
		}
		if to, ok := l.Rename[name]; ok {
			named[i] = to
		}
	}
	for from := range l.Rename {
		if !slices.Contains(f.Names, from) {
			return nil, nil, &UseError{words.Hint(fmt.Errorf("there is no column %q to rename", from),
				"columns are "+few(f.Names))}
		}
	}
	var missing []string
	for _, p := range shared.Parameters {
		i := slices.Index(named, p.Name)
		if foreign := brmsName(p); i < 0 {
			i = slices.Index(named, foreign)
		}
		if i < 0 && p.Kind != infer.Scale && p.Kind != infer.LocalScale {
			missing = append(missing, p.Name)
		}
		if i >= 0 && slices.Contains(named[i+1:], named[i]) {
			return nil, nil, &UseError{fmt.Errorf("two columns are called %q", p.Name)}
		}
		at = append(at, i)
	}
	if len(missing) > 0 {
		return nil, nil, &UseError{words.Hint(errors.New("no column has the draws of "+few(missing)),
			fmt.Sprintf("say which by --rename COLUMN=PARAMETER; columns are %s", few(f.Names)))}
	}
	for i, name := range f.Names {
		if !slices.Contains(at, i) {
			left = append(left, name)
		}
	}
	return at, left, nil
}

// How brms spells terms and levels in the names of parameters.
var (
	brmsTerms = strings.NewReplacer(" ", "", "(", "", ")", "", "[", "", "]", "", ",", "", `"`, "", "'", "", "?", "",
		"+", "P", "-", "M", "*", "MU", "/", "D", "^", "E", "=", "EQ")
	brmsLevels = strings.NewReplacer(" ", ".", "\t", ".", "\r", ".", "\n", ".")
)

// brmsName is the name of a parameter in brms; its own where that is no other.
func brmsName(p report.Parameter) string {
	switch term := brmsTerms.Replace(p.Term); p.Kind {
	case infer.Intercept:
		return "b_Intercept"
	case infer.Coefficient:
		return "b_" + brmsTerms.Replace(p.Name)
	case infer.GroupSD:
		return "sd_" + p.Grouping + "__" + term
	case infer.GroupCorrelation:
		return "cor_" + p.Grouping + "__" + term + "__" + brmsTerms.Replace(p.Term2)
	case infer.GroupEffect:
		return "r_" + p.Grouping + "[" + brmsLevels.Replace(p.Level) + "," + term + "]"
	}
	return p.Name
}

// few lists names, at most ten of them.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// hash names the draws, and what they were taken for.
func (f *Foreign) hash(l Load, peer report.Fitted) string {
	h := sha256.New()
	for _, s := range []string{Version, l.Sampler, peer.Dataset, peer.Group, peer.Model, peer.DataHash,
		strings.Join(f.Names, "\x00")} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	var b [8]byte
	for _, q := range f.Chains {
		for _, column := range q.Columns {
			for _, x := range column {
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
				h.Write(b[:])
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// blocks yields the draws of these columns one by one.
func (f *Foreign) blocks(columns []int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		block := &infer.Columns{Params: 1, Chains: len(f.Chains), Draws: f.count()}
		for p, c := range columns {
			block.First, block.Values = p, block.Values[:0]
			for _, q := range f.Chains {
				block.Values = append(block.Values, q.Columns[c]...)
			}
			if !yield(block, nil) {
				return
			}
		}
	}
}

// stats yields the statistics of each iteration in the files.
func (f *Foreign) stats() iter.Seq2[*infer.Iterations, error] {
	return func(yield func(*infer.Iterations, error) bool) {
		for c, q := range f.Chains {
			if !yield(&infer.Iterations{Chain: c, First: 1, Infos: q.Stats}, nil) {
				return
			}
		}
	}
}

// judge computes diagnostics, times and the verdict.
func (f *Foreign) judge(fit *report.Fit, columns []int) {
	work := diag.NewWorkspace()
	evidence := judge.Evidence{Warnings: fit.Warnings}
	var ess []float64
	chains := make([][]float64, len(f.Chains))
	for p, c := range columns {
		for i, q := range f.Chains {
			chains[i] = q.Columns[c]
		}
		s := work.Summarize(chains)
		fit.Summaries = append(fit.Summaries, s)
		if kind := fit.Parameters[p].Kind; kind != infer.LocalScale {
			evidence.Names, evidence.Summaries = append(evidence.Names, fit.Parameters[p].Name),
				append(evidence.Summaries, s)
			evidence.Families = append(evidence.Families, fit.Parameters[p].Family())
			if !math.IsNaN(s.ESSBulk) {
				ess = append(ess, s.ESSBulk)
			}
		}
	}
	for _, q := range f.Chains {
		for i := range q.Stats {
			if q.Stats[i].Divergent {
				evidence.Divergences++
			}
		}
	}
	fit.Verdict = judge.Judge(fit.Gates, evidence)
	nan := math.NaN()
	fit.Times = report.Times{Setup: nan, Warmup: f.WarmupSeconds, Sampling: f.SamplingSeconds, Wall: nan,
		ToESS100Median: nan, ToESS100Min: nan, ToESS100LogLik: nan}
	if !math.IsNaN(f.WarmupSeconds + f.SamplingSeconds) {
		fit.Times.Setup = 0 // compiling the model is not in the files
	}
	if len(ess) == 0 {
		return
	}
	slices.Sort(ess)
	least, median := ess[0], (ess[(len(ess)-1)/2]+ess[len(ess)/2])/2
	for _, q := range []struct {
		name string
		ess  float64
		time *float64
	}{{"ess_bulk_median", median, &fit.Times.ToESS100Median}, {"ess_bulk_min", least, &fit.Times.ToESS100Min}} {
		fit.Diagnostics = append(fit.Diagnostics, report.Diagnostic{Name: q.name, Chain: -1, Value: q.ess})
		if q.ess >= 100 {
			*q.time = f.WarmupSeconds + f.SamplingSeconds*(100/q.ess)
		}
	}
	fit.Diagnostics = append(fit.Diagnostics, report.Diagnostic{Name: "divergences", Chain: -1,
		Value: float64(evidence.Divergences)})
}
