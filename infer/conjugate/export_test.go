package conjugate

import "glmbatch/infer/glm"

// Fixture is a fixture for tests outside the package.
type Fixture struct {
	Name  string
	Data  *glm.Data
	Model glm.Model
}

// Fixtures returns the posteriors of the exact tests.
func Fixtures() (out []Fixture) {
	for _, f := range fixtures() {
		out = append(out, Fixture{f.name, f.data, f.model})
	}
	return out
}
