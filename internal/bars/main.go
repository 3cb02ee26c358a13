package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == holdFlag {
		if err := hold(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bars:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the arguments of a call.
type options struct {
	data, samplers, metrics []string
	auto, others            int // repetitions
	scale                   float64
	panel                   string
	rows                    int    // of made data
	fits                    int    // of the night of small fits
	profile                 string // file of a processor profile; empty: none
}

// list splits a flag at its commas.
func list(to *[]string) func(string) error {
	return func(s string) error {
		*to = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("bars", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Func("data", "data sets, with commas and globs between them: "+names(), list(&o.data))
	f.Func("samplers", "auto, reference, nuts, rstan, rstanarm, jags: all unless named", list(&o.samplers))
	f.Func("metrics", "of nuts, instead of the best one for each data set: diagonal, dense, low_rank", list(&o.metrics))
	f.IntVar(&o.auto, "reps", 5, "runs of auto, of which medians are printed")
	f.IntVar(&o.others, "others", 1, "runs of the other samplers")
	f.Float64Var(&o.scale, "length", 1, "multiplies the draws of every sampler")
	f.StringVar(&o.panel, "panel", panel(), "folder of the panel's Parquet files; also $PANEL_DIR")
	f.IntVar(&o.rows, "rows", syntheticRows, "rows of the synthetic data and of the night tall")
	f.IntVar(&o.fits, "fits", 1000, "small fits of the nights small and waiting")
	f.StringVar(&o.profile, "profile", "", "write a processor profile of all runs to this file, for go tool pprof")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	// relative paths would count from the folder of the specs made here
	if o.panel, err = filepath.Abs(o.panel); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("%q is no flag", f.Arg(0))
	case o.auto < 1 || o.others < 1 || !(o.scale > 0) || o.rows < 1 || o.fits < 1:
		err = errors.New("-reps, -others, -length, -rows and -fits must be above 0")
	}
	const known = "auto reference nuts rstan rstanarm jags"
	for _, s := range o.samplers {
		if !slices.Contains(strings.Fields(known), s) {
			err = words.Hint(fmt.Errorf("there is no sampler %q", s), known)
		}
	}
	return o, err
}

// panel is the default folder of the panel's data.
func panel() string {
	if dir := os.Getenv("PANEL_DIR"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data", "panel")
}

// run is the command: 0 when all was measured, 1 when something could not be,
// 2 when the call is wrong.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	var todo []sample
	var nightly []nightKind
	if err == nil {
		todo, nightly, err = chosen(o.data)
	}
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "bars:", err)
		return 2
	}
	folder, err := os.MkdirTemp("", "glmbatch-bars-")
	if err != nil {
		fmt.Fprintln(stderr, "bars:", err)
		return 1
	}
	defer os.RemoveAll(folder)
	stop, err := profiled(o.profile)
	if err != nil {
		fmt.Fprintln(stderr, "bars:", err)
		return 2
	}
	defer stop()
	began := time.Now()
	results, failed := all(ctx, o, todo, folder, stderr)
	if len(todo) > 0 {
		fmt.Fprintf(stdout, "Processor seconds of one core to an effective sample size of 100: of the median coefficient, "+
			"of `log_lik`, of the least coefficient.\n"+
			"Medians of %d runs of auto and %d of the others, in turn; %.0f minutes. ~: fewer than 100 effective draws, "+
			"extrapolated.\n\n", o.auto, o.others, time.Since(began).Minutes())
		bars(stdout, results)
		peerBars(stdout, results)
		fmt.Fprintln(stdout)
		details(stdout, results)
		fmt.Fprintln(stdout)
	}
	ran, bad := nights(ctx, o, nightly, folder, stderr)
	printNights(stdout, ran)
	if failed || bad || ctx.Err() != nil {
		return 1
	}
	return 0
}

// profiled begins a processor profile, if there is a file to write it to; stop
// ends it.
func profiled(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	to, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(to); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		to.Close()
	}, nil
}

// leftOut says that the panel lacks a data set.
func leftOut(stderr io.Writer, name string, err error) {
	fmt.Fprintf(stderr, "bars: %s is left out: %v\n", name, words.Hint(err, "PANEL_DIR=FOLDER make bench"))
}

// all measures the samples, one after the other.
func all(ctx context.Context, o options, todo []sample, folder string, stderr io.Writer,
) (results []result, failed bool) {
	for _, s := range todo {
		if s.file != "" {
			if _, err := os.Stat(filepath.Join(o.panel, s.file)); err != nil {
				leftOut(stderr, s.name, err)
				continue
			}
		} else if o.rows != syntheticRows {
			s.size = fmt.Sprintf("%d × %d synthetic", o.rows, syntheticColumns+1)
		}
		r := result{sample: s, runs: map[string][]measured{}}
		ways := slices.DeleteFunc(s.samplers(o.scale, o.metrics), func(w sampler) bool {
			family, _, _ := strings.Cut(w.name, " ")
			return len(o.samplers) > 0 && !slices.Contains(o.samplers, family)
		})
		for _, w := range ways {
			r.names = append(r.names, w.name)
		}
		for rep := range max(o.auto, o.others) {
			for _, w := range ways {
				if w.name == "auto" && rep >= o.auto || w.name != "auto" && rep >= o.others {
					continue
				}
				m, err := s.measure(ctx, o, w, folder, uint64(rep+1))
				if ctx.Err() != nil {
					return results, true
				}
				if errors.Is(err, exec.ErrNotFound) {
					fmt.Fprintf(stderr, "bars: %s, %s is left out: %v\n", s.name, w.name, err)
					continue
				}
				if err != nil {
					fmt.Fprintf(stderr, "bars: %s, %s: %v\n", s.name, w.name, err)
					failed = true
					continue
				}
				r.runs[w.name] = append(r.runs[w.name], m)
				fmt.Fprintf(stderr, "%s, %s, run %d: %s s to ESS 100, %s s in all\n", s.name, w.name, rep+1,
					triple(m.to100(true), m.ess), seconds(m.process))
			}
		}
		results = append(results, r)
	}
	return results, failed
}
