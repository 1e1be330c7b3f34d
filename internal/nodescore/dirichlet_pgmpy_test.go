package nodescore_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/nodescore"
)

// BDeu scores are those of pgmpy 1.1.2 with an equivalent sample size of 5, of tables of 150 rows
// that it drew from three networks of its repository (testdata/bdeu/README.md).
func TestBDeuOfPgmpy(t *testing.T) {
	for _, name := range []string{"asia", "insurance", "alarm"} {
		rows := readTable(t, name+".csv")
		n, d := len(rows)-1, len(rows[0])
		x, levels := mat.NewDense(n, d, nil), make([]int, d)
		for i, row := range rows[1:] {
			for j, text := range row {
				v, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				x.Set(i, j, float64(v))
				levels[j] = max(levels[j], v+1)
			}
		}
		s, err := nodescore.NewDirichlet(x, nil, levels, nodescore.DirichletOptions{Alpha: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range readTable(t, name+".scores.csv")[1:] {
			j, _ := strconv.Atoi(row[0])
			var parents []int
			for _, text := range strings.Fields(row[1]) {
				i, _ := strconv.Atoi(text)
				parents = append(parents, i)
			}
			want, err := strconv.ParseFloat(row[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.LogScore(j, parents); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: %s given %v has %v, want %v", name, rows[0][j], parents, got, want)
			}
		}
	}
}

func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "bdeu", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
