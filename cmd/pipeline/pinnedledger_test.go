package main

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"hash"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the ledger is read as any client of it would
)

// A pinnedTable is a table or view with a row for each of something that a fit has.
type pinnedTable struct{ name, columns, order string }

// pinnedTables are hashed fit by fit, floats to the bit: which columns, in which
// order of rows. Columns that are not named here may come and go.
var pinnedTables = []pinnedTable{
	{"identity", "record::VARCHAR", "1"},
	{"design", "record::VARCHAR", "1"},
	{"parameter", "parameter_id, name, kind, prior, center, scale, starts", "parameter_id"},
	{"draw", "chain, iteration, parameter_id, value", "chain, iteration, parameter_id"},
	{"chain", "chain, iteration, warmup, log_lik, log_prior, evaluations, touched, gradients, accept, step_size, energy, depth, leapfrogs, divergent", "chain, iteration"},
	{"summary", "parameter_id, name, kind, mean, sd, mcse_mean, mcse_sd, q025, q05, q25, median, q75, q95, q975, mcse_median, mcse_q05, mcse_q95, rhat, ess_bulk, ess_tail, reason", "parameter_id, kind, name"},
	{"diagnostic", "name, chain, value, note", "name, chain"},
	{"metric", "chain, after_iterations, condition, note", "chain, after_iterations"},
	{"data_summary", "rows_used, rows_missing, response_mean, response_sd", "1"},
	{"column_summary", "column_id, name, mean, sd", "column_id"},
	{"derived", "parameter_id, name, expression, nan_draws, inf_draws, first_at", "parameter_id"},
	{"loo", "observations, elpd_loo, se_elpd_loo, p_loo, se_p_loo, looic, se_looic, elpd_waic, se_elpd_waic, p_waic, se_p_waic, waic, k_threshold, k_high, k_max, outcomes, version", "1"},
	{"pointwise", "observation, elpd_loo, p_loo, pareto_k, elpd_waic, p_waic, r_eff, reason, frequency", "observation"},
	{"ppc", "statistic, observed, mean, sd, q025, q975, p_value, replicates, note", "statistic"},
	{"start", "question, from_fit_id, from_fingerprint, parameters_known, step_size, note", "1"},
	{"discrete", "variables, edges, labels, image_rows, image_columns, interaction, log_z, best_log_lik, best_chain, gated, model_bytes, chain_bytes", "1"},
	{"variable", "variable_id, id, image_row, image_column, observation, truth, best", "variable_id"},
	{"marginal", "variable_id, state, probability, mcse", "variable_id, state"},
	{"certificate", "method, bounded, variables, ids, after_updates, bound, note", "method, bounded, variables, ids, after_updates"},
}

// fitFacts are the columns of fit that are in the golden, a line each.
const fitFacts = `fingerprint, status, verdict, reasons, warnings, error, pipeline, method, family, link, formula, n_rows, n_columns, n_parameters,
	chains, warmup, draws, iterations, kept, data_hash, model_hash, algorithm_versions::VARCHAR AS algorithm_versions, starts, gates::VARCHAR AS gates`

// pinnedMacros are questions to each table macro of the ledger.
var pinnedMacros = []string{
	"posterior('%')", "probability('%', 0.1)", "odds_ratios()", "odds_ratios(step := 10)", "contrast('x1', 'x2')", "contrast('glu', 'bmi')",
	"ranking([])", "scenario(MAP {'x1': 1.5, 'glu': 100, 'lwt': 120})",
	"latest_on('2099-01-01')", "coefficients_on('2099-01-01')", "check_names(['%'], false, '%', '%', '%', '%')",
}

// pinnedPart narrows the views that are as long as the tables of draws, which are
// hashed in full; macros are not asked of more than askedDraws draws.
var pinnedPart = map[string]string{
	"draws": " WHERE iteration < 10", "draws_standardized": " WHERE iteration < 10", "sweeps": " WHERE iteration < 10",
}

// pinnedForm has the query for a view with a cell that differs between two runs of one spec: a remedy has the number and
// the date of a fit, which must be those of the row.
var pinnedForm = map[string]string{
	"needs_attention": `SELECT * REPLACE (replace(replace(remedy, format('show {} ', fit_id), 'show FIT '),
		strftime(created, '%Y-%m-%d %H:%M'), 'DATE') AS remedy) FROM needs_attention`,
}

const askedDraws = 50_000

// Columns of views that differ between two runs of one spec are left out: dates,
// seconds and what is counted by them, names of runs and the build.
var passingColumn = regexp.MustCompile(`^(run_id|program|engine|host|place|created|judged|noted|started|finished|updated|attempted|fits|previous_created|since|` +
	`.*seconds?|.*seconds?_.*|to_ess100_.*|.*_place)$`)

