package objects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/minio/minio-go/v7"
)

// Error is a fault that a store answers, or the lack of an answer.
type Error struct {
	Store  string // host and port
	Status int    // of HTTP; 0 if no answer came, or its body broke off
	Code   string // of S3, such as NoSuchKey
	Calls  int    // that were made, of which this is about the last
	Err    error
}

// Error names the store, what it says, and after how many calls.
func (e *Error) Error() string {
	tries := ""
	if e.Calls > 1 {
		tries = fmt.Sprintf(" (%d calls)", e.Calls)
	}
	if e.Status == 0 {
		return fmt.Sprintf("the object store %s does not answer%s: %v", e.Store, tries, e.Err)
	}
	return fmt.Sprintf("the object store %s answers %d %s%s: %v", e.Store, e.Status, e.Code, tries, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reasons of errors that no answer of a store has.
var (
	// ErrChanged is the reason where an object was replaced after it was opened.
	ErrChanged = errors.New("the object was replaced while it was read")
	// ErrMissing is the reason where there is no such object.
	ErrMissing = errors.New("there is no such object")

	errIdle   = errors.New("nothing came for too long")
	errShort  = errors.New("the answer ended early")
	errRanges = errors.New("the store answers a request for a range with other bytes")
)

// passing reports whether the same call may succeed a moment later.
func (e *Error) passing() bool {
	switch {
	case errors.Is(e.Err, errRanges), errors.Is(e.Err, ErrChanged), errors.Is(e.Err, ErrMissing):
		return false
	case e.Status == http.StatusNotImplemented:
		return false
	case e.Status == http.StatusRequestTimeout, e.Status == http.StatusTooManyRequests:
		return true
	}
	return e.Status == 0 || e.Status >= 500
}

// Hint says what to do.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, ErrChanged):
		return "run again; write new data under new names, or before the run"
	case errors.Is(e.Err, ErrMissing):
		return "see the name with: aws s3 ls"
	case errors.Is(e.Err, errRanges):
		return "it does not serve ranges (RFC 9110, 14.2): copy the object to a file"
	case e.Code == minio.NoSuchBucket:
		return "see the bucket's name, and that AWS_ENDPOINT_URL names its store"
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return "see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they may read the bucket (s3:GetObject, " +
			"s3:ListBucket)"
	case e.Status == http.StatusMovedPermanently, e.Code == "AuthorizationHeaderMalformed":
		return "set AWS_REGION to the bucket's region"
	case e.passing():
		return "see the network and AWS_ENDPOINT_URL, then run again"
	}
	return ""
}

// explain makes an error of this package out of one of the client.
func (s *Store) explain(err error, calls int) *Error {
	var known *Error
	if errors.As(err, &known) {
		known.Calls = calls
		return known
	}
	e := &Error{Store: s.host, Calls: calls}
	e.Code, e.Status = status(err)
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err // without the request's address
	}
	if errors.Is(err, context.Canceled) { // the caller's own context was asked before
		err = errIdle
	}
	e.Err = err
	switch {
	case e.Status == http.StatusPreconditionFailed:
		e.Err = ErrChanged
	case missing(err):
		e.Err = ErrMissing
	}
	return e
}
