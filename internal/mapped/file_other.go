//go:build !linux

package mapped

import (
	"errors"
	"os"
)

// Supported reports whether this system has what the package needs.
const Supported = false

func room(string, int64) error { return nil }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func remove([]byte) {}

func idle([]byte) {}
