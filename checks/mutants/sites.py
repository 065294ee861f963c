"""Where the source of an algorithm can be changed, and to what: small faults as people make them."""

import re
from dataclasses import dataclass

# What stands for another; binary operators have blanks on both sides, as clang-format writes them.
SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"),
         ">=": (">", "<"), "==": "!=", "!=": "==", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
         "^": "|", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "<<=": ">>=", ">>=": "<<="}
WORDS = {"std::min": "std::max", "std::max": "std::min", "true": "false", "false": "true", "left": "right",
         "right": "left"}
TOKEN = re.compile(r"(?P<skip>//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*)"
                   r"|(?P<number>(?<![\w.])\d+(?![\w.']))|(?P<word>(?:std::)?[A-Za-z_]\w*)"
                   r"|(?P<operator><<=|>>=|<=>|[-+*/%<>=!&|^]=|&&|\|\||<<|>>|\+\+|--|->|::|[-+*/%<>!&|^])", re.M | re.S)
HELPERS = """
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>
namespace mutant {
template <class Range> auto all_but_last(Range&& range) {
  return std::span(std::data(range), std::size(range) - (std::size(range) > 0));
}
template <class T> auto all_but_last(std::initializer_list<T> some) {
  return std::vector<T>(some.begin(), some.size() > 0 ? some.end() - 1 : some.end());
}
template <class Range> auto every_other(const Range& range) {
  std::vector some(std::begin(range), std::end(range));
  for (std::size_t i = 0; 2 * i < some.size(); ++i) some[i] = some[2 * i];
  some.resize((some.size() + 1) / 2);
  return some;
}
template <class T> auto every_other(std::initializer_list<T> some) { return every_other(std::vector<T>(some)); }
}  // namespace mutant
"""


@dataclass(frozen=True)
class Mutant:
    """A piece of a file replaced. `before` and `after` are the changed lines, by which it is known."""
    file: str
    begin: int
    end: int
    new: str
    before: str
    after: str

    def text(self, source):
        changed = source[:self.begin] + self.new + source[self.end:]
        if "mutant::" not in self.new:
            return changed
        at = re.search(r"^namespace|^Task|^struct|^inline|^TUTTI", changed, re.M).start()
        return changed[:at] + HELPERS + changed[at:]


def mutant(file, source, begin, end, new):
    first = source.rfind("\n", 0, begin) + 1
    last = source.find("\n", end)
    one = " ".join(source[first:last].split())
    other = " ".join((source[first:begin] + new + source[end:last]).split())
    return Mutant(file, begin, end, new, one, other)


def closing(source, at):
    """Past the bracket that closes the one at `at`; brackets in strings and comments do not occur there."""
    depth = 0
    for i in range(at, len(source)):
        depth += source[i] in "([{"
        depth -= source[i] in ")]}"
        if depth == 0:
            return i + 1
    raise ValueError("a bracket that is never closed")


def code(source):
    """(begin, end) of what may be changed: all but what is before the first namespace, and the declarations."""
    found = re.search(r"^namespace|^struct|^inline", source, re.M)
    start = found.start() if found else 0
    for declared in re.finditer(r"^TUTTI_ALGORITHM\(.*?;\n", source, re.M | re.S):
        yield start, declared.start()
        start = declared.end()
    yield start, len(source)


def small(file, source):
    """Every operator, constant, word and statement, changed one at a time."""
    found = []
    for begin, end in code(source):
        for token in TOKEN.finditer(source, begin, end):
            kind, text, at, past = token.lastgroup, token.group(), token.start(), token.end()
            blanks = source[at - 1] in " \n" and source[past:past + 1] in (" ", "\n")
            if kind == "number":
                value = int(text)
                found += [mutant(file, source, at, past, str(v)) for v in (value + 1, value - 1)]
            elif kind == "word" and text in WORDS:
                found.append(mutant(file, source, at, past, WORDS[text]))
            elif kind == "operator" and text == "++" or text == "--":
                found.append(mutant(file, source, at, past, "--" if text == "++" else "++"))
            elif kind == "operator" and text == "!" and source[at - 1] in " (":
                found.append(mutant(file, source, at, past, ""))
            elif kind == "operator" and text in SWAPS and blanks:
                others = SWAPS[text]
                found += [mutant(file, source, at, past, o) for o in ((others,) if isinstance(others, str) else others)]
        found += dropped(file, source, begin, end)
    return found


