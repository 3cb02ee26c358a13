package report

import (
	"context"
	"fmt"
	"iter"

	"github.com/duckdb/duckdb-go/v2"
)

// source hands values from an iterator to table functions, whose calls arrive on foreign threads, where Go's pull
// iterators cannot be advanced: the iterator runs in a goroutine of its own. It goes on only when the reader is done
// with the last value, whose memory it may use again.
type source[T any] struct {
	values chan T // closed at the end
	taken  chan struct{}
	stop   chan struct{} // closed by the reader
	err    error         // valid once values is closed
}

// newSource begins to iterate over values, of which what says what they are.
func newSource[T any](what string, over iter.Seq2[T, error]) *source[T] {
	s := &source[T]{values: make(chan T), taken: make(chan struct{}), stop: make(chan struct{})}
	go func() {
		defer close(s.values)
		defer func() {
			if r := recover(); r != nil {
				s.err = fmt.Errorf("reading %s: panic: %v", what, r)
			}
		}()
		for v, err := range over {
			if err != nil {
				s.err = err
				return
			}
			select {
			case s.values <- v:
			case <-s.stop:
				return
			}
			select {
			case <-s.taken:
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

// next is the next value, if there is one. The reader calls done before it asks again.
func (s *source[T]) next(ctx context.Context) (v T, more bool, err error) {
	select {
	case <-ctx.Done():
		return v, false, ctx.Err()
	case v, more = <-s.values:
		if !more {
			err = s.err
		}
		return v, more, err
	}
}

// done lets the iterator go on.
func (s *source[T]) done() { s.taken <- struct{}{} }

// end ends the iterator, and returns when its goroutine has ended.
func (s *source[T]) end() {
	close(s.stop)
	for range s.values {
	}
}

// types are the engine's types of columns that are fed.
type types struct{ large, integer, small, piece, doubles, larges, integers, truths duckdb.TypeInfo }

func newTypes() (t types, err error) {
	var double, truth duckdb.TypeInfo
	for _, of := range []struct {
		info *duckdb.TypeInfo
		kind duckdb.Type
	}{{&t.large, duckdb.TYPE_BIGINT}, {&t.integer, duckdb.TYPE_INTEGER}, {&t.small, duckdb.TYPE_SMALLINT},
		{&double, duckdb.TYPE_DOUBLE}, {&truth, duckdb.TYPE_BOOLEAN}} {
		if *of.info, err = duckdb.NewTypeInfo(of.kind); err != nil {
			return t, err
		}
	}
	for _, of := range []struct {
		info  *duckdb.TypeInfo
		child duckdb.TypeInfo
	}{{&t.doubles, double}, {&t.larges, t.large}, {&t.integers, t.integer}, {&t.truths, truth}} {
		if *of.info, err = duckdb.NewListInfo(of.child); err != nil {
			return t, err
		}
	}
	t.piece, err = duckdb.NewArrayInfo(double, pieceDraws)
	return t, err
}