var fitColumn = regexp.MustCompile(`^(fit_id|fit_a|fit_b|.*_fit_id)$`)

// ledger makes the content of a ledger facts.
func (p *pin) ledger(database string) {
	p.t.Helper()
	b := p.open(database)
	defer b.db.Close()
	b.fits()
	b.say("\nruns")
	b.rows(`SELECT pipeline, seed, exit_code, spec_hash FROM run ORDER BY place, started`, b.exact)
	b.say("what runs did")
	b.rows(`SELECT dataset, key, model, sampler, fit_id, action, f.verdict, f.reasons FROM run_fit f JOIN run r USING (run_id)
		ORDER BY r.place, r.started, dataset, key, model, sampler, f.reasons, (SELECT replicate FROM fit g WHERE g.fit_id = f.fit_id)`, b.exact)
	b.say("events")
	b.rows(`SELECT e.fit_id, level, message FROM event e JOIN run r USING (run_id) LEFT JOIN fit f ON f.fit_id = e.fit_id
		ORDER BY r.place, r.started, f.dataset, f.key, f.model, f.sampler, f.replicate, level, message`, b.exact)
	b.say("calibrations")
	b.rows(`SELECT dataset, key, model, sampler, method, given, seed, wanted, simulations, ranked, draws, false_alarms, verdict, words FROM calibration ORDER BY ALL`, b.exact)
	b.rows(`SELECT parameter, p, rejected, rank_mean, rank_sd FROM calibration_test ORDER BY ALL`, b.exact)
}

// book is a ledger that is open.
type book struct {
	*pin
	db    *sql.DB
	names map[int64]string // of fits by number: numbers depend on which fit ends first

	passing map[string]bool // what passingColumn says of a column
}

// open opens a ledger to read it. Close its db before a run writes to the ledger.
func (p *pin) open(database string) *book {
	p.t.Helper()
	db, err := sql.Open("duckdb", database+"?access_mode=read_only&threads=1")
	must(p.t, err)
	return &book{pin: p, db: db, names: map[int64]string{}, passing: map[string]bool{}}
}

// table is the answer to a query.
type table struct {
	columns, types []string
	rows           [][]any
}

func (b *book) ask(query string) table {
	b.t.Helper()
	out, err := b.try(query)
	if err != nil {
		b.t.Fatalf("%s: %v", query, err)
	}
	return out
}

// try returns the answer to a query, or its error.
func (b *book) try(query string) (out table, err error) {
	rows, err := b.db.QueryContext(b.t.Context(), query)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return out, err
	}
	for _, c := range types {
		out.columns, out.types = append(out.columns, c.Name()), append(out.types, c.DatabaseTypeName())
	}
	for rows.Next() {
		row := make([]any, len(types))
		into := make([]any, len(types))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return out, err
		}
		out.rows = append(out.rows, row)
	}
	return out, rows.Err()
}

// order names the fits, and returns their numbers in the order of their names.
func (b *book) order() []int64 {
	b.t.Helper()
	var order []int64
	nights := map[string]int{}
	for _, row := range b.ask("SELECT fit_id, dataset, key, model, sampler, replicate FROM fit ORDER BY fit_id").rows {
		name := fmt.Sprintf("%v/%v/%v/%v", row[1], row[2], row[3], row[4])
		if fmt.Sprint(row[5]) != "1" {
			name += fmt.Sprintf(" again %v", row[5])
		}
		nights[name]++
		if nights[name] > 1 {
			name += fmt.Sprintf(" night %d", nights[name])
		}
		b.names[row[0].(int64)] = name
		order = append(order, row[0].(int64))
	}
	slices.SortFunc(order, func(x, y int64) int { return strings.Compare(b.names[x], b.names[y]) })
	return order
}

// fits makes the columns and tables of fits facts, by name.
func (b *book) fits() {
	b.t.Helper()
	order := b.order()
	facts := map[int64][]string{}
	of := b.ask("SELECT fit_id, " + fitFacts + " FROM fit")
	for _, row := range of.rows {
		for i, v := range row[1:] {
			facts[row[0].(int64)] = append(facts[row[0].(int64)], of.columns[i+1]+" "+b.exact(of.columns[i+1], v))
		}
	}
	for _, t := range pinnedTables {
		for fit, hash := range b.hashes(t.name, t.columns, t.order) {
			facts[fit] = append(facts[fit], hash)
		}
	}
	for _, id := range order {
		b.say("\nfit %s\n  %s", b.names[id], strings.Join(facts[id], "\n  "))
	}
}

