package chunk

import (
	"database/sql"
	"errors"
	"reflect"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Each carries out a query without parameters on a connection of the driver, and calls read with each chunk of its
// answer and the number of its rows. The columns are the engine's memory, valid until read returns: nothing is boxed
// or copied, where database/sql makes an interface of every number of an array. The engine holds all of the answer
// at once, and nothing stops it but its end.
func Each(c *sql.Conn, query string, read func(c Chunk, rows int) error) error {
	return c.Raw(func(driver any) error {
		conn, err := connection(driver)
		if err != nil {
			return err
		}
		var answer mapping.Result
		state := mapping.Query(conn, query, &answer)
		defer mapping.DestroyResult(&answer)
		if state == mapping.StateError {
			return errors.New(mapping.ResultError(&answer))
		}
		for more := true; more && err == nil; {
			more, err = next(answer, read)
		}
		return err
	})
}

// next calls read with the next chunk of an answer, if there is one.
func next(answer mapping.Result, read func(Chunk, int) error) (more bool, err error) {
	chunk := mapping.FetchChunk(answer)
	if chunk.Ptr == nil {
		return false, nil
	}
	defer mapping.DestroyDataChunk(&chunk)
	return true, read(Chunk{chunk, int(mapping.DataChunkGetColumnCount(chunk))}, int(mapping.DataChunkGetSize(chunk)))
}

// connection is the engine's own handle, which the driver keeps as it does that of a chunk: see Of.
func connection(driver any) (mapping.Connection, error) {
	of := reflect.Indirect(reflect.ValueOf(driver))
	if of.Kind() != reflect.Struct {
		return mapping.Connection{}, errors.New("the connection is not of the engine's driver")
	}
	field := of.FieldByName("conn")
	if field.Kind() != reflect.Struct {
		return mapping.Connection{}, errors.New("the engine's driver has no connection where it had one")
	}
	if field = field.FieldByName("Ptr"); field.Kind() != reflect.UnsafePointer {
		return mapping.Connection{}, errors.New("the engine's driver has no handle of a connection where it had one")
	}
	return mapping.Connection{Ptr: field.UnsafePointer()}, nil
}
