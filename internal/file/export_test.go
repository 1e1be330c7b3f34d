package file

// AfterMove lets a test end the process between two moves of a commit.
var AfterMove = func(name string) {}

func init() { afterMove = func(name string) { AfterMove(name) } }
