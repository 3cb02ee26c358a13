package report

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
)

// appenders are open ways into the tables, one a table, in the order in which
// they were opened.
type appenders struct {
	tables []string
	ways   []*duckdb.Appender
}

// appending calls fn, while which rows go through appenders that stay open:
// what each costs beside its rows is paid once a table. Afterwards all rows are
// in their tables, or fn's error is returned and they are in none.
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

// appendRow is appendRows of one row.
func (s *Session) appendRow(table string, row ...driver.Value) error {
	return s.appendRows(table, func(add func(...driver.Value) error) error { return add(row...) })
}

// appendRows bulk-loads rows into a table within the session's transaction.
// rows calls add for each row and stops at its first error.
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

// appendEach is appendRows of a row for each of some items.
func appendEach[T any](s *Session, table string, items []T, row func(i int, item *T) []driver.Value) error {
	if len(items) == 0 {
		return nil
	}
	return s.appendRows(table, func(add func(...driver.Value) error) error {
		for i := range items {
			if err := add(row(i, &items[i])...); err != nil {
				return err
			}
		}
		return nil
	})
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
