package circle

// V uses the circle and is not in it: the field d is no name of the package.
var V = struct{ d int }{d: 1}

func d() { a() }

var _ = d
