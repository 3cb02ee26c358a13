// Package objects reads from S3-compatible object stores, under names such as s3://bucket/claims.parquet: ranges of
// an object, a whole object from its beginning, and the names below a prefix.
//
// All reads of an opened object are of one version of it: a request names the entity tag that opening has seen, and
// an object that was replaced meanwhile is an error. A temporary fault (no connection, an answer of 5xx, a body
// that ends early or stalls) is retried a bounded number of times, from the byte that was reached.
//
// Where the store is and who asks follow from the environment alone (store.go lists the variables). No error and no
// value of this package has a secret in it.
//
// Read store.go, then stream.go (bytes in their order), object.go (ranges), list.go (names); errors.go says what can go
// wrong, and what to do.
package objects
