package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	stdhtml "html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/must"
	"tobac/internal/report"
)

// browser finds a browser that needs no screen; the test is skipped without one.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium, chromium-browser or google-chrome on the path: the page is not opened; " +
		".ci/run browser installs one")
	return ""
}

// browse runs the browser on a file, and returns what it prints and logs.
func browse(t *testing.T, program, file string, args ...string) (stdout, log string) {
	t.Helper()
	// A browser that hangs is ended; a loaded machine may take its time.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--disable-dev-shm-usage", "--enable-logging=stderr",
		"--disable-background-networking", "--user-data-dir=" + t.TempDir()}, args...)
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // which it refuses to have as root
	}
	cmd := exec.CommandContext(ctx, program, append(args, "file://"+file)...)
	var out, logged strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &logged
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%s: %v\n%s", program, err, logged.String())
	}
	return out.String(), logged.String()
}

// A probe is what a script in the page finds out.
type probe struct {
	Errors   []string // of scripts
	Requests []string // anything that was loaded
	Width    int      // of the page's content
	Window   int      // width of the window
	Sticking []string // elements that stick out to the right, outside of scrolling regions
	Before   []string // first column of the table of pairs
	After    []string // the same, sorted by a click on the heading
	Again    []string // and by another click
	Sort     string   // aria-sort of the heading
	Tiny     []string // texts of pictures that are shown smaller than 6 pixels
	Dark     string   // colour behind the page
}

// observer catches errors, before anything else in the page.
const observer = `<script>window.seen=[];addEventListener("error",function(e){seen.push(String(e.message))});addEventListener("securitypolicyviolation",function(e){seen.push(e.violatedDirective)});</script>`

// reporter measures the page and writes a probe into the document around it.
const reporter = `<script>addEventListener("load",function(){
var p={Errors:seen,Requests:performance.getEntriesByType("resource").map(function(e){return e.name}),Width:document.documentElement.scrollWidth,Window:innerWidth,Sticking:[],Tiny:[],Dark:getComputedStyle(document.body).backgroundColor};
document.querySelectorAll("body *").forEach(function(e){
 if(e.closest(".scroll,pre,details:not([open]),.skip"))return;
 if(e.getBoundingClientRect().right>innerWidth+1)p.Sticking.push(e.tagName+" "+e.className);
});
document.querySelectorAll("svg text").forEach(function(e){
 var s=e.ownerSVGElement,k=s.getBoundingClientRect().width/s.viewBox.baseVal.width;
 if(k>0&&Number(e.getAttribute("font-size"))*k<6)p.Tiny.push(e.textContent);
});
var table=document.querySelector("#pairs table"),cells=function(){return Array.from(table.tBodies[0].rows).map(function(r){return r.cells[0].textContent})};
p.Before=cells();table.tHead.querySelector("button").click();p.After=cells();table.tHead.querySelector("button").click();p.Again=cells();p.Sort=table.tHead.rows[0].cells[0].getAttribute("aria-sort");
var out=parent.document.createElement("pre");out.id="probe";out.textContent=JSON.stringify(p);parent.document.body.appendChild(out);
});</script>`

var found = regexp.MustCompile(`(?s)<pre id="probe">(.*?)</pre>`)

// framed is a document around the page as wide as a phone or a desk's screen: browsers
// without a screen have no narrow windows.
func framed(page string, width, height int) string {
	return fmt.Sprintf(
		`<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe style="border:0;width:%dpx;height:%dpx" srcdoc="%s"></iframe></body>`, width, height, stdhtml.EscapeString(page))
}

func TestPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	program := browser(t)
	many, wide := random(40, 5), complete()
	wide.Names = []string{strings.Repeat("long", 50), "مرحبا", `<b>"bold"</b>`, "d", "e", "f"}
	wide.Effects = []report.Effect{{From: wide.Names[0], To: wide.Names[1], Mean: 1, SD: 1,
		Lower: -1, Upper: 2, PathProbability: 0.7}}
	wide.Data, wide.Command, wide.Verdict = strings.Repeat("data", 60),
		"tobac fit "+strings.Repeat("x", 200), []string{strings.Repeat("verdict", 50)}
	for _, c := range []struct {
		name    string
		content report.Content
		width   int
		dark    bool
	}{{"phone, long names", wide, 390, false}, {"desk, 40 variables", many, 1280, true}} {
		t.Run(c.name, func(t *testing.T) {
			page := html(t, build(t, c.content))
			page = strings.Replace(page, "<style>", observer+"<style>", 1)
			page = strings.Replace(page, "</body>", reporter+"</body>", 1)
			file := filepath.Join(t.TempDir(), "page.html")
			must.Do(t, os.WriteFile(file, []byte(framed(page, c.width, 4000)), 0o644))
			args := []string{"--dump-dom", "--window-size=1300,4000"}
			if c.dark {
				args = append(args, "--blink-settings=preferredColorScheme=0")
			}
			dom, log := browse(t, program, file, args...)
			m := found.FindStringSubmatch(dom)
			if m == nil {
				t.Fatalf("the script in the page left nothing; log:\n%s", log)
			}
			var p probe
			must.Do(t, json.Unmarshal([]byte(stdhtml.UnescapeString(m[1])), &p))
			p.check(t, c.width, c.dark)
			for line := range strings.Lines(log) {
				if strings.Contains(line, "CONSOLE") {
					t.Errorf("the console says %s", line)
				}
			}
		})
	}
}

// check asserts that the page fits, works, and is dark where that is wanted.
func (p *probe) check(t *testing.T, width int, dark bool) {
	t.Helper()
	if len(p.Errors) > 0 || len(p.Requests) > 0 {
		t.Errorf("errors %q, requests %q", p.Errors, p.Requests)
	}
	if p.Window != width || p.Width > width || len(p.Sticking) > 0 {
		t.Errorf("the content is %d pixels wide in a window of %d, want %d; sticking out: %q",
			p.Width, p.Window, width, p.Sticking)
	}
	if len(p.Tiny) > 0 {
		t.Errorf("texts smaller than 6 pixels: %q", p.Tiny)
	}
	sorted := slices.IsSortedFunc(p.After, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	if len(p.Before) < 2 || cmp.Equal(p.Before, p.After) || p.Sort != "descending" {
		t.Errorf("a click on a heading leaves %q as %q, aria-sort %q", p.Before, p.After, p.Sort)
	}
	if p.Before[0][0] == 'X' && len(p.Before) < 10 && !sorted {
		t.Errorf("sorted by the first column: %q", p.After)
	}
	if want := map[bool]string{false: "rgb(255, 255, 255)",
		true: "rgb(20, 24, 29)"}[dark]; p.Dark != want {
		t.Errorf("the page stands on %s, want %s", p.Dark, want)
	}
}

// A screenshot is an image with something on it.
func TestScreenshot(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	program := browser(t)
	folder := t.TempDir()
	file, shot := filepath.Join(folder, "page.html"), filepath.Join(folder, "shot.png")
	must.Do(t, os.WriteFile(file, []byte(html(t, build(t, complete()))), 0o644))
	browse(t, program, file, "--screenshot="+shot, "--window-size=1280,2400")
	data := must.Get(os.ReadFile(shot))(t)
	root := &element{name: "svg", attr: map[string]string{"width": "640", "height": "1200"}}
	if im := checkPNG(t, "screenshot", string(data), root); blank(im) {
		t.Error("the screenshot is blank")
	}
}
