#!/usr/bin/env python3
"""space_time.py -o CALL.svg: one run as ranks over time, from what `tutti simulate --space-time` gives it on stdin. As a module, the same
picture for a page."""
import argparse
import json
import math
import re
import sys

import plain
from report_page import tag, text

LABEL, TOP, WIDTH, RIGHT = 64, 18, 1000, 14
HIGHEST_ROW, LOWEST_ROW, HIGHEST = 24, 5, 560  # pixels
LABEL_APART = 13

# Vermilion and blue of Okabe and Ito are told apart with any colour blindness; what is critical is broader, too.
STYLE = """
svg.call .band { fill: var(--soft); } svg.call .track { stroke: var(--line); stroke-width: 1; } svg.call .grid { stroke: var(--line); stroke-width: .5; stroke-dasharray: 2 3; }
svg.call .message { stroke: var(--message); stroke-width: 1; fill: none; } svg.call .hit { stroke: transparent; stroke-width: 9; fill: none; }
svg.call .waits { stroke: var(--message); stroke-width: 3; opacity: .35; } svg.call .copy { fill: #999933; } svg.call .combine { fill: #009e73; }
svg.call .critical.message { stroke: var(--path); stroke-width: 2.2; } svg.call .critical.waits { stroke: var(--path); opacity: .6; }
svg.call rect.critical { stroke: var(--path); stroke-width: 1.6; } svg.call g:hover .message { stroke-width: 3.2; }
svg.call .end { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 5 3; }
"""
# Where no page around it says so. Colours are written out, since not every viewer knows CSS's variables.
COLOURS = {"ink": "#1b1e23", "paper": "#ffffff", "line": "#c9ced6", "soft": "#f2f4f7", "message": "#0072b2", "path": "#c04000"}
ALONE = "\nsvg { background: var(--paper); } text { fill: var(--ink); font: 11px system-ui, sans-serif; }\n"


def in_plain_colours(style):
    return re.sub(r"var\(--(\w+)\)", lambda found: COLOURS[found[1]], style)


