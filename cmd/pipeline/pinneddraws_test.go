package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drawTables lists the tables that a golden of TestPinnedDraws hashes for each fit: numbers to the bit, and no text for
// a person.
var drawTables = []pinnedTable{
	{"draw", "chain, iteration, parameter_id, value", "chain, iteration, parameter_id"},
	{"chain", "chain, iteration, warmup, log_lik, log_prior, evaluations, touched, gradients, accept, step_size, energy, " +
		"depth, leapfrogs, divergent", "chain, iteration"},
	{"summary", "parameter_id, name, kind, mean, sd, mcse_mean, mcse_sd, q025, q05, q25, median, q75, q95, q975, " +
		"mcse_median, mcse_q05, mcse_q95, rhat, ess_bulk, ess_tail", "parameter_id, kind, name"},
	{"parameter", "parameter_id, name, kind, prior, center, scale", "parameter_id"},
	{"diagnostic", "name, chain, value", "name, chain"},
	{"metric", "chain, after_iterations, condition", "chain, after_iterations"},
	{"derived", "parameter_id, name, expression, nan_draws, inf_draws, first_at", "parameter_id"},
	{"effect", "effect_id, effect, kind, variable, level, x, mean, sd, q025, median, q975, p_direction",
		"effect_id, variable, level, x, given::VARCHAR, mean, sd"},
	{"loo", "observations, elpd_loo, se_elpd_loo, p_loo, elpd_waic, p_waic, k_threshold, k_high, k_max, mcse_elpd_loo",
		"1"},
	{"pointwise", "observation, elpd_loo, p_loo, pareto_k, elpd_waic, p_waic, r_eff, frequency, mcse_elpd_loo, " +
		"pareto_k_before, pit", "observation"},
	{"loo_pit", "z, ecdf, low, high", "z"},
	{"kfold", "folds, observations, elpd_kfold, se_elpd_kfold, rhat_max", "1"},
	{"kfold_pointwise", "observation, fold, elpd_kfold, frequency", "observation"},
	{"ppc", "statistic, observed, mean, sd, q025, q975, p_value, replicates", "statistic"},
	{"ppc_bin", "bin, low, high, observed, q025, q25, median, q75, q975", "bin"},
	{"ppc_group", "variable, level, statistic, rows, observed, mean, q05, q25, median, q75, q95, p_value, expected",
		"variable, level, statistic"},
	{"ppc_over", "variable, bin, low, high, x, rows, observed, q05, q25, median, q75, q95, expected, outside",
		"variable, bin"},
	{"allocation", "observation, component, posterior", "observation, component"},
	{"imputation", "name, imputation, mean, sd, q025, median, q975, rhat, ess_bulk, ess_tail", "name, imputation"},
	{"imputed_bin", "variable, bin, level, low, high, observed, mean, q025, median, q975", "variable, bin, level"},
	{"pooling", "place, name, within, between, total, riv, missing_share, df, fmi, rhat_across", "place"},
	{"sensitivity", "place, name, prior, likelihood", "place"},
	{"smooth_curve", "smooth, level, name, x, mean, sd, q025, q25, median, q75, q975", "smooth, level, name, x"},
	{"start", "from_fingerprint, parameters_known, step_size", "1"},
}

// drawFacts are the columns of fit in these goldens; drawEnds lists where chain 1 ends and means, as numbers to read;
// drawRanks hashes the ranks of simulations.
const (
	drawFacts = `status, method, family, link, n_rows, n_parameters, warmup, draws, algorithm_versions::VARCHAR`
	drawEnds  = `SELECT fit_id, string_agg(format('{} {:.6g} mean {:.6g}', s.name, d.value, s.mean), ', '
			ORDER BY parameter_id)
		FROM summary s LEFT JOIN (
			SELECT fit_id, parameter_id, arg_max(value, iteration) AS value FROM draw WHERE chain = 1 GROUP BY ALL) d
		USING (fit_id, parameter_id) WHERE parameter_id <= 3 GROUP BY fit_id`
	drawRanks = `SELECT concat_ws('/', model, sampler, method) || ' ' || count(*) || ' ' ||
		md5(string_agg(concat_ws(' ', simulation, parameter, rank), ',' ORDER BY simulation, parameter))
		FROM calibration_rank JOIN calibration USING (calibration_id) GROUP BY model, sampler, method ORDER BY ALL`
)

