// Package objectstest is an object store in memory for tests: HEAD, GET with ranges and If-Match, and lists, as S3 has
// them, without checking signatures; it counts what it gives, and fails as it is told.
//
// Read store.go.
package objectstest