def nice_step(span, most):
    """The least of 1, 2 and 5 times a power of ten of which at most so many fit."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(step * power for step in (1, 2, 5, 10) if span / (step * power) <= most)


def number(value):
    return f"{value:.10g}"


def say(event):
    kind, rank, peer, size, posted, started, ended, critical = event
    lines = [f"{rank} to {peer}, {size} bytes" if kind == "message" else f"{kind} on {rank}, {size} bytes"]
    if kind == "message":
        lines.append(f"posted {posted:.3f} us")
    lines.append(f"{started:.3f} to {ended:.3f} us" + (f", {ended - started:.3f} us" if ended > started else ""))
    return "\n".join(lines + (["on the critical path"] if critical else []))


def shape_of(event, x, y, row):
    kind, rank, peer, _, posted, started, ended, critical = event
    mark = " critical" if critical else ""
    at, to = y(rank), y(peer)
    if kind != "message":
        high = max(2.0, row * .45)
        shape = (f'<rect class="{kind}{mark}" x="{x(started):.2f}" y="{at - high / 2:.2f}" '
                 f'width="{max(.8, x(ended) - x(started)):.2f}" height="{high:.2f}"/>')
    else:
        way = f"M{x(started):.2f} {at:.2f}L{x(ended):.2f} {to:.2f}"
        shape = f'<path class="hit" d="{way}"/><path class="message{mark}" d="{way}"/>'
        if x(started) - x(posted) > .5:
            shape = f'<path class="waits{mark}" d="M{x(posted):.2f} {at:.2f}H{x(started):.2f}"/>' + shape
    return tag("g", shape, **{"data-say": say(event)})


def svg(call, until_us, alone=False):
    """Ranks from top to bottom, time from left to right, 0 to `until_us`; so that pictures beside each other have one scale. Of a call among
    others (modes but isolated) all of the run is drawn."""
    nodes = call["node_of_rank"]
    row = max(LOWEST_ROW, min(HIGHEST_ROW, HIGHEST // len(nodes)))
    height = TOP + row * len(nodes)
    until = max(until_us, 1e-9)

    def x(microseconds):
        return LABEL + (WIDTH - LABEL - RIGHT) * microseconds / until

    def y(rank):
        return TOP + row * (rank + .5)

    parts, last_label, shade = [], -LABEL_APART, False
    for rank, node in enumerate(nodes):
        shade = shade if rank and nodes[rank - 1] == node else not shade
        if shade:
            parts.append(f'<rect class="band" x="{LABEL}" y="{TOP + row * rank}" width="{WIDTH - LABEL - RIGHT}" height="{row}"/>')
    step = nice_step(until, 8)
    for tick in range(int(until / step + 1e-9) + 1):
        parts.append(f'<path class="grid" d="M{x(tick * step):.2f} {TOP}V{height}"/>')
        parts.append(f'<text x="{x(tick * step):.2f}" y="{height + 14}" text-anchor="middle">{number(tick * step)}</text>')
    for rank in range(len(nodes)):
        parts.append(f'<path class="track" d="M{LABEL} {y(rank):.2f}H{WIDTH - RIGHT}"/>')
        if y(rank) - last_label >= LABEL_APART:
            parts.append(f'<text x="{LABEL - 6}" y="{y(rank) + 4:.1f}" text-anchor="end">{rank}</text>')
            last_label = y(rank)
    parts.append(f'<text x="{LABEL - 6}" y="{TOP - 6}" text-anchor="end">rank</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{height + 28}" text-anchor="end">microseconds</text>')
    events = sorted(call["events"], key=lambda event: event[7])  # what is critical lies on top
    parts += [shape_of(event, x, y, row) for event in events]
    lone = call["mode"] == "isolated"
    if lone:
        parts.append(f'<path class="end" d="M{x(call["time_us"]):.2f} {TOP - 6}V{height}"/>')
    messages = sum(event[0] == "message" for event in events)
    name = plain.with_what_runs(call["algorithm"], call["runs"])
    label = (f"{call['collective']}, {name}, {len(nodes)} ranks on {call['nodes']} nodes, {call['bytes']} bytes: {messages} messages over "
             f"{call['time_us']:.3f} microseconds, {sum(event[7] for event in events)} events on the critical path")
    box = {"class": "map call", "viewBox": f"0 0 {WIDTH} {height + 34}", "role": "img", "aria-label": label}
    if not alone:
        return tag("svg", "".join(parts), **box)
    head = f"{call['collective']}, {name}: {len(nodes)} ranks on {call['nodes']} nodes, {plain.size_text(call['bytes'])}, {call['time_us']:.3f} us"
    if not lone:
        head += f" a call; all of the run is drawn, {call['mode']}"
    body = f"<style>{in_plain_colours(ALONE + STYLE)}</style><title>{text(label)}</title>" + tag("text", text(head), x=LABEL, y=-14, style="font-weight: 600")
    body += tag("g", LEGEND_ALONE, transform=f"translate({LABEL},{height + 50})")
    box["viewBox"] = f"0 -30 {WIDTH} {height + 90}"
    return tag("svg", body + "".join(parts), xmlns="http://www.w3.org/2000/svg", width=WIDTH, height=height + 90, **box)


def key(shape):
    return f'<svg class="call" width="22" height="12" aria-hidden="true">{shape}</svg>'


KEYS = (("message", '<path class="message" d="M1 2L21 10"/>'), ("message on the critical path", '<path class="message critical" d="M1 2L21 10"/>'),
        ("posted, not begun", '<path class="waits" d="M1 6H21"/>'), ("copy", '<rect class="copy" x="5" y="2" width="12" height="8"/>'),
        ("combination", '<rect class="combine" x="5" y="2" width="12" height="8"/>'))
LEGEND = tag("ul", "".join(tag("li", key(shape) + word) for word, shape in KEYS), **{"class": "legend"})
LEGEND_ALONE = "".join(f'<g transform="translate({sum(50 + 6 * len(word) for word, _ in KEYS[:i])},-8)">{shape}<text x="27" y="10">{word}</text></g>'
                       for i, (_, shape) in enumerate(KEYS) for word in [KEYS[i][0]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    call = json.load(sys.stdin)
    picture = svg(call, call["until_us"], alone=True) + "\n"
    plain.write_result(arguments.output, lambda file: file.write(picture.encode()))


if __name__ == "__main__":
    plain.run(main)
