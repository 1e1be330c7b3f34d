"use strict";
document.querySelectorAll("table.sort").forEach(function (table) {
  var heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
  function key(row, k) {
    var cell = row.cells[k], v = cell.getAttribute("data-v");
    if (v === null) return cell.textContent.trim().replace("\u2212", "-");
    return v === "" ? NaN : Number(v);
  }
  function compare(a, b) {
    var x = parseFloat(a), y = parseFloat(b);
    if (typeof a === "number" || typeof b === "number" || (!isNaN(x) && !isNaN(y))) {
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return x - y;
    }
    return String(a).localeCompare(String(b), undefined, {numeric: true});
  }
  heads.forEach(function (head, k) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", function () {
      var was = head.getAttribute("aria-sort"), numeric = head.classList.contains("n");
      var down = was ? was === "ascending" : numeric;
      heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      var rows = Array.from(body.rows), keys = new Map();
      rows.forEach(function (r) { keys.set(r, key(r, k)); });
      rows.sort(function (a, b) {
        var x = keys.get(a), y = keys.get(b);
        if (typeof x === "number" && typeof y === "number" && (isNaN(x) || isNaN(y))) return isNaN(x) - isNaN(y);
        return down ? compare(y, x) : compare(x, y);
      });
      rows.forEach(function (r) { body.appendChild(r); });
    });
  });
});
(function () {
  var table = document.getElementById("list-of-columns");
  if (!table) return;
  var rows = Array.from(table.tBodies[0].rows), names = [], near = [];
  var find = document.getElementById("find-column"), found = document.getElementById("found-columns");
  var figure = document.getElementById("near");
  rows.forEach(function (r) {
    var k = Number(r.dataset.k);
    names[k] = r.cells[0].textContent.trim();
    near[k] = [];
  });
  rows.forEach(function (r) {
    var k = Number(r.dataset.k);
    (r.dataset.e || "").split(";").forEach(function (text) {
      if (!text) return;
      var e = text.split(" ").map(Number);
      near[k].push({of: e[0], to: e[1] / 1000, from: e[2] / 1000});
      near[e[0]].push({of: k, to: e[2] / 1000, from: e[1] / 1000});
    });
  });
  find.addEventListener("input", function () {
    var want = find.value.trim().toLowerCase(), shown = 0;
    rows.forEach(function (r) {
      r.hidden = names[Number(r.dataset.k)].toLowerCase().indexOf(want) < 0;
      if (!r.hidden) shown++;
    });
    found.textContent = want ? shown + " of " + rows.length : "";
  });
  find.addEventListener("keydown", function (event) {
    var first = table.tBodies[0].querySelector("tr:not([hidden])");
    if (event.key === "Enter" && first) draw(Number(first.dataset.k));
  });
  table.tBodies[0].addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button) draw(Number(button.closest("tr").dataset.k));
  });
  var space = document.querySelector("#graph svg").namespaceURI;
  var most = 40, high = 34, wide = 170, gap = 14;
  function mark(parent, kind, attributes, text) {
    var m = document.createElementNS(space, kind);
    Object.keys(attributes).forEach(function (a) { m.setAttribute(a, attributes[a]); });
    if (text !== undefined) m.textContent = text;
    parent.appendChild(m);
    return m;
  }
  function node(svg, k, x, y, chosen) {
    var g = mark(svg, "g", {tabindex: 0, role: "button", style: "cursor:pointer"});
    mark(g, "title", {}, names[k]);
    mark(g, "rect", {x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 7, fill: "var(--panel)", stroke: "currentColor", "stroke-width": chosen ? 2.5 : 1.2});
    var name = Array.from(names[k]);
    mark(g, "text", {x: x, y: y + 4.5, "text-anchor": "middle", "font-size": 13, fill: "currentColor"}, name.length > 22 ? name.slice(0, 21).join("") + "\u2026" : names[k]);
    g.addEventListener("click", function () { draw(k); });
    g.addEventListener("keydown", function (event) { if (event.key === "Enter") draw(k); });
  }
  function line(svg, x, y, u, v, p, head) {
    var length = Math.max(Math.hypot(u - x, v - y), 1), a = (u - x) / length, b = (v - y) / length, size = head ? 9 : 0;
    mark(svg, "line", {x1: x, y1: y, x2: u - size * a, y2: v - size * b, stroke: "currentColor", "stroke-width": 1 + 4 * Math.max(0, 2 * p - 1), "stroke-dasharray": head ? "none" : "6 4", opacity: p > 0.5 ? 0.9 : 0.45});
    if (head) mark(svg, "polygon", {points: [[u, v], [u - size * a - 5 * b, v - size * b + 5 * a], [u - size * a + 5 * b, v - size * b - 5 * a]].join(" "), fill: "currentColor"});
  }
  function draw(k) {
    var all = near[k].slice().sort(function (a, b) { return b.to + b.from - a.to - a.from; });
    var left = [], right = [], below = [];
    all.slice(0, most).forEach(function (e) {
      var p = e.to + e.from;
      (e.from >= 0.9 * p ? left : e.to >= 0.9 * p ? right : below).push(e);
    });
    var lines = Math.max(left.length, right.length, 1), step = high + gap, middle = lines * step / 2;
    var perRow = 3, under = Math.ceil(below.length / perRow), width = 3 * wide + 220;
    var height = lines * step + (under ? 40 + under * step : 0);
    var svg = document.createElementNS(space, "svg"), centre = width / 2;
    svg.setAttribute("viewBox", "-4 -4 " + (width + 8) + " " + (height + 8));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Neighbourhood of " + names[k]);
    svg.style.maxWidth = width + "px";
    svg.style.minWidth = "30rem";
    function place(list, at) {
      list.forEach(function (e, n) {
        var y = middle + (n - (list.length - 1) / 2) * step, p = Math.min(1, e.to + e.from);
        if (at < centre) line(svg, at + wide / 2, y, centre - wide / 2, middle, p, true);
        else line(svg, centre + wide / 2, middle, at - wide / 2, y, p, true);
      });
      list.forEach(function (e, n) { node(svg, e.of, at, middle + (n - (list.length - 1) / 2) * step); });
    }
    below.forEach(function (e, n) {
      e.x = wide / 2 + n % perRow * (width - wide) / (perRow - 1);
      e.y = lines * step + 40 + (Math.floor(n / perRow) + 0.5) * step;
      line(svg, centre, middle + high / 2, e.x, e.y - high / 2, Math.min(1, e.to + e.from), false);
    });
    place(left, wide / 2);
    place(right, width - wide / 2);
    below.forEach(function (e) { node(svg, e.of, e.x, e.y); });
    node(svg, k, centre, middle, true);
    var room = figure.firstElementChild;
    room.textContent = "";
    room.appendChild(svg);
    figure.lastElementChild.textContent = names[k] + ": " + (all.length > most ? "the " + most + " most probable of " : "") + all.length + (all.length === 1 ? " neighbour." : " neighbours.");
    figure.hidden = false;
  }
})();
