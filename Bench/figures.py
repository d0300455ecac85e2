"""Samples, what is compared of them, and the table."""

import statistics

COLUMNS = ("what", "belfry median", "p99", "peer median", "p99", "compared", "spread", "at most", "")
# Of two stages: the middle of the rounds, of each the statistic that the row names; their spread; and whether the first
# stage's middle is within the other's spread. (Of equal builds, one has the worst of all rounds in every second row.)
COLUMNS_OF_TWO = ("what", "belfry", "its rounds", "other", "its rounds", "belfry / other", "peer", "")


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


class Row:
    """A line of the table: samples in the rounds they were taken in, a peer's beside them, and what counts of them.

    Without `compare` the peer is only shown. The value is of all samples, the spread that of the rounds.
    """

    def __init__(self, what, statistic, at_most, limit_text, rounds, peer=(), compare=None):
        self.what, self.statistic, self.at_most, self.limit_text = what, statistic, at_most, limit_text
        self.rounds, self.peer, self.compare = list(rounds), list(peer), compare

    def add(self, later):
        """Takes in the rounds of the same row, measured once more."""
        self.rounds += later.rounds
        self.peer += later.peer

    def cells(self):
        """This row of the table of one stage."""
        if not self.rounds:
            return (self.what, "", "", "", "", "not measured", "", self.limit_text, "MISSED")
        ours, theirs = together(self.rounds), together(self.peer)
        compared = self.compared(ours, theirs)
        each = [self.compared(a, b) for a, b in zip(self.rounds, self.peer if self.compare else self.rounds)]
        return (
            self.what,
            number(median(ours)),
            number(p99(ours)),
            number(median(theirs)) if theirs else "",
            number(p99(theirs)) if theirs else "",
            number(compared) + (" ×" if self.compare is ratio else ""),
            span(each),
            self.limit_text,
            verdict(compared, self.at_most),
        )

    def compared(self, ours, theirs):
        value = self.statistic(ours)
        return self.compare(value, self.statistic(theirs)) if self.compare else value

    def cells_beside(self, other):
        """This row of the table of two stages; `other` is the same row of the other stage, which may be of a build that
        lacks what is measured."""
        sides = [[self.statistic(taken) for taken in row.rounds] for row in (self, other)]
        cells = []
        for each in sides:
            cells += [number(median(each)), span(each)] if each else ["not measured", ""]
        peers = together(self.peer) + together(other.peer)
        compared, verdict_of_both = "", ""
        if all(sides):
            (mine, others), others_each = map(median, sides), sides[1]
            compared = number(ratio(mine, others)) + " ×" if others else ""
            verdict_of_both = "within" if mine <= max(others_each) else "ABOVE"
        return (self.what, *cells, compared, number(self.statistic(peers)) if peers else "", verdict_of_both)


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
        """A line of the table that compares `statistic` of both."""
        name = f"{self.what} ({self.unit}), {'p99' if statistic is p99 else 'median'}"
        return Row(name, statistic, at_most, limit_text, self.belfry, self.peer, compare)


def plain_row(what, samples, statistic, at_most, limit_text, peer=()):
    """A line for a number that is measured against a fixed limit; `peer` is only for comparison."""
    return Row(what, statistic, at_most, limit_text, [[value] for value in samples], [[value] for value in peer])


def lost_row(what):
    return Row(what, median, None, "", [])


def together(rounds):
    return [value for taken in rounds for value in taken]


def span(values):
    return f"{number(min(values))} to {number(max(values))}"


def verdict(value, at_most):
    """Nothing for what has no limit."""
    return "" if at_most is None else "met" if value <= at_most else "MISSED"


def print_table(rows):
    print_cells([COLUMNS, *(row.cells() for row in rows)])


def print_table_of_two(rows, others):
    print_cells([COLUMNS_OF_TWO, *(row.cells_beside(other) for row, other in zip(rows, others))])


def print_cells(table):
    columns = range(len(table[0]))
    widths = [max(len(row[column]) for row in table) for column in columns]
    for index, row in enumerate(table):
        cells = [row[column].ljust(widths[column]) if column in (0, columns[-1]) else row[column].rjust(widths[column])
                 for column in columns]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
