package design

// Smooth is the penalised part of a smooth term s(x): neighbouring columns of a design whose coefficients are
// independent normal with one standard deviation, a parameter. Its unpenalised part are ordinary columns.
type Smooth struct {
	// Name is that of brms, as "sx_1", so that sds_sx_1 is the standard deviation and s_sx_1[1] the first coefficient.
	Name string
	// Term is the term as written, as "s(x)" or "s(x, by = f)", with the level of a factor, as "s(x):fa".
	Term string
	// First and Last are the first penalised column of the design and the one behind the last.
	First, Last int
}
