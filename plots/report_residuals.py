"""A part of the report: where the calibrated machine is wrong."""
import plain
import report_page
from report_page import tag, text

LABEL, TOP, WIDTH, HIGH = 64, 14, 1000, 150


def say(row):
    return (f"{plain.size_text(row['bytes'])}\nmeasured {1e6 * row['measured_seconds']:.3f} us ({1e6 * row['p10_seconds']:.3f} to "
            f"{1e6 * row['p90_seconds']:.3f})\nmodel {1e6 * row['model_seconds']:.3f} us, {100 * row['error']:+.1f} %")


def errors_picture(one):
    """A bar for each size, up where the model takes longer than what was measured."""
    rows = one["rows"]
    most = max(max(abs(row["error"]) for row in rows), .01)
    middle, column = TOP + HIGH / 2, (WIDTH - LABEL) / len(rows)
    parts = []
    for share in (-1, -.5, 0, .5, 1):
        at = middle - share * HIGH / 2
        parts.append(f'<path class="grid" d="M{LABEL} {at:.1f}H{WIDTH}"/>')
        parts.append(f'<text x="{LABEL - 6}" y="{at + 4:.1f}" text-anchor="end">{100 * share * most:+.1f} %</text>')
    every = max(1, -(-70 // int(column)) if column >= 1 else len(rows))
    for index, row in enumerate(rows):
        x, long = LABEL + column * index, abs(row["error"]) / most * HIGH / 2
        y = middle - long if row["error"] > 0 else middle
        parts.append(f'<rect class="{"over" if row["error"] > 0 else "under"}" x="{x + column * .15:.2f}" y="{y:.2f}" width="{column * .7:.2f}" height="{max(long, .7):.2f}"/>')
        parts.append(f'<rect class="ground" x="{x:.2f}" y="{TOP}" width="{column:.2f}" height="{HIGH}" data-say="{text(say(row))}"/>')
        if index % every == 0:
            parts.append(f'<text x="{x + column / 2:.1f}" y="{TOP + HIGH + 14}" text-anchor="middle">{text(plain.size_text(row["bytes"]))}</text>')
    label = (f"Errors of the model for messages of the distance {one['distance']}, by size: median {100 * one['median_error']:.1f} %, "
             f"worst {100 * one['worst_error']:.1f} %")
    return tag("svg", "".join(parts), **{"class": "map residuals", "viewBox": f"0 0 {WIDTH} {TOP + HIGH + 20}", "role": "img", "aria-label": label})


def class_part(one):
    head = tag("h3", f"{text(one['distance'])}: median error {100 * one['median_error']:.1f} %, worst {100 * one['worst_error']:.1f} %")
    limit = ("eager up to any size" if one["eager_limit_bytes"] is None else
             f"eager up to {one['eager_limit_bytes']} bytes" + ("" if one["eager_limit_found"] else " (not found in the measurements)"))
    facts = [f"{one['curves']} curve{'s' if one['curves'] != 1 else ''} from {', '.join(file.rsplit('/', 1)[-1] for file in one['files'])}", limit]
    facts += [f"{unknown['figure']}: {unknown['reason']}" for unknown in one["unidentified"]]
    listed = tag("ul", "".join(tag("li", text(fact)) for fact in facts))
    if not one["rows"]:
        return head + listed
    rows = [[row["bytes"], round(1e6 * row["measured_seconds"], 3), round(1e6 * row["model_seconds"], 3), round(100 * row["error"], 1),
             round(1e6 * row["p10_seconds"], 3), round(1e6 * row["p90_seconds"], 3), round(100 * row["worst_single_error"], 1)] for row in one["rows"]]
    return head + listed + errors_picture(one) + report_page.table(
        ("bytes", "measured, us", "model, us", "error, %", "a tenth below, us", "a tenth above, us", "error to the farthest curve, %"), rows,
        f"Messages of the distance {one['distance']}: measured, and what the machine says")


def section(residuals):
    head = tag("h2", "Residuals of the calibration")
    unsure = "" if residuals["of_machine"] else tag("p", "Whether they are of the machine as it is, or of another one of its name, is not known.", **{"class": "note"})
    if "classes" in residuals:
        classes = sorted(residuals["classes"], key=lambda one: -one["worst_error"])
        notes = unsure + "".join(tag("p", text(note), **{"class": "note"}) for note in residuals["notes"])
        said = tag("p", f"{text(residuals['machine'])}, fitted from {text(residuals['base'] or 'nothing else')}: predicted over measured less 1, worst distance first.")
        return tag("section", head + said + notes + "".join(map(class_part, classes)))
    said = tag("p", f"{residuals['rows']} rows of measured collectives fitted, of {residuals['rows_in_file']} in the file: median error "
                    f"{100 * residuals['median_error']:.1f} %, before {100 * residuals['median_error_before']:.1f} %.")
    rows = [[figure["figure"], float(f"{figure['base']:.5g}"), float(f"{figure['fitted']:.5g}"), round(100 * figure["deviation"], 1),
             round(100 * figure["effect"], 2), "yes" if figure["identified"] else "no"] for figure in residuals["figures"]]
    return tag("section", head + said + unsure + report_page.table(("figure", "base", "fitted", "+/- %", "effect of a tenth, %", "identified"), rows,
                                                          "What the fit made of the machine's figures"))
