"""A page that needs nothing but itself: its frame, its style for screen, dark screen and paper, and tables that sort."""
import html

# What a browser runs: a click on a heading sorts by it, numbers as numbers; again, the other way round.
SCRIPT = """
for (const table of document.querySelectorAll("table.sortable"))
  table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => {
    const head = button.parentElement, up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)], numbers = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
      return (numbers ? x - y : x.localeCompare(y)) * (up ? 1 : -1);
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(order));
  }));
const tip = document.getElementById("tip");
for (const map of document.querySelectorAll("svg.map")) {
  const show = event => {
    const on = event.target.closest("[data-say]"), said = on && on.dataset.say;
    tip.hidden = !said;
    if (!said) return;
    tip.textContent = said;
    const left = Math.min(event.pageX + 12, scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = left + "px";
    tip.style.top = event.pageY + 14 + "px";
  };
  map.addEventListener("mousemove", show);
  map.addEventListener("mouseleave", () => tip.hidden = true);
}
"""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1e23; --paper: #ffffff; --line: #c9ced6; --soft: #f2f4f7; --mark: #b03000; --message: #0072b2; --path: #c04000; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #16181c; --line: #3d434c; --soft: #22262c; --mark: #ff9a6b; --message: #56b4e9; --path: #ff7f50; } }
body { margin: 0 auto; max-width: 78rem; padding: 1rem 1.5rem 4rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); } h3 { font-size: 1.05rem; margin-bottom: .3rem; }
nav a { margin-right: 1rem; } a { color: inherit; }
.note { border-left: 4px solid var(--mark); padding-left: .7rem; }
.scroll { overflow-x: auto; max-height: 34rem; } .scroll + .scroll { margin-top: 1rem; }
table { border-collapse: collapse; font-size: .86rem; } caption { text-align: left; padding: .3rem 0; width: max-content; max-width: min(76rem, 92vw); }
th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
th.number { text-align: right; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--soft); }
th button { all: unset; cursor: pointer; font-weight: 600; } th button:focus-visible { outline: 2px solid var(--mark); }
th[aria-sort=ascending] button::after { content: " \\25B2"; } th[aria-sort=descending] button::after { content: " \\25BC"; }
svg.map { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 11px system-ui, sans-serif; }
svg text.odd { fill: var(--mark); } svg.map > rect { stroke: var(--paper); stroke-width: .5; } svg.map .over { pointer-events: none; }
svg.residuals .over { fill: var(--path); } svg.residuals .under { fill: var(--message); } svg.residuals .ground { fill: transparent; stroke: none; }
svg.residuals .grid { stroke: var(--line); stroke-width: .5; }
ul.legend { list-style: none; padding: 0; columns: 16rem; font-size: .86rem; } ul.legend svg { vertical-align: -2px; margin-right: .4rem; }
#tip { position: absolute; z-index: 2; padding: .3rem .6rem; background: var(--ink); color: var(--paper); font-size: .82rem; border-radius: 4px; white-space: pre; pointer-events: none; }
@page { size: A4; margin: 13mm; }
@media print { html { font-size: 10px; } body { max-width: none; padding: 0; font-size: 1rem; } nav, #tip { display: none; }
  h1, h2, h3, caption { break-after: avoid; } caption { max-width: 100%; }
  .scroll { max-height: none; overflow: visible; } table { max-width: 100%; } td { overflow-wrap: anywhere; } td:not(.number) { min-width: 4.4em; } th, td { padding: .15rem .4rem; }
  thead th { position: static; } th button { display: none; } th::before { content: attr(data-word); }  /* buttons are not repeated on each sheet */
  section { break-inside: auto; } svg, tr { break-inside: avoid; } }
"""


def text(value):
    return html.escape(str(value), quote=True)


def tag(name, content, **attributes):
    return f"<{name}{''.join(f' {key}={chr(34)}{text(value)}{chr(34)}' for key, value in attributes.items())}>{content}</{name}>"


def cell(value):
    if isinstance(value, (int, float)):
        value = value or 0  # no -0.0
        return tag("td", f"{value:,}".replace(",", "\u202f"), **{"class": "number", "data-value": value})
    return tag("td", text(value))


def table(head, rows, caption):
    kinds = [{"class": "number"} if any(isinstance(row[column], (int, float)) for row in rows) else {} for column in range(len(head))]
    heads = "".join(tag("th", tag("button", text(word), type="button"), scope="col", **{"data-word": word}, **kind) for word, kind in zip(head, kinds))
    body = "".join(tag("tr", "".join(map(cell, row))) for row in rows)
    return tag("div", tag("table", tag("caption", text(caption)) + tag("thead", tag("tr", heads)) + tag("tbody", body), **{"class": "sortable"}),
               **{"class": "scroll"}, tabindex="0", role="region", **{"aria-label": caption})


def page(title, body, more_style=""):
    """With a link to each second heading, which is given a name to link to."""
    links, parts = [], body.split("<h2>")
    for number, part in enumerate(parts[1:], 1):
        links.append(tag("a", part.split("</h2>")[0], href=f"#s{number}"))
        parts[number] = f'<h2 id="s{number}">{part}'
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
            f"<link rel=\"icon\" href=\"data:,\"><title>{text(title)}</title><style>{STYLE}{more_style}</style></head><body>\n"
            f"<h1>{text(title)}</h1><nav aria-label=\"Sections\">{''.join(links)}</nav>\n{''.join(parts)}\n"
            f"<div id=\"tip\" role=\"status\" hidden></div><script>{SCRIPT}</script></body></html>\n")
