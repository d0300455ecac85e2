"""Samples, what is compared of them, and the table."""

import statistics

COLUMNS = ("what", "belfry median", "p99", "peer median", "p99", "compared", "spread", "at most", "")


def median(samples):
    return statistics.median(samples)


def p99(samples):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def ratio(ours, theirs):
    return ours / theirs


def difference(ours, theirs):
    return ours - theirs


def number(value):
    if value is None:
        return ""
    magnitude = abs(value)
    return f"{value:,.0f}" if magnitude >= 100 else f"{value:.1f}" if magnitude >= 10 else f"{value:.2f}"


class Comparison:
    """Belfry's samples beside its peer's, in the rounds they were taken in."""

    def __init__(self, what, unit):
        self.what, self.unit = what, unit
        self.belfry, self.peer = [], []

    def add_round(self, belfry, peer):
        if belfry and peer:
            self.belfry.append(belfry)
            self.peer.append(peer)

    def row(self, compare, statistic, at_most, limit_text):
        """A line of the table: `statistic` of all samples compared; the spread is over the rounds."""
        name = f"{self.what} ({self.unit}), {'p99' if statistic is p99 else 'median'}"
        if not self.belfry:
            return lost_row(name, limit_text)
        ours, theirs = ([value for each in rounds for value in each] for rounds in (self.belfry, self.peer))
        compared = compare(statistic(ours), statistic(theirs))
        each = [compare(statistic(a), statistic(b)) for a, b in zip(self.belfry, self.peer)]
        sign = " ×" if compare is ratio else ""
        return (
            name,
            number(median(ours)),
            number(p99(ours)),
            number(median(theirs)),
            number(p99(theirs)),
            number(compared) + sign,
            f"{number(min(each))} to {number(max(each))}",
            limit_text,
            verdict(compared, at_most),
        )


def verdict(value, at_most):
    """Nothing for what has no limit."""
    return "" if at_most is None else "met" if value <= at_most else "MISSED"


def plain_row(what, samples, statistic, at_most, limit_text, peer=()):
    """A line for a number that is measured against a fixed limit; `peer` is only for comparison."""
    if not samples:
        return lost_row(what, limit_text)
    value = statistic(samples)
    return (
        what,
        number(median(samples)),
        number(p99(samples)),
        number(median(peer)) if peer else "",
        number(p99(peer)) if peer else "",
        number(value),
        f"{number(min(samples))} to {number(max(samples))}",
        limit_text,
        verdict(value, at_most),
    )


def lost_row(what, limit_text):
    return (what, "", "", "", "", "not measured", "", limit_text, "MISSED")


def print_table(rows):
    table = [COLUMNS, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(COLUMNS))]
    for index, row in enumerate(table):
        cells = [text.ljust(width) if column in (0, 8) else text.rjust(width)
                 for column, (text, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
