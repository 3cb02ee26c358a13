package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// Origin is where the rows of a unit are, and how much of them there is.
type Origin struct {
	// Source is the path of the data; "sql", followed by the database if there is one; or how the program makes them.
	Source string `json:"source"`
	// Bytes is the size of the files, and Rows the number of rows of a unit whose data were read. Nil means unknown.
	Bytes *int64 `json:"bytes,omitempty"`
	Rows  *int64 `json:"rows,omitempty"`

	unsized error // why the files have no size
	unread  error // why a source of rows could not be read
}

// Entry is a planned unit.
type Entry struct {
	Dataset string `json:"dataset"`
	Key     string `json:"key,omitempty"`
	Origin
}

// Manifest lists the units that were planned.
type Manifest struct {
	Entries []Entry
	at      map[unitKey]int
}

type unitKey struct{ dataset, key string }

// NewManifest returns the manifest of some entries, each of another unit.
func NewManifest(entries []Entry) *Manifest {
	m := &Manifest{entries, map[unitKey]int{}}
	for i, e := range entries {
		m.at[unitKey{e.Dataset, e.Key}] = i
	}
	return m
}

// has reports whether a unit was planned.
func (m *Manifest) has(dataset, key string) bool {
	_, ok := m.at[unitKey{dataset, key}]
	return ok
}

// Fits lists the planned fits that c chooses, in the order of the manifest.
func (m *Manifest) Fits(p *spec.Pipeline, c Choice) (out []*Fit) {
	datasets := map[string]*spec.Dataset{}
	for _, ds := range p.Datasets {
		datasets[ds.Name] = ds
	}
	for _, e := range m.Entries {
		if ds := datasets[e.Dataset]; ds != nil && c.Unit(e.Dataset, e.Key) {
			out = append(out, Fits(p, c, &Unit{Dataset: ds, Key: e.Key})...)
		}
	}
	return out
}

// LackError is the error of fits whose planned data are absent or fewer than planned.
type LackError struct{ Err error }

func (e *LackError) Error() string { return "planned data are missing: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *LackError) Unwrap() error { return e.Err }

// lackHint is the remedy of a LackError.
const lackHint = "restore the data and run the shard again, or make a new plan"

// readPlanned yields the planned units of a data set, and no other. A unit whose data are absent, or fewer than
// planned, has a *LackError.
func (r *Reader) readPlanned(ctx context.Context, ds *spec.Dataset, yield func(*Unit) error) error {
	planned := r.Choice.Share.Planned
	seen := map[string]bool{}
	var failed error // of the data set, or of a file of groups
	err := r.read(ctx, ds, func(u *Unit) error {
		if !planned.has(ds.Name, u.Key) {
			failed = cmp.Or(failed, u.Err)
			u.Close()
			return ctx.Err()
		}
		seen[u.Key] = true
		e := planned.Entries[planned.at[unitKey{ds.Name, u.Key}]]
		if err := e.lacks(u); err != nil {
			u.Close()
			u = r.unit(ds, u.Key)
			u.Err = &LackError{err}
		}
		return yield(u)
	})
	if err != nil {
		return err
	}
	for _, e := range planned.Entries {
		if e.Dataset != ds.Name || seen[e.Key] || !r.wants(ds, e.Key) {
			continue
		}
		u := r.unit(ds, e.Key)
		u.Err = &LackError{failed}
		if failed == nil {
			u.Err = &LackError{e.fault("they are no longer there")}
		}
		if err := yield(u); err != nil {
			return err
		}
	}
	return nil
}

// fault is an error of the entry's data.
func (e *Entry) fault(format string, args ...any) error {
	return words.Hint(fmt.Errorf("dataset %q, %s: %s", UnitName(e.Dataset, e.Key), e.Source, fmt.Sprintf(format, args...)),
		lackHint)
}

// lacks returns what a unit that was read lacks of what was planned; nil if it lacks nothing.
func (e *Entry) lacks(u *Unit) error {
	switch {
	case u.from.unsized != nil:
		return u.from.unsized
	case u.from.unread != nil && e.Rows != nil: // the plan could read them
		return u.from.unread
	case u.Err != nil:
		return nil
	case e.Rows != nil && u.from.Rows != nil && *u.from.Rows < *e.Rows:
		return e.fault("%d rows were planned, and %d are there", *e.Rows, *u.from.Rows)
	case e.Rows == nil && e.Bytes != nil && u.from.Bytes != nil && *u.from.Bytes < *e.Bytes:
		return e.fault("%d bytes were planned, and %d are there", *e.Bytes, *u.from.Bytes)
	}
	return nil
}

// Entry returns the unit's entry in a manifest. It returns an error if the source cannot be read. An error of one group
// is that of its fits.
func (u *Unit) Entry() (Entry, error) {
	return Entry{u.Dataset.Name, u.Key, u.from}, cmp.Or(u.from.unsized, u.from.unread)
}

// unreadable returns a unit whose source cannot be found.
func (r *Reader) unreadable(ds *spec.Dataset, err error) *Unit {
	return &Unit{Dataset: ds, Err: err, from: Origin{unsized: err}}
}

// measures reports whether units have their origin.
func (r *Reader) measures() bool { return r.NamesOnly || r.Choice.Share.Planned != nil }

// origin measures the files of sources, of which the first names the unit's rows.
func (r *Reader) origin(ctx context.Context, ds *spec.Dataset, sources ...*ingest.Source) (o Origin) {
	if !r.measures() {
		return o
	}
	first := sources[0]
	switch o.Source = first.Path; {
	case ds.Synthetic.Rows > 0:
		o.Source = "synthetic"
	case strings.HasPrefix(ds.Written, "example:"):
		o.Source = ds.Written
	case first.SQL != "" && first.Database != "":
		o.Source = "sql " + first.Database
	case first.SQL != "":
		o.Source = "sql"
	case !words.IsObject(first.Path):
		if path, err := filepath.Abs(first.Path); err == nil {
			o.Source = path
		}
	}
	var bytes int64
	for _, s := range sources {
		n, err := s.Size(ctx)
		o.unsized = errors.Join(o.unsized, err)
		bytes += n
	}
	if o.unsized == nil && first.SQL == "" {
		o.Bytes = &bytes
	}
	return o
}
