package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"glmbatch/pipelines"
)

// measured holds the measures of one fit, from the ledger.
type measured struct {
	how                     string  // method and basis
	setup, warmup, sampling float64 // processor seconds of the chain's thread
	ess                     figures
	process                 float64 // processor seconds of the whole run: reading, diagnosing and storing too
}

// to100 is when effective sample sizes are 100: set-up, warm-up, and the part of
// the draws that gives them.
func (m measured) to100(warmup bool) figures {
	fixed := m.setup
	if warmup {
		fixed += m.warmup
	}
	at := func(ess float64) float64 { return fixed + m.sampling*(100/ess) }
	return figures{at(m.ess.median), at(m.ess.logLik), at(m.ess.least)}
}

const question = `SELECT method, (SELECT string_agg(message, ' ') FROM event WHERE message LIKE '%basis%'),
	setup_seconds, warmup_seconds, sampling_seconds,
	(SELECT value FROM diagnostic WHERE name = 'ess_bulk_median'),
	(SELECT ess_bulk FROM summary WHERE name = 'log_lik' AND kind = 'statistic'),
	(SELECT value FROM diagnostic WHERE name = 'ess_bulk_min') FROM fit`

// measure runs one spec in a folder of its own and reads its ledger.
func measure(ctx context.Context, folder, spec string, seed uint64) (measured, error) {
	dir, err := os.MkdirTemp(folder, "run-")
	if err != nil {
		return measured{}, err
	}
	defer os.RemoveAll(dir)
	path, database := filepath.Join(dir, "bars.yaml"), filepath.Join(dir, "bars.duckdb")
	if err := os.WriteFile(path, []byte(spec), 0o600); err != nil {
		return measured{}, err
	}
	began := processSeconds()
	out, err := pipelines.Run(ctx, path,
		pipelines.RunOptions{Workers: 1, Overrides: pipelines.Overrides{Database: database, Seed: &seed}})
	spent := processSeconds() - began
	if err != nil {
		return measured{}, err
	}
	for _, f := range out.Fits {
		if f.Action != pipelines.Computed {
			return measured{}, fmt.Errorf("%s: %s: %w", f.Name(), f.Action, f.Err)
		}
	}
	var answer bytes.Buffer
	if err := pipelines.Query(ctx, &answer, database, question, pipelines.QueryOptions{Format: "csv"}); err != nil {
		return measured{}, err
	}
	m, err := read(answer.Bytes())
	m.process = spent
	return m, err
}

var basisOf = regexp.MustCompile(`samples in the basis (\w+)`)

// read reads the answer to question.
func read(answer []byte) (measured, error) {
	rows, err := csv.NewReader(bytes.NewReader(answer)).ReadAll()
	if err != nil {
		return measured{}, err
	}
	if len(rows) != 2 || len(rows[1]) != 8 {
		return measured{}, fmt.Errorf("the ledger has %d fits of one", len(rows)-1)
	}
	row := rows[1]
	m := measured{how: row[0]}
	if basis := basisOf.FindStringSubmatch(row[1]); basis != nil {
		m.how += " " + basis[1]
	}
	for i, to := range []*float64{&m.setup, &m.warmup, &m.sampling, &m.ess.median, &m.ess.logLik, &m.ess.least} {
		*to = math.NaN()
		if row[2+i] == "" {
			continue
		}
		if *to, err = strconv.ParseFloat(row[2+i], 64); err != nil {
			return measured{}, err
		}
	}
	return m, nil
}

// processSeconds is the processor time of this process so far.
func processSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// middle is the median of a number over repetitions; NaN counts as largest.
func middle(runs []measured, of func(measured) float64) float64 {
	var list []float64
	for _, r := range runs {
		x := of(r)
		if math.IsNaN(x) {
			x = math.Inf(1)
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return math.NaN()
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// middles is middle for each of three figures.
func middles(runs []measured, of func(measured) figures) figures {
	return figures{
		middle(runs, func(m measured) float64 { return of(m).median }),
		middle(runs, func(m measured) float64 { return of(m).logLik }),
		middle(runs, func(m measured) float64 { return of(m).least }),
	}
}
