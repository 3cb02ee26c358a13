// Package objectstest is an object store in memory for tests: HEAD, GET with ranges and If-Match, and lists, as in
// S3, without checking signatures; it counts its answers and plants faults.
//
// Read store.go.
package objectstest
