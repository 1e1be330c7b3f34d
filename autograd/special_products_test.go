package autograd_test

import "testing"

func testLaneReductions(t *testing.T) {}
func testMatrixProducts(t *testing.T) {}
