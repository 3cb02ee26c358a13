package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

//go:embed faults.txt
var faults string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	which := flags.String("part", "", "k/n: the k-th of n parts of the list")
	only := flags.String("only", "", "regexp of names or files")
	byPins := flags.Bool("pinned", false, "run pinned tests alone, for the faults of pinned.txt")
	if err := flags.Parse(args); err != nil {
		return err
	}
	re, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	text, name, try := faults, "faults.txt", all
	if *byPins {
		text, name, try = pinnedFaults, "pinned.txt", pinned
	}
	list, err := parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var chosen []fault
	for _, f := range list {
		if re.MatchString(f.name) || re.MatchString(f.file) {
			chosen = append(chosen, f)
		}
	}
	if chosen, err = part(chosen, *which); err != nil {
		return err
	}
	if len(chosen) == 0 {
		return errors.New("no fault is asked for")
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return try(ctx, root, chosen, stdout)
}

// all tries every fault and prints the rate; an error where one is broken, or
// survives although the list does not say so.
func all(ctx context.Context, root string, list []fault, stdout io.Writer) error {
	sound := map[string]string{} // what tests print that fail without a fault
	kills, faulty := 0, 0
	for i := range list {
		f := &list[i]
		begun := time.Now()
		tests := strings.Join(f.tests, " ")
		if _, known := sound[tests]; !known {
			out, passed := test(ctx, root, f.tests, "")
			if sound[tests] = ""; !passed {
				sound[tests] = "without a fault, go test " + tests + " fails:\n" + out
			}
		}
		o, by, err := broken, sound[tests], ctx.Err()
		if by == "" && err == nil {
			o, by, err = try(ctx, root, f)
		}
		if err != nil {
			return err
		}
		switch {
		case o == found:
			kills++
			if f.survives != "" {
				by += "; the list says that none does"
				faulty++
			}
		case o == survived && f.survives != "":
			by = f.survives
		default:
			faulty++
		}
		fmt.Fprintf(stdout, "%-8s %-30s %5.1f s  %s\n", o, f.name, time.Since(begun).Seconds(), by)
	}
	fmt.Fprintf(stdout, "%d of %d faults found: %.1f %%\n", kills, len(list), 100*float64(kills)/float64(len(list)))
	if faulty > 0 {
		return fmt.Errorf("%d faults are not as the list says", faulty)
	}
	return nil
}
