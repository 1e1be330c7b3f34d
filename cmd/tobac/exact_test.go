package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// exactOf is the part exact of what tobac eval --exact prints.
func exactOf(t *testing.T, args ...string) (exact, listed map[string]any) {
	t.Helper()
	v := parse(t, succeed(t, append([]string{"eval", "--exact"}, args...)...).stdout)
	return v["exact"].(map[string]any), v["metrics"].(map[string]any)["listed"].(map[string]any)
}

// tobac eval --exact reads the data as the fit did, whatever the options: its reference of sums is
// then that of the fit to the bit, and draws agree with it within their errors.
func TestEvalExact(t *testing.T) {
	simulated(t)
	wide := strings.Split(strings.TrimSpace(readFile(t, "data", "train.csv")), "\n")
	for k := range wide {
		wide[k] = strings.ReplaceAll(wide[k], ",", ";") + ";" + string(rune('a'+k%26))
	}
	must.Do(t, os.WriteFile("wide.csv", []byte(strings.Join(wide, "\n")+"\n"), 0o600))
	for name, args := range map[string]string{
		"plain": "data/train.csv --engine exact --truth data/graph.csv",
		"options": "data/train.csv --engine exact --holdout 0.2 --set " +
			"data.transform=normal-scores --seed 5 --prior fair --forbid X1,X2 --set " +
			"prior.max-parents=2",
		"scaled": "data/train.csv --engine exact --set data.standardize=true --model linear " +
			"--order X5,X4,X3,X2,X1,X0",
		"some": "wide.csv --set data.rows=3-50 --set data.delimiter=; --columns " +
			"X0,X2,X3,X5 --engine exact --set prior.edges-per-node=0.5",
		"with SVGD": "data/train.csv --set order.count=2 --beside svgd",
		"of resample": "data/train.csv --engine svgd --order eqvar --set order.count=5 --set " +
			"recipe=paper",
		"sachs": "--set data.standardize=true --engine exact --model linear --set " +
			"linear.noise-variance=0.5 --beside none",
	} {
		t.Run(name, func(t *testing.T) {
			succeed(t, append(quick(append([]string{"fit"}, strings.Fields(args)...)...), "--out",
				name, "--force")...)
			exact, listed := exactOf(t, name)
			if exact["engine"] != "exact" || exact["standard_error"] != 0.0 ||
				len(exact["notes"].([]any)) == 0 {
				t.Errorf("%v", exact)
			}
			known := strings.Contains(args, "--truth") || name == "sachs"
			if (exact["eshd"] != nil) != known || (exact["auroc"] != nil) != known ||
				(listed["eshd"] != nil) != known {
				t.Errorf("E-SHD and AUROC %v, %v with %v, of a truth that is known: %v",
					exact["eshd"], exact["auroc"], listed["eshd"], known)
			}
			if strings.Contains(args, "--engine svgd") {
				if !(exact["mean_abs_error"].(float64) > 0) {
					t.Errorf("%v", exact)
				}
				return
			}
			if v := exact["mean_abs_error"].(float64); v != 0 {
				t.Errorf("mean absolute error %v, want 0", v)
			}
			if d, e := exact["log_prob_difference"].(float64),
				exact["log_prob_error"].(float64); !(math.Abs(d) <= 4*e) {
				t.Errorf("difference %v ± %v", d, e)
			}
			if known && exact["eshd"] != listed["eshd"] {
				t.Errorf("E-SHD %v, that of the fit is %v", exact["eshd"], listed["eshd"])
			}
		})
	}
}

