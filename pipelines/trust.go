package pipelines

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// Trust bounds what a spec may reach: a spec that a stranger sent names files to
// read and a database to write. docs/decisions/0021-trust.md says why it is so.
type Trust struct {
	// Folders are those, with all below them, in which a spec may read and write;
	// links are followed; a name such as s3://bucket/folder lets it read objects.
	// Empty: the folder of the spec and the working directory; shipped pipelines may
	// then use everything.
	Folders []string
	// Env are globs of the environment variables that a spec may read; to it the
	// others are not set. Empty: all.
	Env []string
}

// lookup is os.LookupEnv for the variables that may be read.
func (t *Trust) lookup() func(string) (string, bool) {
	if t == nil || len(t.Env) == 0 {
		return os.LookupEnv
	}
	return func(name string) (string, bool) {
		if !slices.ContainsFunc(t.Env, func(pattern string) bool { return words.Match(pattern, name) }) {
			return "", false
		}
		return os.LookupEnv(name)
	}
}

// fence refuses a spec that names a file outside of the folders, all such files at once, and gives its data sets
// these folders. A database that the caller named is the caller's own.
func (t *Trust) fence(p *spec.Pipeline, target string, databaseGiven bool) error {
	folders, err := t.folders(target)
	if err != nil || folders == nil {
		return err
	}
	p.Within = folders
	problems := &Problems{}
	look := func(path string, place ...string) {
		if path == "" || strings.HasPrefix(path, ":memory:") {
			return
		}
		ok, err := ingest.Inside(folders, path)
		message := "it is outside the folders that this spec may use: " + strings.Join(folders, ", ")
		if err != nil {
			message = err.Error()
		}
		if err != nil || !ok {
			problems.List = append(problems.List,
				p.Problem(fmt.Sprintf("%s: %s", path, message), ingest.FenceHint(path, err), place...))
		}
	}
	if !databaseGiven {
		// what is written with it; links among them are followed too
		leads, _, err := outfile.Target(p.Database)
		for _, beside := range []string{"", ".wal", ".guard", ".work", ".prune", ".new"} {
			look(p.Database+beside, "database")
			if err == nil && leads != p.Database {
				look(leads+beside, "database")
			}
		}
	}
	if p.Publish != "" {
		look(p.Publish, "publish")
		look(p.Publish+outfile.TempSuffix, "publish")
	}
	if p.Report != "" {
		look(p.Report, "report")
		look(p.Report+outfile.TempSuffix, "report")
	}
	lookAtData(p, look)
	problems.List = slices.CompactFunc(problems.List,
		func(a, b spec.Problem) bool { return a.Line == b.Line && a.Column == b.Column })
	if len(problems.List) > 0 {
		return problems
	}
	return nil
}

// lookAtData visits the files that data come from.
func lookAtData(p *spec.Pipeline, look func(path string, place ...string)) {
	for _, d := range p.Datasets {
		look(d.Database, "datasets", d.Name, "database")
		look(ingest.Stem(d.Triplets.Path), "datasets", d.Name, "triplets", "path")
		look(ingest.Stem(d.Edges.Path), "datasets", d.Name, "edges", "path")
		look(d.Edges.Database, "datasets", d.Name, "edges", "database")
		look(ingest.Stem(d.Tables.Path), "datasets", d.Name, "tables", "path")
		look(d.Tables.Database, "datasets", d.Name, "tables", "database")
		look(ingest.Stem(d.Image.Path), "datasets", d.Name, "image", "path")
		look(d.Image.Truth, "datasets", d.Name, "image", "truth")
		if !strings.HasPrefix(d.Written, "example:") {
			look(ingest.Stem(d.Path), "datasets", d.Name, "path")
		}
	}
	for _, m := range p.Matrices {
		look(ingest.Stem(m.Path), "matrices", m.Name, "path")
		look(m.Database, "matrices", m.Name, "database")
	}
}

// folders are absolute, with links resolved; nil for everywhere.
func (t *Trust) folders(target string) ([]string, error) {
	if t == nil {
		return nil, nil
	}
	names := t.Folders
	if len(names) == 0 {
		if _, err := Source(target); err == nil {
			if info, err := os.Stat(target); err != nil || info.IsDir() {
				return nil, nil // the program's own pipeline
			}
		}
		names = []string{filepath.Dir(target), "."}
	}
	var out []string
	for _, name := range names {
		if words.IsObject(name) {
			out = append(out, name)
			continue
		}
		path, err := filepath.Abs(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return nil, fmt.Errorf("--allow %s: %w", name, err)
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, nil
}
