"""Prints what was measured at several sizes as one table, with what it comes to at 200 million activities.

Called by deploy/drills/growth with a file for each size: lines of NAME|FORM|FIGURE, the first of which is the number
of activities. FORM says how a figure grows: `linear` with the rows (sizes, and whatever reads or writes every row), or
`log` with the depth of indexes (calls); a figure of any other form is only printed. The fit is by least squares of
relative errors, and the last column is its largest error at a measured size. With fewer than three sizes there is none.
"""
import math
import sys

target = 200_000_000
sizes = [[line.rstrip("\n").split("|") for line in open(name)] for name in sys.argv[1:]]
counts = [float(size[0][2]) for size in sizes]


def fitted(form, figures):
    """The figure at the target, and the largest relative error at a measured size."""
    def grown(count):
        return count if form == "linear" else math.log2(count)

    weights = [1 / figure ** 2 for figure in figures]
    total = sum(weights)
    xs = [grown(count) for count in counts]
    x_mean = sum(w * x for w, x in zip(weights, xs)) / total
    y_mean = sum(w * y for w, y in zip(weights, figures)) / total
    slope = sum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, figures)) \
        / sum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs))
    values = [y_mean + slope * (x - x_mean) for x in xs]
    error = max(abs(value / figure - 1) for value, figure in zip(values, figures))
    return y_mean + slope * (grown(target) - x_mean), error


def shown(figure):
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.1f}"


print("| " + " | ".join(["", *(f"{count:,.0f}" for count in counts), f"{target:,} (fitted)", "form", "error"]) + " |")
print("|---" * (len(counts) + 4) + "|")
for rows in zip(*sizes):
    name, form, figures = rows[0][0], rows[0][1], [float(row[2]) for row in rows]
    last = ["", "", ""]
    if form in ("linear", "log") and len(figures) >= 3 and min(figures) > 0:
        figure, error = fitted(form, figures)
        last = [shown(figure), form, f"{error:.0%}"]
    print("| " + " | ".join([name, *map(shown, figures), *last]) + " |")
