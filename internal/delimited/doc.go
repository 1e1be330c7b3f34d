// Package delimited reads and writes the text tables behind edge lists, data files and lists of
// names: records of fields, one error type that locates a fault, and one rule for what counts as a
// number. It knows neither graphs nor columns; packages dag and dataset give the records meaning,
// and hand its errors on.
//
// # Format
//
// The text is UTF-8, with or without a byte order mark, UTF-16 with one, or Windows-1252 (see
// [Encoding]). A record ends with LF, CRLF or a bare CR, the last one also with the end of the
// file. Fields are separated by commas, semicolons, tabs, bars or runs of blanks, one of them
// throughout the file; [NewStream] says which. Blanks around a field do not count. A field may
// stand in double quotes, within which separators, line ends and blanks are kept as they are and a
// doubled quote stands for one. A quote inside an unquoted field stands for itself. Empty lines are
// skipped.
//
// A [Stream] reads record by record and holds one of them at a time; [Read] keeps all of them.
//
// # Numbers
//
// A number is what [strconv.ParseFloat] reads, without underscores and hexadecimal digits. In files
// separated by semicolons or tabs it may instead have a comma between digits as its decimal mark,
// as spreadsheets write it in many countries. A file must keep to one decimal mark, so 1,5 beside
// 1.5 is an error. There are no thousands separators: 1,234 in such a file is a little more than
// one.
//
// # Failure
//
// Every fault of the text is an [*Error] with source, line, column and what is allowed. Nothing
// panics, whatever the bytes are (fuzzed). A [File] is not changed after Read and may be shared; a
// [NumberParser] belongs to one goroutine.
package delimited
