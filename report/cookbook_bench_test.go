package report

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// longTables makes of a ledger one as it was before decision 0037: a row for each draw and for each iteration.
const longTables = `ATTACH '%s' AS old; USE old; CREATE TABLE d AS FROM draw; CREATE TABLE c AS FROM chain;
DROP VIEW draws; DROP VIEW draws_standardized; DROP VIEW draw; DROP VIEW chain; DROP TABLE draw_piece;
DROP TABLE chain_piece; ALTER TABLE d RENAME TO draw; ALTER TABLE c RENAME TO chain; CREATE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain, d.iteration, p.name AS parameter, d.value
FROM draw d JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id JOIN fit f ON f.fit_id = d.fit_id;
CREATE VIEW draws_standardized AS SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain, d.iteration,
p.name AS parameter, d.value * p.scale AS value FROM draw d JOIN parameter p ON p.fit_id = d.fit_id AND
p.parameter_id = d.parameter_id JOIN fit f ON f.fit_id = d.fit_id WHERE p.kind = 'coefficient'; CHECKPOINT old`

// beside are questions that the cookbook does not ask in one statement, or not at all.
const beside = `P(a > b): SELECT avg((a.value > b.value)::DOUBLE) FROM draws a JOIN draws b USING (fit_id, chain, iteration)
	WHERE a.parameter = 'ht' AND b.parameter = 'age'
8 one side narrowed: SELECT corr(a.value, b.value) FROM draws a JOIN draws b USING (fit_id, chain, iteration)
	WHERE a.model = 'risk' AND a.sampler = 'gibbs' AND a.parameter = '(Intercept)' AND b.parameter = 'lwt'
13 cost: WITH person(lwt, smoke, cost) AS (VALUES (120, 1, 12000), (150, 0, 12000), (105, 1, 12000)),
	risk AS (SELECT d.chain, d.iteration, p.lwt, p.cost, sum(d.value * CASE d.parameter WHEN '(Intercept)' THEN 1 WHEN 'lwt'
	THEN p.lwt WHEN 'smoke' THEN p.smoke END) AS linear FROM draws d CROSS JOIN person p
	WHERE d.model = 'short' AND d.sampler = 'gibbs' GROUP BY ALL),
	total AS (SELECT chain, iteration, sum(cost / (1 + exp(-linear))) AS cost FROM risk GROUP BY ALL)
	SELECT avg(cost), quantile_cont(cost, 0.95) FROM total
trace of draw: SELECT chain, iteration, value FROM draw WHERE fit_id = 401 AND parameter_id = 700
mean of one parameter: SELECT avg(value) FROM draws WHERE model = 'wide' AND sampler = 'gibbs' AND parameter = 'x700'
posterior x1%: FROM posterior('x1%')
means of draws: SELECT fit_id, parameter, avg(value) FROM draws GROUP BY ALL
mean of draw: SELECT count(*), avg(value) FROM draw
count of draw: SELECT count(*) FROM draw
ten of draws: SELECT * FROM draws LIMIT 10
ten of draw: SELECT * FROM draw LIMIT 10
ten of chain: SELECT * FROM chain LIMIT 10
evaluations by fit: SELECT fit_id, sum(evaluations) FROM chain WHERE NOT warmup GROUP BY ALL
mean of log_lik: SELECT avg(log_lik) FROM chain
log_lik of a fit: SELECT chain, iteration, log_lik FROM chain WHERE fit_id = 77
statistics of a fit: SELECT * FROM chain WHERE fit_id = 77
all statistics: SELECT max(COLUMNS(*)) FROM chain`

