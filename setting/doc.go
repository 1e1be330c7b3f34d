// Package setting gives numbers, choices and texts of a configuration their names, their text
// forms, the values that they allow and one sentence each. A value is zero where its default holds.
//
// The settings of a part of a configuration are a list of [Setting] that point into it:
// [WholeNumber], [Positive], [OneOf], [Scheduled], and [Parsed] for every other text form. [Check]
// tells whether values that were set in Go are allowed, and [Fill] puts a default in place of a
// zero.
package setting
