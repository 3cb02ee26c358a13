package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
)

// version is that of a plan's file.
const version = 2

// FewFits is the number of fits below which a shard costs more than it spares: starting a program, its ledger and
// loading that into another.
const FewFits = 20

// Plan is all that decides a night: another machine, a later day and another environment make the same of it.
type Plan struct {
	Version int    `json:"version"`
	Build   string `json:"build"` // of the program; another one refuses the plan
	// Target is how the spec was called, Spec its text, and Dir the folder that its paths count from.
	Target  string            `json:"target"`
	Spec    string            `json:"spec"`
	Dir     string            `json:"dir"`
	Profile string            `json:"profile,omitempty"`
	Vars    map[string]string `json:"vars"` // given by the call
	Env     map[string]string `json:"env"`  // that the spec read and were set
	Seed    *uint64           `json:"seed"` // instead of the spec's
	Today   time.Time         `json:"today"`
	Only    []string          `json:"only"`
	// Alone are selectors, each of fits that have a shard of their own, behind those by hash.
	Alone []string `json:"alone"`
	// Within are the folders that the spec may use; null for all.
	Within        []string `json:"within"`
	Database      string   `json:"database"`
	DatabaseGiven bool     `json:"database_given"` // by the call: what the spec publishes is another ledger
	// Run is the night's, Started when it was planned, and Place that of the run in the ledger.
	Run     string    `json:"run"`
	Started time.Time `json:"started"`
	Place   int       `json:"place"`
	// Fits counts the fits of each shard.
	Fits []int `json:"fits"`
	// Known counts the fits of each shard that are in the ledger, according to the base.
	Known []int `json:"known"`
	// Whole are fits of the ledger that were copied in full, since some of their results are recomputed.
	Whole []int64 `json:"whole"`
	// Entries is the manifest: the units of which fits were planned.
	Entries []plan.Entry `json:"manifest,omitempty"`
}

// Shards is how many there are.
func (p *Plan) Shards() int { return len(p.Fits) }

// Division says which fit is of which shard.
func (p *Plan) Division() (plan.Division, error) {
	alone, err := plan.ParseAlone(p.Alone)
	return plan.Division{Hashed: p.Shards() - len(alone), Alone: alone}, err
}

// Total is the number of fits.
func (p *Plan) Total() (n int) {
	for _, k := range p.Fits {
		n += k
	}
	return n
}

// same reports whether two plans were asked for in the same words.
func (p *Plan) same(q *Plan) bool {
	text := func(p *Plan) string {
		asked := Plan{Build: p.Build, Target: p.Target, Spec: p.Spec, Dir: p.Dir, Profile: p.Profile, Vars: p.Vars,
			Seed: p.Seed, Only: p.Only, Alone: p.Alone, Database: p.Database, Fits: make([]int, len(p.Fits))}
		b, err := json.Marshal(asked)
		return fmt.Sprint(string(b), err)
	}
	return text(p) == text(q)
}

// The files of a plan's folder.
func planFile(dir string) string { return filepath.Join(dir, "plan.json") }
func baseFile(dir string) string { return filepath.Join(dir, "base.duckdb") }
func fragment(dir string, i int) string {
	return filepath.Join(dir, "fragments", fmt.Sprintf("%d.duckdb", i))
}
func outcomeFile(dir string, i int) string {
	return filepath.Join(dir, "fragments", fmt.Sprintf("%d.json", i))
}
func progressFile(dir string, i int) string {
	return filepath.Join(dir, "progress", fmt.Sprintf("%d.json", i))
}

// Load reads the plan of a folder.
func Load(dir string) (*Plan, error) {
	text, err := os.ReadFile(planFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, words.Hint(fmt.Errorf("%q has no plan", dir), "pipeline plan SPEC --shards N --to DIR makes one")
	}
	p := &Plan{}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err == nil && (p.Version != version || p.Shards() == 0 || len(p.Known) != len(p.Fits)) {
		err = fmt.Errorf("it does not have version %d", version)
	}
	if err != nil {
		return nil, fmt.Errorf("the plan in %q: %w", dir, err)
	}
	return p, nil
}

// Planned returns the existing plan if its request was equal: a repeated call plans nothing again. It is nil if
// there is none, and an error if the existing plan is another one.
func (p *Plan) Planned(dir string) (*Plan, error) {
	if _, err := os.Stat(planFile(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	there, err := Load(dir)
	if err != nil || there.same(p) {
		return there, err
	}
	return nil, words.Hint(fmt.Errorf("%q has the plan of another call", dir), "name another folder for each run")
}

// Save makes a plan of the folder: it is written last, so that whoever finds it finds all of it.
func (p *Plan) Save(dir string) error {
	p.Version = version
	head := *p
	head.Entries = nil
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(text, []byte("\n}")))
	for i, e := range p.Entries { // a line each
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.WriteString(map[bool]string{true: ",\n  \"manifest\": [\n    ", false: ",\n    "}[i == 0])
		b.Write(text)
	}
	b.WriteString("\n  ]\n}\n")
	return write(planFile(dir), b.Bytes())
}

// save writes a file of JSON, whole or not at all.
func save(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return write(path, append(text, '\n'))
}

// write writes a file, whole or not at all, that its owner alone may read: it may have values of the environment.
func write(path string, text []byte) error {
	return outfile.Write(path, 0o600, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// Folders makes those of a plan.
func Folders(dir string) error {
	for _, name := range []string{"fragments", "progress"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	return nil
}