// cookbookFits are those of the cookbook, two models by two samplers, for each of 100 groups, and two wide ones.
func cookbookFits() []*Fit {
	fits := append(nightFits(400, 0), benchFit(1500, layoutDraws, layoutBlock), benchFit(1500, layoutDraws, layoutBlock))
	for i, f := range fits {
		f.Fingerprint, f.StatsOf = fmt.Sprint("f", i), fits[0].StatsOf
		f.Key = Key{Dataset: "wide", Model: "wide", Sampler: []string{"gibbs", "nuts"}[i%2]}
		if i < 400 {
			f.Key = Key{Dataset: "births", Group: fmt.Sprint("g", i/4), Model: []string{"risk", "short"}[i/2%2], Sampler: f.Sampler}
			for j, name := range []string{"(Intercept)", "age", "lwt", "smoke", "ht", "ui"} {
				f.Parameters[j].Name = name
			}
		}
	}
	return fits
}

// BenchmarkCookbook asks the questions of docs/cookbook.md and some others of pieces and of long tables in turn, one
// thread, and reports the least processor time of each. With fits=1 a model has one fit by each sampler, with fits=100 a
// hundred. Run it with -benchtime 9x.
func BenchmarkCookbook(b *testing.B) {
	path, old := filepath.Join(b.TempDir(), "pieces.duckdb"), filepath.Join(b.TempDir(), "tables.duckdb")
	l, err := Open(path, Options{Threads: 1})
	must(b, err)
	must(b, l.Write(b.Context(), joined(b.Context(), cookbookFits())))
	raw, err := os.ReadFile(path)
	must(b, errors.Join(err, os.WriteFile(old, raw, 0o600)))
	layoutSession(b, "", 1, func(c *sql.Conn) { must(b, execute(b.Context(), c, fmt.Sprintf(longTables, old))) })
	page, err := os.ReadFile("../docs/cookbook.md")
	must(b, err)
	questions := strings.Split(strings.ReplaceAll(beside, "\n\t", " "), "\n")
	for part := range strings.SplitSeq(string(page), "\n### ") {
		for _, block := range strings.Split(part, "```sql\n")[1:] {
			q, _, _ := strings.Cut(block, "```")
			name, _, _ := strings.Cut(part, "\n")
			questions = append(questions, strings.ReplaceAll(name, ":", "")+": "+q)
		}
	}
	for _, fits := range []int{100, 1} {
		if fits == 1 { // by an engine that keeps the size of row groups
			rename := fmt.Sprintf(`ATTACH '%s' AS p (ROW_GROUP_SIZE %s); ATTACH '%s' AS t;
				UPDATE p.fit SET model = 'other' WHERE key NOT IN ('g0', ''); UPDATE t.fit SET model = 'other'
				WHERE key NOT IN ('g0', '')`, path, rowGroup, old)
			layoutSession(b, "", 1, func(c *sql.Conn) { must(b, execute(b.Context(), c, rename)) })
		}
		layoutSession(b, old, 1, func(tables *sql.Conn) {
			layoutSession(b, path, 1, func(pieces *sql.Conn) {
				for _, q := range questions {
					name, query, _ := strings.Cut(q, ": ")
					b.Run(fmt.Sprintf("fits=%d/%s", fits, name), func(b *testing.B) { inTurn(b, tables, pieces, query) })
				}
			})
		})
	}
}

// inTurn reports the least processor time that a question takes of each ledger.
func inTurn(b *testing.B, tables, pieces *sql.Conn, query string) {
	least := [2]float64{1e9, 1e9}
	for b.Loop() {
		for i, c := range []*sql.Conn{tables, pieces} {
			began := cpuSeconds(b)
			rows, err := c.QueryContext(b.Context(), query)
			must(b, err)
			for rows.Next() {
			}
			must(b, errors.Join(rows.Err(), rows.Close()))
			least[i] = min(least[i], 1e3*(cpuSeconds(b)-began))
		}
	}
	b.ReportMetric(least[0], "tables-ms")
	b.ReportMetric(least[1], "pieces-ms")
	b.ReportMetric(least[1]/least[0], "ratio")
	b.ReportMetric(0, "ns/op")
}
