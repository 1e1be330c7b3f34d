// Package figures draws the pictures of studies: many methods on many data sets, judged by
// numbers that the caller has.
//
// Each kind of picture is a struct of plain values with a method Draw: [Boxes], [ROC],
// [Calibration], [Maps] and [Curves]. Draw checks the values and returns a
// [Figure], which is written as SVG, as PNG, or as SVG in a page:
//
//	figure, err := figures.Boxes{Title: "Linear models", Axis: "E-SHD", Methods: names, Groups: groups}.Draw()
//	err = figure.WritePNG(w)
//
// Figures are as wide as a page (190 mm), and as high as their content needs. Package gonum/plot
// draws them, in Liberation Sans. Colours are told apart by readers with the common colour
// deficiencies. The same values give the same bytes.
//
// A value that is missing is NaN. Errors name the method, the data set and the number.
// All functions may be used by several goroutines.
package figures
