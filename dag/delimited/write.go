package delimited

import (
	"strconv"
	"strings"
)

// AppendText appends text to dst as a field of a file separated by commas, quoted if [Read] would otherwise not give it back as it is,
// or if it would look like a number.
func AppendText(dst []byte, text string) []byte {
	plain := text != "" && text == strings.TrimSpace(text) && !strings.ContainsAny(text, ",;\t\r\n\""+byteOrderMark) && !IsNumber(text, ',')
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}

// AppendNumber appends the shortest decimal form of v that reads back as exactly v.
func AppendNumber(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
