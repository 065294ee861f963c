"""Parts of the report: one call drawn over time, and the links that are slow or busy in it."""
import plain
import report_page
import space_time
from report_page import tag, text


def name_of(call):
    return plain.with_what_runs(call["algorithm"], call["runs"])


def path_table(call):
    rows = [[kind, rank, peer if kind == "message" else "", size, round(posted, 3), round(started, 3), round(ended, 3)]
            for kind, rank, peer, size, posted, started, ended, critical in call["events"] if critical]
    rows.sort(key=lambda row: (row[6], row[5]))
    return report_page.table(("what", "rank", "to", "bytes", "posted, us", "begun, us", "ended, us"), rows, f"The critical path of {name_of(call)}: "
                             "what ended last, and what each waited for")


def call_section(drawn):
    """Of {"calls", "why"}; several calls have one scale of time."""
    if not drawn["calls"]:
        return tag("section", tag("h2", "One call over time") + tag("p", f"None is drawn: {text(drawn['why'])}."))
    calls, until = drawn["calls"], max(call["time_us"] for call in drawn["calls"])
    first = calls[0]
    parts = [tag("h2", "One call over time"),
             tag("p", f"{text(first['collective'])} of {plain.size_text(first['bytes'])} on {first['nodes']} nodes x {first['ppn']}, all ranks beginning "
                      "at 0. A line is a message, from when its first byte leaves to when the receiver has it; ranks of one node share a ground. "
                      "<code>tutti report --call</code> draws another call, <code>tutti simulate --trace</code> writes one for Perfetto."), space_time.LEGEND]
    for call in calls:
        runs = plain.with_what_runs("", call["runs"]) if call["runs"] != call["algorithm"] else ""
        messages = sum(event[0] == "message" for event in call["events"])
        parts.append(tag("h3", f"{text(call['algorithm'])} ({text(call['title'])}){text(runs)}: {call['time_us']:.3f} us, {messages} messages"))
        if call["differs"]:
            parts.append(tag("p", text(call["differs"]) + ".", **{"class": "note"}))
        parts.append(space_time.svg(call, until))
    parts += [path_table(call) for call in calls]
    return tag("section", "".join(parts))


def gigabits(bytes_per_second):
    return round(8e-9 * bytes_per_second, 2)


def levels_table(levels):
    rows = []
    for level in levels:
        names = ", ".join(f"{link['name']} ({gigabits(link['bandwidth'])})" for link in level["slowest"])
        more = level["slower"] - len(level["slowest"])
        rows.append([level["level"] + ("" if level["shared"] else ", not shared"), level["links"], gigabits(level["least_bandwidth"]),
                     gigabits(level["median_bandwidth"]), gigabits(level["most_bandwidth"]), round(1e9 * level["least_latency"], 1),
                     round(1e9 * level["most_latency"], 1), level["slower"], names + (f" and {more} more" if more else "")])
    return report_page.table(("level", "links", "least, Gb/s", "median, Gb/s", "most, Gb/s", "least, ns", "most, ns", "slower than the median one", "which"),
                             rows, "The machine's links by level (what is adaptive or parallel is one link, as wide as all of its cables)")


def links_section(levels, drawn):
    parts = [tag("h2", "Slowest links")]
    for call in drawn["calls"] if drawn else []:
        rows = [[link["level"], link["name"], link["bytes"], round(link["busy_us"], 3),
                 round(100 * link["busy_us"] / call["time_us"], 1) if call["time_us"] else ""] for link in call["links"]]
        if rows:
            parts.append(report_page.table(("level", "link", "bytes", "busy, us", "of the call, %"), rows,
                                           f"{name_of(call)}, the call drawn above: the {len(rows)} of {call['links_used']} links that its messages keep busy longest"))
    return tag("section", "".join([*parts, levels_table(levels)]))
