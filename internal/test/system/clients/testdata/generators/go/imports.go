// Package generators has the modules that generated clients import.
package generators

import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
	_ "gopkg.in/validator.v2"
)
