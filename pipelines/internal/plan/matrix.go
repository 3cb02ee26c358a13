package plan

import (
	"context"
	"fmt"
	"strings"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// matrixRead is a matrix of the spec, or why it cannot be read.
type matrixRead struct {
	*transform.Matrix
	hash string
	err  error
}

// readMatrices reads the matrices that the chosen models of a data set name, each once. Its error is that of ctx.
func (r *Reader) readMatrices(ctx context.Context, ds *spec.Dataset) error {
	if r.NamesOnly {
		return nil
	}
	for _, m := range r.models(ds.Name) {
		for _, name := range m.Matrices() {
			if r.matrices[name] != nil {
				continue
			}
			if r.matrices == nil {
				r.matrices = map[string]*matrixRead{}
			}
			r.matrices[name] = r.readMatrix(ctx, ds, name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// readMatrix reads a matrix within the time that the data set has.
func (r *Reader) readMatrix(ctx context.Context, ds *spec.Dataset, name string) (out *matrixRead) {
	for _, m := range r.Pipeline.Matrices {
		if m.Name != name {
			continue
		}
		src := r.tableSource(ctx, ds, m.Path, m.SQL, m.Database, m.Params)
		src.Name = name
		timed, done := r.timed(ctx, ds, src)
		table, err := ingest.Read(timed, *src)
		if err = done(err); err != nil {
			return &matrixRead{err: err}
		}
		defer table.Release()
		columns := transform.MatrixColumns{Row: m.Row, Column: m.Column, Value: m.Value}
		out = &matrixRead{}
		if out.Matrix, out.err = transform.ReadMatrix(name, table.Data, columns, table.Locate); out.err == nil {
			out.hash = out.Hash()
		}
		return out
	}
	return &matrixRead{err: fmt.Errorf("there is no matrix %q", name)} // refused when the spec was read
}

// matrix returns a matrix that formulas name.
func (u *Unit) matrix(name string) (*transform.Matrix, error) {
	m := u.matrices[name]
	if m == nil {
		return nil, fmt.Errorf("there is no matrix %q", name)
	}
	return m.Matrix, m.err
}

// hashMatrices are the names and hashes of the matrices that a model names, empty if there is none.
func (u *Unit) hashMatrices(m *spec.Model) string {
	var hashes []string
	for _, name := range m.Matrices() {
		if of := u.matrices[name]; of != nil {
			hashes = append(hashes, name+" "+of.hash)
		}
	}
	return strings.Join(hashes, ", ")
}
