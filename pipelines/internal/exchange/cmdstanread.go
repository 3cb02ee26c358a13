package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/internal/words"
)

// FileError is a fault of a file of draws. Line and Column are 0 and empty if
// the whole file is at fault.
type FileError struct {
	File   string
	Line   int // 1-based
	Column string
	Err    error // a *words.Hinted where it is known what to do
}

func (e *FileError) Error() string {
	s := "draws of " + e.File
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Column != "" {
		s += ", column " + e.Column
	}
	return s + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// Foreign are draws that another program made, all of them in memory.
type Foreign struct {
	Program         string     // stan, or draws_df
	Names           []string   // of the columns, samplers' own left out
	Called          []string   // the parameters that the file names; empty if it names none
	Chains          []Sequence // one a file of Stan's, one a value of .chain
	Warmup          int        // iterations of a chain before the draws, from the files
	WarmupSeconds   float64    // of all chains; NaN: not known
	SamplingSeconds float64
}

// Sequence is one chain.
type Sequence struct {
	Columns [][]float64  // one a name, in the order of iterations
	Stats   []infer.Info // log densities are NaN: a file's lp__ is on another scale
}

// stanFile is one CSV file of Stan's sample method.
type stanFile struct {
	path            string
	settings        map[string]string
	called          map[string]string // column to parameter, in files that Write made
	header          []string
	rows            [][]float64
	warmup, elapsed float64 // seconds
}

// readStan reads Stan CSV files, one a chain: CmdStan's, or what rstan writes with
// sample_file. Iterations of the warm-up that were saved are left out.
func readStan(paths []string) (*Foreign, error) {
	f := &Foreign{Program: "stan"}
	for i, path := range paths {
		s, err := openStan(path)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			f.Names = s.parameters()
			for _, name := range f.Names {
				f.Called = append(f.Called, s.called[name])
			}
			f.Warmup = s.number("num_warmup", "warmup")
		}
		if names := s.parameters(); !slices.Equal(names, f.Names) {
			return nil, &FileError{
				File: path,
				Err: words.Hint(fmt.Errorf("its %d parameters are not those of %s", len(names), paths[0]),
					"name the chains of one fit"),
			}
		}
		f.WarmupSeconds += s.warmup
		f.SamplingSeconds += s.elapsed
		if err := f.add(s); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// add appends the kept draws of a file.
func (f *Foreign) add(s *stanFile) error {
	if s.number("save_warmup") == 1 {
		thin := max(1, s.number("thin"))
		s.rows = s.rows[min(len(s.rows), (s.number("num_warmup", "warmup")+thin-1)/thin):]
	}
	if len(s.rows) == 0 {
		return &FileError{
			File: s.path,
			Err:  words.Hint(errors.New("it has no draws after the warm-up"), "was the sampler stopped before its end?"),
		}
	}
	if n := f.count(); n > 0 && n != len(s.rows) {
		return &FileError{
			File: s.path,
			Err: words.Hint(fmt.Errorf("it has %d draws, the chains before it have %d", len(s.rows), n),
				"name chains of one length"),
		}
	}
	var q Sequence
	for c, name := range s.header {
		if strings.HasSuffix(name, "__") {
			continue
		}
		column := make([]float64, len(s.rows))
		for i, row := range s.rows {
			column[i] = row[c]
		}
		q.Columns = append(q.Columns, column)
	}
	q.Stats = s.stats()
	f.Chains = append(f.Chains, q)
	return nil
}

// count is the number of draws of a chain.
func (f *Foreign) count() int {
	if len(f.Chains) == 0 || len(f.Chains[0].Columns) == 0 {
		return 0
	}
	return len(f.Chains[0].Columns[0])
}

// parameters are the columns that are not the sampler's own.
func (s *stanFile) parameters() []string {
	return slices.DeleteFunc(slices.Clone(s.header), func(name string) bool { return strings.HasSuffix(name, "__") })
}

// number is the first of these settings that the file has, as a whole number.
func (s *stanFile) number(names ...string) int {
	for _, name := range names {
		if text, ok := s.settings[name]; ok {
			n, _ := strconv.Atoi(strings.Fields(text + " 0")[0]) // other text counts as 0
			return n
		}
	}
	return 0
}

// stats are the sampler's own columns.
func (s *stanFile) stats() []infer.Info {
	out := make([]infer.Info, len(s.rows))
	for i, row := range s.rows {
		out[i] = infer.Info{LogLik: math.NaN(), LogPrior: math.NaN(), Accept: math.NaN(), StepSize: math.NaN(),
			Energy: math.NaN()}
		for c, name := range s.header {
			switch x := row[c]; name {
			case "accept_stat__":
				out[i].Accept = x
			case "stepsize__":
				out[i].StepSize = x
			case "treedepth__":
				out[i].Depth = int32(x)
			case "n_leapfrog__":
				out[i].Leapfrogs, out[i].Gradients = int32(x), int64(x)
			case "divergent__":
				out[i].Divergent = x != 0
			case "energy__":
				out[i].Energy = x
			}
		}
	}
	return out
}

// openStan reads one file.
func openStan(path string) (*stanFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &stanFile{path: path, settings: map[string]string{}, called: map[string]string{}, warmup: math.NaN(),
		elapsed: math.NaN()}
	in := bufio.NewReaderSize(file, 1<<20)
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if text = strings.TrimRight(text, "\r\n"); text != "" {
			if err := s.line(line, text); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if s.header == nil {
		return nil, &FileError{
			File: path,
			Err: words.Hint(errors.New("it has no header"),
				"name CSV files of Stan's sample method, or draws with the column .chain"),
		}
	}
	return s, nil
}

// line takes a comment, the header or a draw.
func (s *stanFile) line(number int, text string) error {
	if rest, ok := strings.CutPrefix(text, "#"); ok {
		s.comment(strings.TrimSpace(rest))
		return nil
	}
	cells := strings.Split(text, ",")
	if s.header == nil {
		s.header = cells
		for i, name := range cells {
			s.header[i] = strings.Trim(strings.TrimSpace(name), `"`)
		}
		if !slices.Contains(s.header, "lp__") {
			return &FileError{
				File: s.path, Line: number,
				Err: words.Hint(errors.New("the header has no lp__"),
					"name CSV files of Stan's sample method, or draws with the column .chain"),
			}
		}
		return nil
	}
	if len(cells) != len(s.header) {
		return &FileError{
			File: s.path, Line: number,
			Err: words.Hint(fmt.Errorf("it has %d cells, the header has %d", len(cells), len(s.header)),
				"was the sampler stopped while it wrote? remove the line"),
		}
	}
	row := make([]float64, len(cells))
	for i, cell := range cells {
		x, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return &FileError{File: s.path, Line: number, Column: s.header[i], Err: fmt.Errorf("%q is no number", cell)}
		}
		row[i] = x
	}
	s.rows = append(s.rows, row)
	return nil
}

// comment takes a setting, the seconds, or what a column is called.
func (s *stanFile) comment(text string) {
	if rest, ok := strings.CutPrefix(text, "column "); ok {
		if column, name, ok := strings.Cut(rest, " is "); ok {
			if plain, err := strconv.Unquote(name); err == nil {
				name = plain
			}
			s.called[column] = name
			return
		}
	}
	if key, value, ok := strings.Cut(text, "="); ok { // CmdStan writes blanks around it, rstan none
		s.settings[strings.TrimSpace(key)] = strings.TrimSpace(value)
		return
	}
	fields := strings.Fields(strings.TrimPrefix(text, "Elapsed Time:"))
	if len(fields) < 3 || fields[1] != "seconds" {
		return
	}
	seconds, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		return
	}
	switch fields[2] {
	case "(Warm-up)":
		s.warmup = seconds
	case "(Sampling)":
		s.elapsed = seconds
	}
}
