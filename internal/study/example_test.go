package study_test

import (
	"context"
	"fmt"
	"log"

	"tobac/internal/jobs"
	"tobac/internal/study"
)

// One cell of Table I: the posterior without edges on the first split.
func ExampleOnly() {
	table, err := study.New(study.TableOne, study.Options{Runs: 1, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	studies, err := study.Only([]study.Study{table}, []string{"empty"})
	if err != nil {
		log.Fatal(err)
	}
	var list []jobs.Job
	for _, c := range study.Cells(studies) {
		fmt.Println(c.Name())
		list = append(list, c.Job())
	}
	outputs, err := jobs.Do(context.Background(), jobs.Local{Workers: 1}, nil, study.Functions(),
		list, nil)
	if err != nil {
		log.Fatal(err)
	}
	r, err := study.Collect(studies, outputs, make([]string, 1), make([]float64, 1))
	if err != nil {
		log.Fatal(err)
	}
	o := r.All[0].Outcome
	fmt.Printf("expected SHD %v, AUROC %v\n", o.Listed.Edges.ESHD, o.Listed.Edges.AUROC)
	// Output:
	// sachs-split0/empty
	// expected SHD 17, AUROC 0.5
}
