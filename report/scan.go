package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode"

	"glmbatch/infer/diag"
)

// read appends a T to out for each row of a query. A column sets the field of its name: see columnsOf. An array takes
// the column of its name and those after it. If T is not a struct, it takes all columns in their order. NULL sets NaN,
// "", nil or zero; it sets −1 if the field counts from 0.
func read[T any](ctx context.Context, c *sql.Conn, out *[]T, query string, args ...any) error {
	var row, zero T
	var to []any
	return scanRows(ctx, c, query, func(rows *sql.Rows) (err error) {
		if to == nil {
			if to, err = places(rows, reflect.ValueOf(&row).Elem()); err != nil {
				return err
			}
		}
		row = zero
		err = rows.Scan(to...)
		*out = append(*out, row)
		return err
	}, args...)
}

// readMap adds the rows of a query to out: their first column is the key, the others set the value, as in read.
func readMap[K comparable, V any](ctx context.Context, c *sql.Conn, out map[K]V, query string, args ...any) error {
	var key K
	var value, zero V
	var to []any
	return scanRows(ctx, c, query, func(rows *sql.Rows) (err error) {
		if to == nil {
			to = append(indexed(reflect.ValueOf(&key).Elem()), indexed(reflect.ValueOf(&value).Elem())...)
		}
		value = zero
		err = rows.Scan(to...)
		out[key] = value
		return err
	}, args...)
}

// columnList returns the names of the columns that set the fields of a struct, for SELECT.
func columnList(of any) string {
	var names []string
	for _, c := range readColumns(reflect.TypeOf(of)) {
		names = append(names, quoteName(c.name))
	}
	return strings.Join(names, ", ")
}

// readColumns lists the columns that set the fields of a struct.
func readColumns(of reflect.Type) []column {
	known, ok := columnsRead.Load(of)
	if !ok {
		known, _ = columnsRead.LoadOrStore(of, columnsOf(of, true))
	}
	return known.([]column)
}

var columnsRead sync.Map

// tagged maps structs of packages that know no ledger to structs with the same fields and tags.
var tagged = map[reflect.Type]reflect.Type{reflect.TypeFor[diag.Summary](): reflect.TypeFor[summaryNumbers]()}

// snake returns the name of a field in SQL: LogLik is log_lik, FitID is fit_id.
func snake(name string) string {
	var b strings.Builder
	last := true
	for _, r := range name {
		if unicode.IsUpper(r) && !last {
			b.WriteByte('_')
		}
		last = unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// places returns the scanners by which the columns of rows set a value.
func places(rows *sql.Rows, v reflect.Value) (to []any, err error) {
	if v.Kind() != reflect.Struct || v.Type() == timeType {
		return indexed(v), nil
	}
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	fields := map[string]*column{}
	columns := readColumns(v.Type())
	for i := range columns {
		fields[columns[i].name] = &columns[i]
	}
	for len(to) < len(names) {
		c := fields[names[len(to)]]
		if c == nil {
			return nil, fmt.Errorf("%s has no field for the column %s", v.Type(), names[len(to)])
		}
		for _, p := range indexed(v.FieldByIndex(c.field)) {
			to = append(to, place{c, p.(place).to})
		}
	}
	return to, nil
}

var timeType = reflect.TypeFor[time.Time]()

// indexed returns the places of a value, or of the elements of an array.
func indexed(v reflect.Value) (to []any) {
	if v.Kind() != reflect.Array {
		return []any{place{new(column), v}}
	}
	for i := range v.Len() {
		to = append(to, place{new(column), v.Index(i)})
	}
	return to
}

// place is a field, or an element of an array, that a column sets.
type place struct {
	*column
	to reflect.Value
}

// Scan makes place an sql.Scanner.
func (p place) Scan(src any) error {
	if src == nil {
		p.to.SetZero()
		switch {
		case p.to.CanFloat():
			p.to.SetFloat(math.NaN())
		case p.to.CanInt() && (p.from > 0 || p.null == "negative"):
			p.to.SetInt(-1)
		}
		return nil
	}
	if p.to.Kind() == reflect.Pointer {
		p.to.Set(reflect.New(p.to.Type().Elem()))
		return place{p.column, p.to.Elem()}.Scan(src)
	}
	switch v := reflect.ValueOf(src); {
	case v.Type() == p.to.Type():
		p.to.Set(v)
	case v.Kind() == reflect.String && p.to.Kind() == reflect.String:
		p.to.SetString(v.String())
	case v.Kind() == reflect.String && p.to.CanConvert(reflect.TypeFor[[]byte]()):
		p.to.SetBytes([]byte(v.String()))
	case v.Kind() == reflect.String && (p.to.Kind() == reflect.Slice || p.to.Kind() == reflect.Map ||
		p.to.Kind() == reflect.Struct && p.to.Type() != timeType):
		return json.Unmarshal([]byte(v.String()), p.to.Addr().Interface())
	case v.Kind() == reflect.Slice && p.to.Kind() == reflect.Slice:
		p.to.Set(reflect.MakeSlice(p.to.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			if err := (place{p.column, p.to.Index(i)}).Scan(v.Index(i).Interface()); err != nil {
				return err
			}
		}
	case v.CanFloat() && p.to.CanFloat():
		p.to.SetFloat(v.Float())
	case v.CanInt() && p.to.CanInt():
		p.to.SetInt(v.Int() - p.from)
	default:
		return fmt.Errorf("a %s is stored as %T", p.to.Type(), src)
	}
	return nil
}
