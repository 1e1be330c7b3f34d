// Package must ends a test at an error: must.Get(f(x))(t) is the value of f(x), must.Do(t, f(x))
// is f(x) where that returns an error alone.
package must

// A Test is a [testing.TB], or another test that ends at a fault.
type Test interface {
	Helper()
	Fatal(...any)
}

// Get is v, in a test that ends if err is not nil.
func Get[T any](v T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends a test if err is not nil.
func Do(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Two is [Get] of two values.
func Two[T, U any](v T, w U, err error) func(Test) (T, U) {
	return func(t Test) (T, U) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}
