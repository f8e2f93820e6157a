package index

import (
	"slices"
	"testing"
)

// When rounding decides, a document covers half of a query if the sum in query order does. The sum of a match uses that order as well.
func TestElsewhere_sums_in_the_order_of_the_query(t *testing.T) {
	t.Parallel()
	gains := []float64{.1, .2, .3}
	forward, backward := gains[0]+gains[1]+gains[2], gains[2]+gains[1]+gains[0]
	if forward <= backward {
		t.Fatal("the order does not matter")
	}
	e := elsewhere{gains: make([]float64, len(gains)), most: backward, half: forward}
	for i, x := range slices.Backward(gains) {
		posts := []byte{1, 7, 0, 0} // document 7
		e.terms = append(e.terms, weighed{lists: []gain{{posts, x}}, most: x, place: i})
	}
	if !e.reaches(7) {
		t.Error("a document with all terms does not have half of the query")
	}
}
