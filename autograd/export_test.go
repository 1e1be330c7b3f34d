package autograd

// Lower makes the function that an engine starts from.
var Lower = lower
