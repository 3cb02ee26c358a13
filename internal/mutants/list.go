package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// fault is a change of one file that tests must find.
type fault struct {
	name string
	file string // from the module's folder
	// tests are arguments of go test: packages and flags. Those of the file's
	// package where the list gives none.
	tests []string
	// old, once in the file or first after the text that is called after there,
	// becomes new.
	after, old, new string
	// survives is why no test finds it; "" for a fault that must be found.
	survives string
}

// parse reads a list of faults: empty lines and those that begin with # are left
// out, and each fault is
//
//	name file [arguments of go test]
//	@ a text that is once in the file, after which the next is looked for
//	- the text that is replaced, once in the file or first after that
//	+ what replaces it
//	? why no test finds it
//
// of which @, + and ? may be left out. Lines that begin with space belong to the text
// before; space around a text does not count.
func parse(text string) ([]fault, error) {
	var out []fault
	last := "" // the mark of the line before
	for i, line := range strings.Split(text, "\n") {
		mark, rest := last, line+"\n"
		if line == "" || !strings.Contains(" \t", line[:1]) {
			mark, rest, _ = strings.Cut(line+"\n", " ")
		}
		switch {
		case line == "" || strings.HasPrefix(mark, "#"):
			mark = ""
		case !strings.Contains("@-+?", mark):
			f, err := head(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			out, mark = append(out, f), ""
		case mark == "" || len(out) == 0:
			return nil, fmt.Errorf("line %d: is no part of a fault", i+1)
		default:
			f := &out[len(out)-1]
			*map[string]*string{"@": &f.after, "-": &f.old, "+": &f.new, "?": &f.survives}[mark] += rest
		}
		last = mark
	}
	for i := range out {
		f := &out[i]
		for _, text := range []*string{&f.after, &f.old, &f.new, &f.survives} {
			*text = strings.TrimSpace(*text)
		}
	}
	return out, nil
}

// head reads the first line of a fault.
func head(line string) (fault, error) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return fault{}, errors.New("a fault has a name and a file")
	}
	f := fault{name: words[0], file: words[1], tests: words[2:]}
	if !strings.Contains(line, " ./") {
		f.tests = append(f.tests, "./"+path.Dir(f.file))
	}
	return f, nil
}

// plant returns the file's text with the fault.
func (f *fault) plant(text string) (string, error) {
	before, rest := "", text
	if f.after != "" {
		head, tail, _ := strings.Cut(text, f.after)
		before, rest = head+f.after, tail
	}
	n := strings.Count(rest, f.old)
	if f.old == "" || f.old == f.new || n == 0 || strings.Count(text, cmp.Or(f.after, f.old)) != 1 {
		return "", fmt.Errorf("fault %s: what it replaces in %s is not there, or not there alone", f.name, f.file)
	}
	return before + strings.Replace(rest, f.old, f.new, 1), nil
}

// part returns the k-th of n parts of a list, for "k/n"; all of it for "".
func part(list []fault, which string) ([]fault, error) {
	if which == "" {
		return list, nil
	}
	of, all, _ := strings.Cut(which, "/")
	k, err := strconv.Atoi(of)
	n, err2 := strconv.Atoi(all)
	if err != nil || err2 != nil || k < 1 || k > n {
		return nil, fmt.Errorf("part %q: write 3/12 for the third of twelve", which)
	}
	var out []fault
	for i := k - 1; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out, nil
}
