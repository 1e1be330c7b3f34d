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
