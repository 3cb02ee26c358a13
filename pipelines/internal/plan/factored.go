package plan

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// Factored reports whether the rows of the unit are not stored: its models depend only on their triangular factor.
func (u *Unit) Factored() bool { return u.Dataset.Rows == spec.Factored }

// factored holds the results of rows that were read.
type factored struct {
	designs map[*spec.Model]*design
	notes   []string
}

// readFactored yields a unit whose designs are made while it is read.
func (r *Reader) readFactored(ctx context.Context, ds *spec.Dataset, s ingest.Source, yield func(*Unit) error) error {
	u := r.unit(ds, s.Key)
	u.from = r.origin(ctx, ds, &s)
	got, _, err := reading(ctx, r, ds, &s, func(timed context.Context) (got factored, err error) {
		got.designs, got.notes, err = u.factor(timed, s, r.models(ds.Name))
		return got, err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	u.designs, u.warnings, u.Err, u.from.unread = got.designs, got.notes, err, err
	return yield(u)
}

// factoring is a model's design in the making, or its error.
type factoring struct {
	*design
	model  *spec.Model
	pieces *transform.Pieces
	// more says that it waits for rows of this reading, and learned that it is the second.
	more, learned bool
}

// factor reads a source twice, once for what coding needs to know and once for the rows' factors, and makes the designs
// of models, which have errors of their own. The second error is that of the source.
func (u *Unit) factor(ctx context.Context, s ingest.Source, models []*spec.Model) (map[*spec.Model]*design, []string,
	error) {
	stream, err := ingest.Open(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer stream.Close()
	var all []*factoring
	designs := map[*spec.Model]*design{}
	for _, m := range models {
		if designs[m] == nil {
			f := &factoring{model: m, design: &design{}, more: true}
			f.coding.Do(func() {})
			f.making.Do(func() {})
			all, designs[m] = append(all, f), f.design
		}
	}
	defer func() {
		for _, f := range all {
			if f.pieces != nil {
				f.pieces.Release()
			}
		}
	}()
	for _, pass := range []func(f *factoring, t *ingest.Table){u.learn, push} {
		err := stream.Each(ctx, func(t *ingest.Table) error {
			waits := false
			for _, f := range all {
				if f.err == nil && f.more {
					pass(f, t)
				}
				waits = waits || f.err == nil && f.more
			}
			if !waits {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, nil, err
		}
		for _, f := range all {
			f.passed()
		}
	}
	return designs, stream.Warnings, nil
}

// errEnough ends a reading of which no model needs the rest.
var errEnough = errors.New("the rest of the rows is not needed")

// learn shows a piece of the rows to a model that is yet to learn from it.
func (u *Unit) learn(f *factoring, t *ingest.Table) {
	if f.pieces == nil {
		formula, err := formulaOf(f.model)
		if err == nil {
			f.inFileOrder = formula.Open()
			if f.reads, err = formula.Columns(t.Data.Schema()); err != nil {
				err = fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), t.From()), err)
			}
		}
		if f.err = err; err != nil {
			return
		}
		f.pieces = transform.NewPieces(u.coding(f.model, formula, t))
	}
	if f.err = t.Check(f.reads); f.err != nil {
		return
	}
	f.more, f.err = f.pieces.Learn(t.Data, t.Locate)
}

// push shows a piece of the rows to a model that has learned.
func push(f *factoring, t *ingest.Table) {
	if f.err = t.Check(f.reads); f.err == nil {
		f.err = f.pieces.Push(t.Data, t.Locate)
	}
}

// passed ends a reading.
func (f *factoring) passed() {
	switch {
	case f.err != nil:
	case !f.learned:
		f.learned, f.more, f.err = true, true, f.pieces.Learned()
	default:
		if f.Design, f.err = f.pieces.Design(); f.err == nil {
			f.dataHash, f.err = hashColumns(f.reads, f.inFileOrder, func(reads []string) (string, error) {
				return hashOfFactor(reads, f.pieces), nil
			})
		}
	}
}

// hashOfFactor is the hash of data whose rows are not stored: that of all that a model depends on.
func hashOfFactor(reads []string, pieces *transform.Pieces) string {
	sum := sha256.New()
	words, numbers := pieces.HashInput()
	head := []string{"glmbatch factor " + glm.TriangleVersion, string(words)}
	for _, text := range append(head, reads...) {
		sum.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)) // a hash never fails
	}
	for _, v := range numbers {
		sum.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v+0))) // without a sign of 0
	}
	return hex.EncodeToString(sum.Sum(nil))
}
