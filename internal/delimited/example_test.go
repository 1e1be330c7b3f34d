package delimited_test

import (
	"fmt"
	"strings"

	"tobac/internal/delimited"
)

func ExampleRead() {
	const text = "gene;\"p44;42\"\r1,5;2\r-3;word\r"
	f, err := delimited.Read(strings.NewReader(text), "measured.csv", delimited.Syntax{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("separator %q, %d records\n", f.Separator, len(f.Records))
	numbers := f.Numbers()
	for _, record := range f.Records[1:] {
		for j, field := range record.Fields {
			v, err := numbers.Parse(field.Text, record.Line, f.Records[0].Fields[j].Text)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(v)
		}
	}
	// Output:
	// separator ';', 3 records
	// 1.5
	// 2
	// -3
	// measured.csv: line 3, column "p44;42": "word" is not a number; allowed: finite numbers such as 1.5 or -2e-3
}
