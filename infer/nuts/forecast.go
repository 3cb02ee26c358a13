package nuts

import (
	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// TrajectoriesOf returns the target and the options, zeros replaced, of a set-up whose chains move over the
// coefficients of a regression; ok is false of others.
func TrajectoriesOf(s infer.Setup) (target *glm.Target, opts Options, ok bool) {
	own, ok := s.(*setup)
	if !ok {
		return nil, Options{}, false
	}
	target, ok = own.target.(*glm.Target)
	return target, own.opts, ok
}