// hashes returns a line for each fit that has rows in a table: how many, and a
// hash of their stated columns.
func (b *book) hashes(name, columns, order string) map[int64]string {
	b.t.Helper()
	of := b.ask(fmt.Sprintf("SELECT fit_id, %s FROM %s ORDER BY fit_id, %s", columns, name, order))
	sums, counts := map[int64]hash.Hash{}, map[int64]int{}
	for _, row := range of.rows {
		fit := row[0].(int64)
		if sums[fit] == nil {
			sums[fit] = sha256.New()
		}
		counts[fit]++
		fmt.Fprintln(sums[fit], b.encoded(of.columns[1:], row[1:], b.exact))
	}
	out := map[int64]string{}
	for fit, sum := range sums {
		out[fit] = fmt.Sprintf("%s %d rows %x", name, counts[fit], sum.Sum(nil)[:8])
	}
	return out
}

// rows makes each row of an answer a fact.
func (b *book) rows(query string, form func(string, any) string) {
	b.t.Helper()
	of := b.ask(query)
	for _, row := range of.rows {
		b.say("  %s", b.encoded(of.columns, row, form))
	}
}

// answers makes the columns and the rows of every view, and of a question to
// every macro, facts. Rows are hashed in an order of their own, and floats to 12
// digits: they are sums of the engine, whose order is its own.
func (p *pin) answers(database string) {
	p.t.Helper()
	b := p.open(database)
	defer b.db.Close()
	b.order()
	b.say("\nviews and macros")
	asked := map[string]string{}
	var order []string
	for _, row := range b.ask("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name").rows {
		if slices.ContainsFunc(pinnedTables, func(t pinnedTable) bool { return t.name == row[0] }) {
			continue // hashed in full, to the bit
		}
		name := row[0].(string)
		order = append(order, name)
		if asked[name] = pinnedForm[name]; asked[name] == "" {
			asked[name] = "SELECT * FROM " + name + pinnedPart[name]
		}
	}
	macros := b.ask("SELECT function_name, parameters::VARCHAR FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal ORDER BY ALL")
	for _, row := range macros.rows {
		b.say("macro %v %v", row[0], row[1])
		if !slices.ContainsFunc(pinnedMacros, func(q string) bool { return strings.HasPrefix(q, row[0].(string)+"(") }) {
			b.t.Errorf("nothing asks the macro %v: give it a line in pinnedMacros", row[0])
		}
	}
	if b.ask("SELECT count(*) FROM draw").rows[0][0].(int64) <= askedDraws {
		order = append(order, pinnedMacros...)
	}
	for _, question := range order {
		query := cmp.Or(asked[question], "SELECT * FROM "+question)
		of, err := b.try(query)
		switch {
		case err != nil && slices.Contains(pinnedMacros, question) && unknownName.MatchString(err.Error()):
			b.say("%s: %v", question, err)
		case err != nil:
			b.t.Fatalf("%s: %v", query, err)
		default:
			b.answer(question, of)
		}
	}
}

// unknownName is in the error of a macro for names that no fit has.
var unknownName = regexp.MustCompile("no fit has the |keep no draws")

func (b *book) answer(question string, of table) {
	var lines, columns []string
	for _, row := range of.rows {
		lines = append(lines, b.encoded(of.columns, row, b.rounded))
	}
	for i, c := range of.columns {
		columns = append(columns, c+" "+of.types[i])
	}
	slices.Sort(lines)
	b.say("%s: %d rows %s", question, len(lines), digestOf(strings.Join(lines, "\n")))
	if b.wide {
		b.say("  %s", strings.Join(columns, ", "))
	}
}

// encoded is a row as text, without the columns that pass.
func (b *book) encoded(columns []string, row []any, form func(string, any) string) string {
	var out []string
	for i, v := range row {
		passes, known := b.passing[columns[i]]
		if !known {
			passes = passingColumn.MatchString(columns[i])
			b.passing[columns[i]] = passes
		}
		if !passes {
			out = append(out, form(columns[i], v))
		}
	}
	return strings.ReplaceAll(strings.Join(out, " | "), b.dir, "DIR")
}

// exact is a value as text, floats to the bit.
func (b *book) exact(column string, v any) string {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("%016x", math.Float64bits(v))
	case []any:
		var out []string
		for _, one := range v {
			out = append(out, b.exact("", one))
		}
		return "[" + strings.Join(out, "; ") + "]"
	}
	return b.rounded(column, v)
}

// rounded is a value as text, floats to 12 digits.
func (b *book) rounded(column string, v any) string {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("%.12g", v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case int64:
		if fitColumn.MatchString(column) {
			return b.names[v]
		}
	case nil:
		return "-"
	}
	return fmt.Sprint(v)
}
