// Package table reads tables as files hold them, says what their columns are, and turns them into
// numbers.
//
// # Reading
//
// [ReadFile] and [Read] recognise the format by the content: text (package delimited), workbooks
// (.xlsx), Parquet, NumPy (.npy, .npz), and any of these compressed by gzip or bzip2. A [Table]
// keeps every cell: as a number where it is one, as a text elsewhere. A number is what it is in
// package delimited: finite, decimal, without thousands separators, with one decimal mark
// throughout a text. Text is read in one pass, and a column of numbers takes eight bytes for each
// row.
//
// What a file announces is compared with the memory that is left before it is read. Contents that
// are more than 250 times as large as their file, beyond 16 MiB, and tables of which hardly a cell
// holds a value are refused.
//
// Above and among the data a reader leaves out what is no data, and says so in a warning or, of
// empty lines, a note: lines that begin with # at the top, or with [Layout].Comment anywhere, up to
// twenty lines of other lengths above the data, and lines of units below the names, which have
// words where the columns have numbers. Lines of other lengths that are numbers, or words that may
// be names, are faults.
//
// The first record that is left is the header if it has words above numbers, or quoted numbers
// above unquoted ones. Numbers above numbers are names if they rise evenly, as years do, and each
// differs from the values below it: it lies outside their range, or is whole among fractions. Above
// columns that have words alone it is the header unless most of its values occur again below. A
// record with words and numbers above numbers is a fault, except for that of scikit-learn, which
// counts rows and columns. A header with one name less than there are columns leaves out the first,
// as R does, if that names the rows. Columns of a file without names are X0, X1, and so on.
//
// # What columns are
//
// A [Profile] says which [Kind] a column is, under these rules, the first that applies:
//
//   - missing values: the empty cell and the spellings NA, N/A, NaN, NaT, null, ., ?, <NA> and the
//     errors of spreadsheets, such as #N/A and #DIV/0!, in any case, in every column; further None, -, --, *, unknown, missing, nil and the like where all other values are numbers, dates or the two words of a boolean, because they may be
//     levels among words; further whatever [Options].MissingCodes says;
//   - numbers in another spelling, if every text is one, and all agree: with separators of
//     thousands, a decimal mark of their own, or a sign for per cent or a currency;
//   - empty, constant; date, if every text is a day or a time;
//   - ordinal where an option orders the levels;
//   - numbers: an index at the front without a name, or with at least ten rows if the numbers are
//     1…n or 0…n−1; an identifier if whole numbers that never repeat stand under a name such as id; boolean if they are 0 and 1; else numbers;
//   - boolean: true and false, yes and no, t and f, y and n, on and off;
//   - category: texts with at most half as many levels as rows, or numbers and texts with at most
//     eight levels, each on average four times;
//   - mixed: numbers and other texts; text: words that hardly repeat.
//
// # Preparing
//
// [Prepare] takes the columns and rows that [Options] ask for, and makes numbers of them. It finds
// everything that is wrong, also what comes to light only after the rest is solved, and says so in
// one [Refusal] that names the options which solve it, one by one and together. What it leaves out
// and codes by itself is in the notes: indices, identifiers and texts that hardly repeat are left
// out, two levels become 0 and 1. Dates are left out with a warning, or taken as days since the
// first, if that is asked for.
//
// A column is determined by others if a sum of earlier columns leaves less than 10⁻⁹ of its
// variance, and is wrong by less than 10⁻⁵ standard deviations in every row. The sum is that of the
// columns before it which are not determined themselves; it is unique, and its terms below 10⁻⁶
// standard deviations are left out.
//
// # Concurrency and failure
//
// No function keeps or changes its arguments. Errors are [*FormatError] and [*delimited.Error] for
// files that hold no table, [*OptionError] for options that do not fit, [*Refusal] for everything
// in the table. Nothing panics, whatever the bytes are (fuzzed).
package table