STATEMENT = re.compile(r"(?<=[;{}\n)])(\s+|\s*(?<=\) )|\s*else )"
                       r"((?:co_await |comm\.|[a-z_]\w*(?:\.|\[|->| [-+*/|&<>]*= )|break|continue|co_return|\+\+|--)[^;{}]*;)")


def is_last(source, past):
    """Whether a call has nothing left to do then. To wait for it or not is the same: a call does not end before all that
    it posted has."""
    return re.match(r"\s*co_return;|\n\}", source[past:]) is not None


def dropped(file, source, begin, end):
    found = []
    for statement in STATEMENT.finditer(source, begin, end):
        at, past = statement.span(2)
        if source.count("(", begin, at) != source.count(")", begin, at):
            continue  # in the head of a loop, or in what is handed over
        waited = re.fullmatch(r"co_await comm\.wait\((.*)\);", statement.group(2), re.S)
        posts = not waited or "(" in waited.group(1)
        last = is_last(source, past)
        if posts or not last:
            found.append(mutant(file, source, at, past, ";"))
        if waited and posts and not last:
            found.append(mutant(file, source, at, past, f"static_cast<void>({waited.group(1)});"))
    return found


STEPS = (("++", r"\+\+(\w+)", r"\1 += 2"), ("--", r"--(\w+)", r"\1 -= 2"), ("+=", r"(\w+) \+= (.+)", r"\1 += 2 * (\2)"),
         ("-=", r"(\w+) -= (.+)", r"\1 -= 2 * (\2)"), ("<<=", r"(\w+) <<= (\w+)", r"\1 <<= 2 * (\2)"),
         (">>=", r"(\w+) >>= (\w+)", r"\1 >>= 2 * (\2)"), ("*=", r"(\w+) \*= (.+)", r"\1 *= (\2) * (\2)"),
         ("/=", r"(\w+) /= (.+)", r"\1 /= (\2) * (\2)"))


def doubled(step):
    for _, pattern, new in STEPS:
        if re.fullmatch(pattern, step):
            return re.sub(f"^{pattern}$", new, step)
    return None


WRITTEN = re.compile(r"(?:\+\+|--)(\w+)|(\w+) (?:[-+*/%&|^]|<<|>>)?=(?!=)")


def ahead(step, condition):
    """Whether the loop goes on after this time around. What the step writes is a copy; all else is not, as what an iterator
    runs over must not be."""
    copied = sorted({name for names in WRITTEN.findall(step or condition) for name in names if name})
    body = f"{step}; " if step else ""
    return f"[{', '.join(['&', *copied])}]() mutable {{ {body}return static_cast<bool>({condition}); }}()"


def at_top(text, separator):
    """Pieces of the text between separators outside of brackets."""
    pieces, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += character in "([{"
        depth -= character in ")]}"
        if character == separator and depth == 0 and text[i - 1:i] != ":" and text[i + 1:i + 2] != ":":
            pieces.append((start, i))
            start = i + 1
    return pieces + [(start, len(text))]


def loops(file, source):
    """Every loop, with its last time around left out, and with a step twice as long."""
    found = []
    for begin, end in code(source):
        for loop in re.finditer(r"\b(for|while) \(", source[begin:end]):
            head = begin + loop.end()
            past = closing(source, head - 1) - 1
            inside = source[head:past]
            parts = at_top(inside, ";")
            if loop.group(1) == "while":
                has_effect = re.search(r"\+\+|--|[-+*/<>]=(?!=)", inside.replace("<=", "").replace(">=", "")) or \
                    ">>=" in inside or "<<=" in inside
                if has_effect:
                    found.append(mutant(file, source, head, past, f"({inside}) && {ahead('', inside)}"))
                else:
                    found.append(mutant(file, source, begin + loop.start(), past + 1,
                                        f"for (bool once = true; once && ({inside}); once = false)"))
                step = doubled(inside)
                if step:
                    found.append(mutant(file, source, head, past, step))
            elif len(parts) == 1:
                colon = at_top(inside, ":")[0][1]
                found += [mutant(file, source, head + colon + 1, past, f" mutant::{name}({inside[colon + 1:].strip()})")
                          for name in ("all_but_last", "every_other")]
            elif len(parts) == 3:
                condition, step = inside[slice(*parts[1])].strip(), inside[slice(*parts[2])].strip()
                at = head + parts[1][0]
                if condition and step:
                    found.append(mutant(file, source, at, head + parts[1][1],
                                        f" ({condition}) && {ahead(step, condition)}"))
                if doubled(step):
                    found.append(mutant(file, source, head + parts[2][0], past, " " + doubled(step)))
    return found
