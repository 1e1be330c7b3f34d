package delimited

import (
	"strconv"
	"strings"
	"unicode"
)

// AppendText appends text to dst as a field of a file separated by commas, quoted if [Read] would
// otherwise not give it back as it is, or if it would look like a number.
func AppendText(dst []byte, text string) []byte {
	plain := text != "" && text == strings.TrimSpace(text) &&
		!strings.ContainsAny(text, ",;|\t\r\n\""+byteOrderMark) && !IsNumber(text, ',')
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}

// AppendTexts appends texts to dst as fields separated by commas, see [AppendText]: a record
// without its line end, which [Fields] reads. A single text with blanks in it is quoted too,
// because nothing else would say that they separate no fields.
func AppendTexts(dst []byte, texts ...string) []byte {
	if len(texts) == 1 && strings.ContainsFunc(texts[0], unicode.IsSpace) &&
		AppendText(nil, texts[0])[0] != '"' {
		return append(append(append(dst, '"'), texts[0]...), '"')
	}
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendText(dst, text)
	}
	return dst
}

// AppendNumber appends the shortest decimal form of v that reads back as exactly v.
func AppendNumber(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
