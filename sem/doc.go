// Package sem holds structural equation models as users name them: [Linear], [BGe], [NonGaussian],
// [Additive], [Smooth], [GaussianProcess], [FeedForward], and for categories [BDeu], [Mixed] and
// [Generalised].
//
// A model is a value with a text form ([Model], [Parse], [Describe]). What an inference can do with
// it follows from its powers, small interfaces: node scores ([Scored]), a likelihood that can be
// differentiated ([Differentiable]), effects ([Structural]), and so on. A custom model implements
// the powers that it has; nothing outside this package depends on the type of a model.
//
// The models of this package are structs of settings ([Settings]); [As] gives them their powers.
// [Compared] are the models that are compared by their evidence ([Evidence]) where none is
// asked for.
package sem
