package report

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// appenders are open ways into the tables, one a table, in the order in which
// they were opened.
type appenders struct {
	tables []string
	ways   []*duckdb.Appender
}

// appending calls fn. Meanwhile rows go through appenders that stay open, so that their fixed cost is paid once a
// table. Afterwards all rows are in their tables, or fn's error is returned and they are in none.
func (s *Session) appending(fn func() error) (err error) {
	s.open = new(appenders)
	done := false
	defer func() {
		open := s.open
		s.open = nil
		for _, a := range open.ways {
			if !done {
				err = errors.Join(err, a.Clear())
			}
			if closing := a.Close(); closing != nil {
				err, done = errors.Join(err, closing), false
			}
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	done = true
	return nil
}

// way returns the appender of a table, opening it if need be.
func (o *appenders) way(c *sql.Conn, table string) (*duckdb.Appender, error) {
	for i, t := range o.tables {
		if t == table {
			return o.ways[i], nil
		}
	}
	var a *duckdb.Appender
	err := c.Raw(func(dc any) (err error) {
		a, err = duckdb.NewAppenderFromConn(dc.(driver.Conn), "main", table)
		return err
	})
	if err == nil {
		o.tables, o.ways = append(o.tables, table), append(o.ways, a)
	}
	return a, err
}

// insert stores a row of the table that its type is of.
func insert[T any](s *Session, row T) error {
	return insertRows(s, func(add func(T) error) error { return add(row) })
}

// insertEach stores a row for each of some items.
func insertEach[I, T any](s *Session, items []I, row func(i int, item *I) T) error {
	if len(items) == 0 {
		return nil
	}
	return insertRows(s, func(add func(T) error) error {
		for i := range items {
			if err := add(row(i, &items[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertRows bulk-loads rows into the table of their type within the session's transaction. rows calls add for each
// row and stops at its first error.
func insertRows[T any](s *Session, rows func(add func(T) error) error) error {
	var row T
	t, at := tableOf[reflect.TypeFor[T]()], reflect.ValueOf(&row).Elem()
	fields, values := make([]reflect.Value, len(t.columns)), make([]driver.Value, len(t.columns))
	for i := range t.columns {
		fields[i] = at.FieldByIndex(t.columns[i].field)
	}
	return s.appendRows(t.name, func(add func(...driver.Value) error) error {
		return rows(func(r T) error {
			row = r
			for i := range t.columns {
				values[i] = t.columns[i].value(fields[i])
			}
			return add(values...)
		})
	})
}

// value returns what the column stores of a field.
func (c *column) value(f reflect.Value) driver.Value {
	switch f.Kind() {
	case reflect.Float64:
		if x := f.Float(); c.required || x == x && (x != 0 || c.null != "zero") {
			return x
		}
		return nil
	case reflect.String:
		if text := f.String(); text != "" || c.required || c.null == "never" {
			return text
		}
		return nil
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		n := f.Int()
		if !c.required && (n == 0 && c.null == "zero" || n < 0 && (c.from > 0 || c.null == "negative")) {
			return nil
		}
		return n + c.from
	case reflect.Pointer:
		if f.IsNil() {
			return nil
		}
		return f.Elem().Interface()
	}
	return c.other(f)
}

// other returns what the column stores of a time, or of a field of several values.
func (c *column) other(f reflect.Value) driver.Value {
	switch x := f.Interface().(type) {
	case time.Time:
		if x.IsZero() && !c.required {
			return nil
		}
		return x.UTC()
	case map[string]string:
		if x == nil {
			return map[string]string{}
		}
		return x
	case []string:
		if x == nil && c.null == "zero" {
			return nil
		}
		return list(x)
	case []float64:
		return append([]float64{}, x...)
	default:
		return x
	}
}

// appendRows bulk-loads rows into a table within the session's transaction.
func (s *Session) appendRows(table string, rows func(add func(...driver.Value) error) error) error {
	if s.open == nil {
		return appendRows(s.c, table, rows)
	}
	a, err := s.open.way(s.c, table)
	if err != nil {
		return err
	}
	return rows(a.AppendRow)
}

// storing says of an error what was being stored.
func storing(what string, err error) error {
	if err != nil {
		return fmt.Errorf("storing %s: %w", what, err)
	}
	return nil
}

// appendRows bulk-loads rows into a table of an open file.
func appendRows(c *sql.Conn, table string, rows func(add func(...driver.Value) error) error) error {
	return c.Raw(func(dc any) error {
		a, err := duckdb.NewAppenderFromConn(dc.(driver.Conn), "main", table)
		if err != nil {
			return err
		}
		if err := rows(a.AppendRow); err != nil {
			return errors.Join(err, a.Clear(), a.Close())
		}
		return a.Close()
	})
}