// TestPinnedDraws pins the draws of every kind of term, family, update and start. Each spec of testdata/draws is a
// subtest. Its lines that begin with "# $ " are the calls, "run" if there are none; "stop" is a run that is stopped in
// the middle, and "views" are the answers of all views of the ledger.
// The goldens are equal in every form of the kernels. Write them with -update only if draws are meant to change.
func TestPinnedDraws(t *testing.T) {
	folder, err := filepath.Abs("testdata/draws")
	must(t, err)
	specs, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specs in %s: %v", folder, err)
	}
	for _, spec := range specs {
		name := strings.TrimSuffix(filepath.Base(spec), ".yaml")
		t.Run(name, func(t *testing.T) {
			p := newPin(t)
			t.Chdir(folder)
			t.Setenv("PIPELINE_ALLOW", folder+string(filepath.ListSeparator)+p.dir)
			database := filepath.Join(p.dir, "pinned.duckdb")
			for _, words := range callsOf(t, spec) {
				p.draw(words, filepath.Base(spec), database)
			}
			p.drawn(database)
			p.golden("draws-" + name)
		})
	}
}

// callsOf are the calls that a spec lists.
func callsOf(t *testing.T, spec string) (calls [][]string) {
	t.Helper()
	text, err := os.ReadFile(spec)
	must(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		if call, ok := strings.CutPrefix(line, "# $ "); ok {
			calls = append(calls, strings.Fields(call))
		}
	}
	if calls == nil {
		calls = [][]string{{"run"}}
	}
	return calls
}

// draw makes one call. The golden has its exit code, and of predictions and effects a hash and three lines.
func (p *pin) draw(words []string, spec, database string) {
	p.t.Helper()
	args := append([]string{words[0], spec}, words[1:]...)
	args = append(args, "--database", database)
	switch words[0] {
	case "stop":
		p.stopped(args)
		return
	case "views":
		p.answers(database)
		return
	}
	code, out, errs := call(p.t, args...)
	if code > 1 {
		p.t.Fatalf("%s: exit %d\n%s", strings.Join(words, " "), code, errs)
	}
	if words[0] != "predict" && words[0] != "effects" { // whose output is text for a person
		p.say("\n$ %s\nexit %d", strings.Join(words, " "), code)
		return
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	p.say("\n$ %s\nexit %d, %d lines, %s", strings.Join(words, " "), code, len(lines), digestOf(out))
	p.say("%s", strings.Join(lines[:min(3, len(lines))], "\n"))
}

// A stopper ends a run when a chain has had its second length.
type stopper struct {
	stop func()
	log  strings.Builder
}

func (s *stopper) Write(b []byte) (int, error) {
	s.log.Write(b)
	if strings.Contains(string(b), `"msg":"chain"`) && !strings.Contains(string(b), `"from":0,`) {
		s.stop()
	}
	return len(b), nil
}

// stopped starts a run and stops it while chains grow. The moment changes no draw of the run that resumes it.
func (p *pin) stopped(args []string) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	defer stop()
	errs := &stopper{stop: stop}
	args = append([]string{"run"}, args[1:]...)
	code := run(ctx, append(args, "--workers", "1", "--log", "-"), strings.NewReader(""), &strings.Builder{}, errs)
	if code != 130 {
		p.t.Fatalf("a run that was to stop: exit %d\n%s", code, errs.log.String())
	}
}

// drawn makes the draws of a ledger facts.
func (p *pin) drawn(database string) {
	p.t.Helper()
	b := p.open(database)
	defer b.db.Close()
	order := b.order()
	facts := map[int64][]string{}
	for _, row := range b.ask("SELECT fit_id, concat_ws(' | ', " + drawFacts + ") FROM fit").rows {
		facts[row[0].(int64)] = []string{fmt.Sprint(row[1])}
	}
	for _, row := range b.ask(drawEnds).rows {
		facts[row[0].(int64)] = append(facts[row[0].(int64)], fmt.Sprint(row[1]))
	}
	for _, t := range drawTables {
		for fit, hash := range b.hashes(t.name, t.columns, t.order) {
			facts[fit] = append(facts[fit], hash)
		}
	}
	for _, id := range order {
		b.say("\nfit %s\n  %s", b.names[id], strings.Join(facts[id], "\n  "))
	}
	for _, row := range b.ask(drawRanks).rows {
		b.say("\nranks %v", row[0])
	}
}
