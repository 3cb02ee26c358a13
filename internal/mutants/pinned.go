package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pinnedFaults change bits of draws, each by one expression. Its tests are specs of TestPinnedDraws, or if it has none
// TestPinned of the file's package.
//
//go:embed pinned.txt
var pinnedFaults string

// switchOf is the environment variable that switches one of these faults on.
const switchOf = "GLMBATCH_MUTANT"

// switchFile declares in each package with a fault the function that chooses between two values. Both are computed, so
// that expressions of faults have no effects.
const switchFile = `package %s

import "os"

var mutantOn = os.Getenv("` + switchOf + `")

func mutant[T any](name string, sound, faulty T) T {
	if name == mutantOn {
		return faulty
	}
	return sound
}
`

// pinned builds the pinned tests of each package once with all faults of the list, and runs them for each fault that is
// switched on.
func pinned(ctx context.Context, root string, list []fault, stdout io.Writer) error {
	folder, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	replaced, err := switched(root, folder, list)
	if err != nil {
		return err
	}
	overlay, binaries := filepath.Join(folder, "overlay.json"), map[string]string{}
	if err := writeOverlay(overlay, replaced); err != nil {
		return err
	}
	for i := range list {
		home := list[i].home()
		if binaries[home] != "" {
			continue
		}
		binaries[home] = filepath.Join(folder, strings.ReplaceAll(home, "/", "-")+".test")
		build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+overlay, "-ldflags="+linkFlags(),
			"-o", binaries[home], "./"+home)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("the faults do not compile together: %w\n%s", err, out))
		}
	}
	call := func(f *fault, name string) (out string, passed bool) {
		c := exec.CommandContext(ctx, binaries[f.home()], "-test.failfast", "-test.timeout=10m", "-test.run", f.pins())
		c.Dir = filepath.Join(root, f.home())
		c.Env = append(os.Environ(), switchOf+"="+name)
		text, err := c.CombinedOutput()
		return string(text), err == nil
	}
	return tally(ctx, list, stdout, call)
}

// tally runs the tests of each fault without it and with it, and prints the rate.
func tally(ctx context.Context, list []fault, stdout io.Writer, call func(*fault, string) (string, bool)) error {
	sound := map[string]bool{}
	kills := 0
	for i := range list {
		f := &list[i]
		if at := f.home() + f.pins(); !sound[at] {
			if out, passed := call(f, ""); !passed {
				return errors.Join(ctx.Err(), fmt.Errorf("without a fault, tests %s fail:\n%s", f.pins(), out))
			}
			sound[at] = true
		}
		begun := time.Now()
		o, by := judge(call(f, f.name))
		if err := ctx.Err(); err != nil {
			return err
		}
		if o == found {
			kills++
		}
		fmt.Fprintf(stdout, "%-8s %-36s %5.1f s  %s\n", o, f.name, time.Since(begun).Seconds(), by)
	}
	rate := 100 * float64(kills) / float64(len(list))
	fmt.Fprintf(stdout, "%d of %d faults found by pinned tests: %.1f %%\n", kills, len(list), rate)
	if kills < len(list) {
		return fmt.Errorf("%d faults change no pinned draw", len(list)-kills)
	}
	return nil
}

// home returns the folder of the tests of a pinned fault.
func (f *fault) home() string {
	if len(f.tests) == 1 { // the package that head adds
		return filepath.Dir(f.file)
	}
	return "cmd/pipeline"
}

// pins returns the regular expression of the tests of a pinned fault: the words after its file are specs.
func (f *fault) pins() string {
	specs := f.tests[:len(f.tests)-1]
	if len(specs) == 0 {
		return "^TestPinned$"
	}
	return "^TestPinnedDraws$/^(" + strings.Join(specs, "|") + ")$"
}

// switched writes the files with all faults of the list, and one more in each package; it returns the overlay.
func switched(root, folder string, list []fault) (map[string]string, error) {
	files, replaced := map[string][]*fault{}, map[string]string{}
	for i := range list {
		files[list[i].file] = append(files[list[i].file], &list[i])
	}
	for file, faults := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		planted, err := plantAll(string(text), faults)
		if err != nil {
			return nil, err
		}
		dir := filepath.Dir(file)
		flat := strings.ReplaceAll(file, "/", "-")
		own := filepath.Join(folder, strings.ReplaceAll(dir, "/", "-")+"-mutant.go")
		replaced[filepath.Join(root, file)] = filepath.Join(folder, flat)
		replaced[filepath.Join(root, dir, "mutant_on.go")] = own
		if err := os.WriteFile(filepath.Join(folder, flat), []byte(planted), 0o600); err != nil {
			return nil, err
		}
		if err := os.WriteFile(own, fmt.Appendf(nil, switchFile, filepath.Base(dir)), 0o600); err != nil {
			return nil, err
		}
	}
	return replaced, nil
}

// plantAll returns the file's text with a switch at the place of each fault.
func plantAll(text string, faults []*fault) (string, error) {
	type place struct {
		at int
		*fault
	}
	var places []place
	for _, f := range faults {
		if _, err := f.plant(text); err != nil {
			return "", err
		}
		from := 0
		if f.after != "" {
			from = strings.Index(text, f.after) + len(f.after)
		}
		places = append(places, place{from + strings.Index(text[from:], f.old), f})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.at, a.at) }) // the last first
	for i, p := range places {
		if i > 0 && p.at+len(p.old) > places[i-1].at {
			return "", fmt.Errorf("faults %s and %s overlap in %s", p.name, places[i-1].name, p.file)
		}
		text = text[:p.at] + fmt.Sprintf("mutant(%q, %s, %s)", p.name, p.old, p.new) + text[p.at+len(p.old):]
	}
	return text, nil
}
