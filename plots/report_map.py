"""Which choice is best for which size and number of nodes, as a picture in a page: a row per layout, a column per size."""
import collections

import plain
from report_page import tag, text

LABEL, TOP, WIDTH = 78, 22, 1000
HIGHEST_ROW, LOWEST_ROW, HIGHEST = 18, 5, 640  # pixels; of more rows than fit, not every one has its label
LABEL_APART = 13


def names_of(cases):
    """Of the algorithms that run, those that are best most often first."""
    return [name for name, _ in collections.Counter(plain.name_of(case.runs) for case in cases).most_common()]


def say(collective, case):
    lines = [f"{collective}, {case.nodes} nodes x {case.ppn}, {plain.size_text(case.bytes)}", f"{case.choice_text}: {case.seconds_us:.3f} us"]
    if case.undecided:
        lines.append(f"not decided: {', '.join(case.undecided)} may be faster")
    elif case.margin is not None:
        lines.append(f"runner-up {100 * case.margin:+.1f} %")
    for library, default in sorted(case.defaults_us.items()):
        lines.append(f"{library}: {default:.3f} us" + (f", {default / case.seconds_us:.2f} times as long" if case.seconds_us else ""))
    return "\n".join(lines + ([case.trust] if case.trust else []))


LINES = {"////": "M0 6L6 0", "\\\\\\\\": "M0 0L6 6", "....": "M2 3h2", "xxxx": "M0 6L6 0M0 0L6 6"}


def pattern_of(identity, colour, hatch):
    """What shares a colour with another has lines over it, in another direction each."""
    if not hatch:
        return ""
    lines = f'<path d="{LINES[hatch]}" stroke="{"#fff" if plain.is_dark(colour) else "#000"}"/>'
    return f'<pattern id="{identity}" width="6" height="6" patternUnits="userSpaceOnUse">{lines}</pattern>'


def share(part, whole):
    percent = 100 * part / whole
    return f"{percent:.0f} %" if percent >= 1 else "less than 1 %"


def columns_of(cases):
    """(size by case, whether it is one rank's): sizes that are each rank's share where these are fewer, as of a table tuned for sizes as OSU prints
    them; else no two layouts have a column in common."""
    shares = [case.bytes // (case.nodes * case.ppn) for case in cases]
    whole = [case.bytes for case in cases]
    return (shares, True) if len(set(shares)) < len(set(whole)) else (whole, False)


def identity_of(page_part, collective, name):
    return "".join(letter if letter.isalnum() else "-" for letter in f"{page_part}-{collective}-{name}")


def draw(page_part, collective, cases, styles):
    """`page_part` tells this picture's patterns from those of others in the page; `styles`: {name: (colour, hatch)}."""
    names = names_of(cases)
    fills, over = {name: styles[name][0] for name in names}, {name: identity_of(page_part, collective, name) for name in names if styles[name][1]}
    patterns = "".join(pattern_of(identity_of(page_part, collective, name), *styles[name]) for name in names)
    hatched = collections.defaultdict(list)  # all of an algorithm at once: what makes a PDF of the page keeps each fill with a pattern as an image
    places = sorted({(case.ppn, case.nodes) for case in cases})
    of_case, of_rank = columns_of(cases)
    sizes = sorted(set(of_case))
    row = max(LOWEST_ROW, min(HIGHEST_ROW, HIGHEST // len(places)))
    column = (WIDTH - LABEL) / len(sizes)
    parts, every = [], max(1, round(60 / column))
    for index, size in enumerate(sizes):
        if index % every == 0:
            parts.append(f'<text x="{LABEL + column * index:.1f}" y="{TOP - 7}">{text(plain.size_text(size))}</text>')
    last_label = -LABEL_APART
    for index, (ppn, nodes) in enumerate(places):
        y = TOP + row * index
        if y - last_label >= LABEL_APART:
            odd = "" if plain.is_power_of_two(nodes * ppn) else ' class="odd"'
            parts.append(f'<text x="{LABEL - 6}" y="{y + min(row, 14) - 2 if row > 8 else y + row}" text-anchor="end"{odd}>{nodes} x {ppn}</text>')
            last_label = y
    where = {place: TOP + row * index for index, place in enumerate(places)}
    at = {size: LABEL + column * index for index, size in enumerate(sizes)}
    for case, size in zip(cases, of_case):
        name, y = plain.name_of(case.runs), where[case.ppn, case.nodes]
        parts.append(f'<rect x="{at[size]:.1f}" y="{y}" width="{column:.1f}" height="{row}" fill="{fills[name]}" data-say="{text(say(collective, case))}"/>')
        if name in over:
            hatched[name].append(f"M{at[size]:.1f} {y}h{column:.1f}v{row}h-{column:.1f}z")
    parts += [f'<path class="over" d="{"".join(hatched[name])}" fill="url(#{over[name]})"/>' for name in names if name in over]
    height = TOP + row * len(places) + 4
    picture = tag("svg", f"<defs>{patterns}</defs>{''.join(parts)}", **{"class": "map", "viewBox": f"0 0 {WIDTH} {height}", "role": "img",
                  "aria-label": f"The best choice for {collective} by nodes x ranks per node (rows) and bytes{' of a rank' if of_rank else ''} (columns)"})
    counts = collections.Counter(plain.name_of(case.runs) for case in cases)
    legend = "".join(tag("li", f'<svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" fill="{fills[name]}"/>'
                         + (f'<rect width="14" height="14" fill="url(#{over[name]})"/>' if name in over else "") + "</svg>"
                         f"{text(name)}: {share(counts[name], len(cases))} of the cells") for name in names)
    if of_rank:
        picture = tag("p", "Columns: what one rank has for another (alltoall), or has at all.") + picture
    return picture + tag("ul", legend, **{"class": "legend"})
