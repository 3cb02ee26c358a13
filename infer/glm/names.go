package glm

import "glmbatch/infer/family"

// The vocabulary of package family under the names that this package's users know.
type (
	Family      = family.Family
	Dispersion  = family.Dispersion
	DomainError = family.DomainError
)
