// Package scoring has what node scores share: checked data by column with the rows that count for
// each variable, their moments, and a few pieces of linear algebra. Errors and panics begin with
// score.
package scoring
