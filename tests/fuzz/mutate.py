"""Damages texts as files are damaged, for the readers in Python. The same seed makes the same text."""
import random

NUMBERS = ("0", "-1", "1", "2", "2147483648", "9223372036854775808", "1e30", "1e999", "-0.0", "0.5", "nan", "NaN", "inf", "Infinity", "0x10",
           "null", "true", '"a"', "[]", "{}", "9" * 5000, "")


def run_at(text, place, holds):
    while place < len(text) and not holds(text[place]):
        place += 1
    begin = end = place
    while begin > 0 and holds(text[begin - 1]):
        begin -= 1
    while end < len(text) and holds(text[end]):
        end += 1
    return begin, end


def change(draw, text, texts):
    place = draw.randrange(len(text) + 1)
    kind = draw.randrange(9)
    if kind == 0:
        return text[:place] + chr(draw.randrange(256)) + text[place + 1:]
    if kind == 1:
        return text[:place] + text[place + draw.randrange(1, 20):]
    if kind in (2, 3):
        begin, end = run_at(text, place, lambda c: c.isdigit() or c in ".-")
        return text[:begin] + draw.choice(NUMBERS) + text[end:]
    if kind == 4:
        begin, end = run_at(text, place, lambda c: c.isalnum() or c == "_")
        other = draw.choice(texts)
        first, last = run_at(other, draw.randrange(len(other)), lambda c: c.isalnum() or c == "_")
        return text[:begin] + other[first:last] + text[end:]
    if kind == 5:
        begin, end = run_at(text, place, lambda c: c != "\n")
        return text[:begin] + text[end + 1:]
    if kind == 6:
        begin, end = run_at(text, place, lambda c: c != "\n")
        return text[:end + 1] + text[begin:end + 1] + text[end + 1:]
    if kind == 7:
        return text[:len(text) - draw.randrange(min(len(text), 20) + 1)] if draw.randrange(3) else text[:place]
    return text[:place] + draw.choice("a1 [{\"#,\n-") * draw.choice((1, 3, 200, 30000)) + text[place:]


def mutated(seed, texts):
    """One of the texts, changed in one to six places."""
    draw = random.Random(seed)
    text = draw.choice(texts)
    for _ in range(draw.randrange(1, 7)):
        text = change(draw, text, texts)
    return text
