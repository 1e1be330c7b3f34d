// Package delimited reads and writes the text tables behind edge lists, data files and lists of names: records of fields, one error type that locates a
// fault, and one rule for what counts as a number. It knows neither graphs nor columns; packages dag and dataset give the records meaning, and hand its errors on.
//
// # Format
//
// The text is UTF-8, with or without a byte order mark. A record ends with LF, CRLF or a bare CR, the last one also with the end of the file.
// Fields are separated by commas, semicolons or tabs, one of them throughout the file; the first record decides which (see [Read]). Blanks
// around a field do not count. A field may stand in double quotes, within which separators, line ends and blanks are kept as they are
// and a doubled quote stands for one. A quote inside an unquoted field is an error. Empty lines before the first record and after the
// last one are skipped; between records they are an error, because they may be a missing record or a missing value.
//
// # Numbers
//
// A number is what [strconv.ParseFloat] reads, without underscores and hexadecimal digits. In files separated by semicolons or tabs it may instead have a comma between digits
// as its decimal mark, as spreadsheets write it in many countries. A file must keep to one decimal mark, so 1,5 beside 1.5 is an error.
// There are no thousands separators: 1,234 in such a file is a little more than one.
//
// # Tables of any size
//
// A [Stream] reads record by record and holds one of them at a time. It finds out the [Encoding] of a text, knows more separators (a bar, runs of blanks), lines of comment, and is less strict:
// empty lines are skipped, and a quote inside unquoted text stands for itself. [NewStream] says which separator a text has.
//
// # Failure
//
// Every fault of the text is an [*Error] with source, line, column and what is allowed. Nothing panics, whatever the bytes
// are (fuzzed). A [File] is not changed after Read and may be shared; a [NumberParser] belongs to one goroutine.
package delimited
