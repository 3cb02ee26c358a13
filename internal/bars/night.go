package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"glmbatch/pipelines"
)

// nightWorkers draw a night, as many as the machines of the bars have.
const nightWorkers = 2

// night holds the costs of a whole run: seconds of the processor, unless the name has another unit.
type night struct {
	name, size      string
	method          string
	fits            int
	wall, process   float64
	setup, sampling float64 // sampling has its warm-up
	secondRun
	values float64 // stored numbers of draws
	commit float64 // of the command of this name, if fits waited for it; otherwise 0
	least  float64 // the cost that cannot be avoided
}

// secondRun holds the costs of a run that skips all fits.
type secondRun struct{ unchanged, unchangedSeconds float64 }

// rest is the cost of diagnosing and storing: neither reading, setting up nor sampling.
func (n night) rest() float64 { return n.process - n.sampling - n.setup - n.unchanged }

// nights measures the kinds of nights that are chosen, each by its methods, in folders of their own.
func nights(ctx context.Context, o options, todo []nightKind, folder string, stderr io.Writer,
) (out []night, failed bool) {
	for _, k := range todo {
		if k.panelFile != "" {
			if _, err := os.Stat(filepath.Join(o.panel, k.panelFile)); err != nil {
				leftOut(stderr, k.name, err)
				continue
			}
		}
		for _, method := range k.methods {
			n, err := measureNight(ctx, o, k, folder, method)
			if err != nil {
				fmt.Fprintf(stderr, "bars: %s, %s: %v\n", k.name, method, err)
				failed = true
				continue
			}
			out = append(out, n)
		}
	}
	return out, failed
}

func measureNight(ctx context.Context, o options, k nightKind, folder, method string) (n night, err error) {
	dir, err := os.MkdirTemp(folder, "night-")
	if err != nil {
		return n, err
	}
	defer os.RemoveAll(dir)
	d, err := k.data(o, dir)
	if err != nil {
		return n, err
	}
	spec, database := filepath.Join(dir, "night.yaml"), filepath.Join(dir, "night.duckdb")
	if err := os.WriteFile(spec, []byte(k.spec(d, method)), 0o600); err != nil {
		return n, err
	}
	n = night{name: k.name, size: d.size, method: method, fits: d.fits}
	if k.waits {
		err = n.wait(ctx, dir, spec, database)
	} else {
		n.wall, n.process, err = runNight(ctx, spec, pipelines.Computed, pipelines.RunOptions{})
	}
	if err != nil {
		return n, err
	}
	if err := n.ask(ctx, database); err != nil {
		return n, err
	}
	if n.unchangedSeconds, n.unchanged, err = runNight(ctx, spec, pipelines.Skipped, pipelines.RunOptions{}); err != nil {
		return n, err
	}
	n.least, err = least(dir, d, int(n.values))
	return n, err
}

// ask reads the costs of the run from the ledger.
func (n *night) ask(ctx context.Context, database string) error {
	const spent = "SELECT sum(setup_seconds), sum(warmup_seconds) + sum(sampling_seconds), " +
		"(SELECT sum(n) FROM draw_piece) FROM fit"
	var answer bytes.Buffer
	if err := pipelines.Query(ctx, &answer, database, spent, pipelines.QueryOptions{Format: "csv"}); err != nil {
		return err
	}
	cells := strings.Split(strings.Split(answer.String(), "\n")[1], ",")
	var err error
	for i, to := range []*float64{&n.setup, &n.sampling, &n.values} {
		if *to, err = strconv.ParseFloat(cells[i], 64); err != nil {
			return err
		}
	}
	return nil
}

// runNight runs a night, all of whose fits come to one action.
func runNight(ctx context.Context, spec, action string, o pipelines.RunOptions) (wall, process float64, err error) {
	o.Workers = nightWorkers
	began, spent := time.Now(), processSeconds()
	out, err := pipelines.Run(ctx, spec, o)
	wall, process = time.Since(began).Seconds(), processSeconds()-spent
	if err != nil {
		return wall, process, err
	}
	for _, f := range out.Fits {
		if f.Action != action {
			return wall, process, fmt.Errorf("%s: %s: %w", f.Name(), f.Action, f.Err)
		}
	}
	return wall, process, nil
}

// printNights prints nights with their parts, as ratios to sampling.
func printNights(w io.Writer, all []night) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "Whole nights, on %d workers. Parts are processor time as ratios to sampling, its warm-up in. "+
		"Beside them what nobody can save:\nreading the files once, a multiplication for each entry of the designs, "+
		"writing each stored number once.\n\n", nightWorkers)
	fmt.Fprint(w, "| night | method | wall, s | processor, s | sampling, ms a fit | set-up | reading, coding, hashing | "+
		"diagnosing, storing | ns a stored number | the whole | all but sampling, ms a fit | unchanged, a second | "+
		"pipeline commit, ms a fit | the whole to what nobody can save |\n|"+strings.Repeat("---|", 14)+"\n")
	for _, n := range all {
		ms, commit := 1e3/float64(n.fits), "–"
		if n.commit > 0 {
			commit = three(ms * n.commit)
		}
		fmt.Fprintf(w, "| %s, %d of %s | %s | %s | %s | %s | %s × | %s × | %s × | %s | %s × | %s | %s | %s | %s × |\n",
			n.name, n.fits, n.size, n.method, three(n.wall), three(n.process), three(ms*n.sampling),
			seconds(n.setup/n.sampling), seconds(n.unchanged/n.sampling), seconds(n.rest()/n.sampling),
			three(1e9*n.rest()/n.values), seconds(n.process/n.sampling), three(ms*(n.process-n.sampling)),
			three(float64(n.fits)/n.unchangedSeconds), commit, three(n.process/n.least))
	}
}
