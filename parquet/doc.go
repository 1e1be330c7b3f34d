// Package parquet makes tobac.FitFile read Parquet files. Import it for its effect:
//
//	import _ "tobac/parquet"
//
// The library that it links is larger than all the rest; the command imports it.
package parquet
