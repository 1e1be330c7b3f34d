package main

import _ "embed"

// licences are those of all that is linked, with their texts; internal/gen/licences writes them.
//
//go:embed licences.txt
var licences string