// Rows that moved are named anew, and others are refused.
func TestEvalExactFaults(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--out", "run", "--truth",
		"data/graph.csv")...)
	must.Do(t, os.Rename("data", "moved"))
	exact, _ := exactOf(t, "--data", "moved/train.csv", "--truth", "moved/graph.csv", "run")
	if exact["mean_abs_error"] != 0.0 || exact["eshd"] == nil {
		t.Errorf("%v", exact)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"eval --exact --truth moved/graph.csv run", cli.ExitFailed,
			"data/train.csv: no such file"},
		{"eval --exact --data moved/train.csv run", cli.ExitFailed, "data/graph.csv: no such file"},
		{"eval --exact --data moved/heldout.csv --truth moved/graph.csv run", cli.ExitFailed,
			"moved/heldout.csv: the rows are not those of the fit in run; --data FILE names the " +
				"table of the fit"},
		{"eval --exact moved", cli.ExitFailed, "allowed: a folder written by tobac fit --out"},
		{"eval --exact run/edges.csv", cli.ExitUsage,
			"allowed: a folder written by tobac fit --out"},
		{"eval run", cli.ExitUsage,
			"tobac eval needs --exact, --truth GRAPH.csv or --heldout FILE"},
	} {
		got := runTobac(t, strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) ||
			strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("tobac %s: exit %d, %q; want %d, %q", c.args, got.code, got.stderr, c.code,
				c.want)
		}
	}
	gaps := strings.Replace(readFile(t, "moved", "train.csv"), "\n", "\n,0,0,0,0,0\n", 1)
	must.Do(t, os.WriteFile("gaps.csv", []byte(gaps), 0o600))
	succeed(t, quick("fit", "gaps.csv", "--engine", "exact", "--missing", "impute", "--set",
		"imputation.tables=2", "--set", "imputation.rounds=0", "--out", "gaps")...)
	refuses(t, "eval --exact gaps", cli.ExitFailed, "gaps: values were missing, and the "+
		"posteriors of completed tables have no common reference; allowed: a fit with --missing "+
		"drop")
}

// Two runs of chains differ by no more than sampling explains, sums not at all, and chains that are
// short from sums; results of other columns are refused.
func TestCompare(t *testing.T) {
	simulated(t)
	succeed(t, "simulate", "--vars", "4", "--edges-per-node", "1", "--samples", "50", "--out",
		"other")
	fit := func(dir, data string, args ...string) {
		t.Helper()
		succeed(t, quick(append([]string{"fit", data, "--model", "linear-unequal", "--out", dir},
			args...)...)...)
	}
	fit("a", "data/train.csv", "--engine", "mcmc", "--set", "mcmc.iterations=400")
	fit("b", "data/train.csv", "--engine", "mcmc", "--set", "mcmc.iterations=400", "--seed", "2")
	fit("c", "data/train.csv", "--engine", "exact")
	fit("d", "data/train.csv", "--engine", "svgd", "--order", "X5,X4,X3,X2,X1,X0")
	fit("e", "other/train.csv", "--engine", "exact")
	for _, c := range []struct{ dirs, verdict string }{{"a b", "ok"}, {"c c", "ok"},
		{"c d", "doubtful"}} {
		v := parse(t,
			succeed(t, append([]string{"compare", "--json"}, strings.Fields(c.dirs)...)...).stdout)
		if v["verdict"] != c.verdict ||
			v["greatest_difference"].(float64) < v["mean_difference"].(float64) {
			t.Errorf("%s: %v, want %s", c.dirs, v, c.verdict)
		}
	}
	if got := succeed(t, "compare", "a", "b").stdout; !strings.Contains(got,
		"Monte Carlo error explains") || !strings.HasSuffix(got, "verdict              ok\n") {
		t.Errorf("%q", got)
	}
	refuses(t, "compare a e", cli.ExitFailed,
		"e: other columns than in a; allowed: two fits to the same columns")
	if got := runTobac(t, "compare", "a"); got.code != cli.ExitUsage ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

// Checks say that sums, chains that agree and flows are fine, in one line, and that the published
// recipe does not represent the posterior, in a warning.
func TestDiagnosticsOfRuns(t *testing.T) {
	simulated(t)
	for _, c := range []struct{ args, verdict, line string }{
		{"--engine exact", "ok", "checks  passed: effective draws "},
		{"--engine mcmc --model linear", "ok", "checks  passed: R̂ 1"},
		{"--engine svgd --set recipe=paper", "bad", "is bad"},
		{"--engine dibs", "bad", "is bad"},
	} {
		got := succeed(t,
			append(quick(append([]string{"fit", "data/train.csv"}, strings.Fields(c.args)...)...),
				"--out", "run", "--force")...)
		d := parse(t, readFile(t, "run", "summary.json"))["diagnostics"].(map[string]any)
		if d["verdict"] != c.verdict || len(d["checks"].([]any)) == 0 ||
			!(d["graphs"].(float64) >= d["classes"].(float64)) {
			t.Errorf("%s: %v, want %s", c.args, d, c.verdict)
		}
		if !strings.Contains(got.stdout, c.line) ||
			strings.Contains(got.stderr, "do not represent the posterior") != (c.verdict == "bad") {
			t.Errorf("%s: no %q in\n%s\nwarnings %s", c.args, c.line, got.stdout, got.stderr)
		}
	}
}
