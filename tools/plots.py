#!/usr/bin/env python3
"""Plots of growth from bench/results.json, as SVG: growth-time.svg (commit, select, diff) and growth-bytes.svg.

Both axes are logarithmic: a level line is what does not grow with the tree. `make bench` runs it.

usage: tools/plots.py RESULTS.json FOLDER
"""
import json
import math
import pathlib
import re
import sys

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 80, 110, 40, 50
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad")


def series_of(rows):
    """{what: [(nodes, value)]} of the rows of growth."""
    found = {}
    for row in rows:
        match = re.fullmatch(r"growth of (.+), nodes: (\d+)", row["what"])
        if match:
            found.setdefault(match[1], []).append((int(match[2]), row["ours"]["value"]))
    return {what: sorted(points) for what, points in found.items()}


def decades(values):
    """Whole powers of ten that hold all values; two at least."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def number(value):
    """10000 as 10,000; 0.1 as 0.1."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def plot(title, unit, lines):
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    (x_low, x_high), (y_low, y_high) = decades(xs), decades(ys)

    def at_x(value):
        return LEFT + (math.log10(value) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def at_y(value):
        return HEIGHT - BOTTOM - (math.log10(value) - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{title}</text>']
    for power in range(x_low, x_high + 1):
        x = at_x(10.0 ** power)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number(10.0 ** power)}</text>')
    for power in range(y_low, y_high + 1):
        y = at_y(10.0 ** power)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number(10.0 ** power)} {unit}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">nodes in the tree</text>')
    for (what, points), colour in zip(lines.items(), COLOURS):
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"><title>{what}, {x:,} nodes: {y:.4g} '
                f'{unit}</title></circle>' for x, y in points]
        x, y = points[-1]
        out.append(f'<text x="{at_x(x) + 8:.1f}" y="{at_y(y) + 4:.1f}" fill="{colour}">{what}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__.rstrip().splitlines()[-1])
    lines = series_of(json.loads(pathlib.Path(argv[1]).read_text(encoding="utf-8"))["rows"])
    folder = pathlib.Path(argv[2])
    times = {what: [(x, y / 1000) for x, y in lines[what]] for what in ("commit", "select", "diff") if what in lines}
    plots = {"growth-time.svg": ("One commit, one select, one diff, as the tree grows", "us", times),
             "growth-bytes.svg": ("Bytes that a turn of 10 nodes adds to the file", "B",
                                  {what: lines[what] for what in ("bytes a turn",) if what in lines})}
    for name, (title, unit, shown) in plots.items():
        if shown:
            (folder / name).write_text(plot(title, unit, shown), encoding="utf-8")
            print(f"plots: {folder / name}")


if __name__ == "__main__":
    main(sys.argv)
