package report

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// source hands values from an iterator to table functions, whose calls arrive on foreign threads, where Go's pull
// iterators cannot be advanced: the iterator runs in a goroutine of its own. It continues only when the reader is
// done with the last value, whose memory it may use again.
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

// done lets the iterator continue.
func (s *source[T]) done() { s.taken <- struct{}{} }

// end ends the iterator, and returns when its goroutine has ended.
func (s *source[T]) end() {
	close(s.stop)
	for range s.values {
	}
}

// kinds are the types of the columns of feeds.
var kinds = map[string]duckdb.Type{"BIGINT": duckdb.TYPE_BIGINT, "INTEGER": duckdb.TYPE_INTEGER,
	"SMALLINT": duckdb.TYPE_SMALLINT, "DOUBLE": duckdb.TYPE_DOUBLE, "BOOLEAN": duckdb.TYPE_BOOLEAN}

// infos returns the columns of the table whose rows are of type T, for a table function that fills it.
func infos[T any]() (out []duckdb.ColumnInfo, err error) {
	for _, c := range tableOf[reflect.TypeFor[T]()].columns {
		name, _, _ := strings.Cut(c.kind, " ")
		name, list, _ := strings.Cut(name, "[")
		info, err := duckdb.NewTypeInfo(kinds[name])
		switch {
		case err == nil && list == "]":
			info, err = duckdb.NewListInfo(info)
		case err == nil && list != "":
			info, err = duckdb.NewArrayInfo(info, pieceDraws)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, duckdb.ColumnInfo{Name: c.name, T: info})
	}
	return out, nil
}
