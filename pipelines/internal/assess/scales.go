package assess

import "glmbatch/infer"

// localScales marks the parameters that no gate looks at: given its coefficient a
// lambda has a heavy tail (no variance in the plain form, no mean in the
// regularised one), and nothing but its coefficient depends on it.
func localScales(params []infer.Parameter) []bool {
	out := make([]bool, len(params))
	for i, p := range params {
		out[i] = p.Kind == infer.LocalScale
	}
	return out
}
