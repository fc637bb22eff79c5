"""Small charts as inline SVG: gauges, bars, lines. No script, no link, no data in attributes; colours come from CSS.

Words that come from data stand only in <text> and <title>, escaped.
"""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup, escape
from rich.cells import cell_len

from datacheck.check import Status
from datacheck.report.shape import shorten, visible
from datacheck.report.show import number
from datacheck.verdict.model import ValueEntry

BARS = 30  # categories in one chart
POINTS = 500  # points in one chart
_WIDTH = 480  # about half a page, so that text keeps its size
_LABEL = 160  # pixels for the words to the left of bars
_CELL = 6.6  # pixels of one cell of text
_MOST_SLOTS = 120  # columns and gaps beside each other


_DECIMAL = re.compile(r"\d{1,9}\.\d{1,9}")


class Bounds(NamedTuple):
    """Bounds to draw into a figure, on its first column and on its numbers."""

    x: Sequence[float] = ()
    y: Sequence[float] = ()


UNBOUND = Bounds()


@dataclass(frozen=True)
class Chart:
    """A drawn figure: `svg` is empty where nothing could be drawn; of `total` lines the first `drawn` are shown."""

    svg: Markup
    drawn: int
    total: int
    columns: tuple[str, ...]
    lines: tuple[tuple[Any, ...], ...]


def chart(figure: dict[str, list[Any]], bounds: Bounds = UNBOUND) -> Chart:
    """Draw a table: the first column is x, every numeric one after it is y.

    Words or true/false as x give horizontal bars, named by all columns of words; up to 60 numbers with one y give
    columns; the rest gives lines. `bounds` are drawn into bars and columns.
    """
    columns = tuple(figure)
    lines = tuple(zip(*figure.values(), strict=False)) if columns else ()
    names = _of_one_scale([name for name in columns[1:] if _is_numeric(figure[name])], figure)
    if not names or not lines:
        return Chart(Markup(), min(len(lines), BARS), len(lines), columns, lines[:BARS])
    x, ys = _numbers(figure[columns[0]]), [figure[name] for name in names]
    few = 60
    if not _is_numeric(x):
        words = [figure[name] for name in columns if not _is_numeric(figure[name])]
        labels = [
            " · ".join("–" if part is None else str(part) for part in parts) for parts in zip(*words, strict=True)
        ]
        drawn, svg = BARS, _bars(labels[:BARS], names, [y[:BARS] for y in ys], bounds.y, is_wide=len(words) > 1)
    elif len(names) == 1 and len(lines) <= few:
        drawn, svg = few, _columns(x, columns[0], ys[0], bounds)
    else:
        drawn, svg = POINTS, _lines([_float(v) for v in x[:POINTS]], columns[0], names, [y[:POINTS] for y in ys])
    return Chart(svg, min(drawn, len(lines)), len(lines), columns, lines[:few])


def _of_one_scale(names: list[str], figure: Mapping[str, Sequence[Any]]) -> list[str]:
    """The columns that one axis can hold: of shares (0 to 1) beside counts the shares; the table shows both."""
    shares = [name for name in names if all(v is None or (isinstance(v, float) and 0 <= v <= 1) for v in figure[name])]
    counts = [name for name in names if all(v is None or isinstance(v, int) for v in figure[name])]
    return shares if shares and counts and len(shares) + len(counts) == len(names) else names


def _numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Numbers that are written as words, as the bins of a histogram are ("0.85"); other words as they are."""
    if values and all(isinstance(v, str) and _DECIMAL.fullmatch(v) for v in values):
        return [float(v) for v in values]
    return values


def _is_numeric(values: Sequence[Any]) -> bool:
    seen = [v for v in values if v is not None]
    return bool(seen) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in seen)


def _float(value: Any) -> float | None:
    """A finite number to draw, or a gap."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _svg(width: float, height: float, title: str, body: Sequence[str]) -> Markup:
    role = 'role="img"' if title else 'aria-hidden="true"'  # without one, the words beside it say the same
    head = f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" {role}>'
    named = f"<title>{_words(title)}</title>" if title else ""
    return Markup(f"{head}{named}{''.join(body)}</svg>")  # noqa: S704 - numbers and escaped words


def _words(text: Any, cells: int = 60) -> str:
    return str(escape(shorten(visible(str(text)), cells)))


def _text(x: float, y: float, text: Any, kind: str = "", cells: int = 60) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{_words(text, cells)}</text>'


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" class="{kind}"/>'


def gauge(value: ValueEntry) -> Markup:
    """A number on a scale with its pass, warn and fail zones; empty where there is nothing to compare."""
    shown, limit = _float(value.value), value.limit
    if shown is None or not limit or shown < 0 or any(bound < 0 for bound in limit.values()):
        return Markup()
    top = max(shown, *limit.values())
    if not top:  # 0 with a limit of 0 has no scale
        return Markup()
    is_share = value.of is not None and top <= 1
    end = 1.0 if is_share and top >= 0.5 else top * 1.25
    width, height, margin = 180, 22, 7
    scale = (width - 2 * margin) / end
    zones = [_rect(margin + a * scale, 8, (b - a) * scale, 6, f"zone-{status}") for a, b, status in _zones(limit, end)]
    zones += [_mark(margin + bound * scale, 3, 19) for bound in sorted(set(limit.values()))]
    at = margin + min(shown, end) * scale
    kind = f"dot-{value.status.value}"
    body = [*zones, f'<circle cx="{at:.1f}" cy="11" r="5" class="{kind}"/>']
    return _svg(width, height, value.name, body)


def _mark(x: float, top: float, bottom: float) -> str:
    return f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}" class="limit"/>'


def spread(counts: Sequence[int], starts: Sequence[float]) -> Markup:
    """Columns from left to right for the parts of a dataset, as high as they hold hits; `starts` of further files."""
    width, height, most = 320.0, 28.0, max(counts) or 1
    step = width / len(counts)
    tall = [(at, 4 + (height - 4) * count / most) for at, count in enumerate(counts) if count]
    columns = "".join(f"M{(at + 0.5) * step:.1f} {height:.0f}v-{h:.1f}" for at, h in tall)
    files = "".join(f"M{start * width:.1f} 0V{height:.0f}" for start in starts)
    body = [_rect(0, 0, width, height, "track"), f'<path d="{files}" class="edge"/>' if files else ""]
    wide = max(step - 0.5, 2)
    return _svg(width, height, "", [*body, f'<path d="{columns}" class="hits" stroke-width="{wide:.1f}"/>'])


def _zones(limit: dict[str, float], end: float) -> list[tuple[float, float, Status]]:
    """Cut 0 … end at the bounds; each piece has the status that a number inside it would have."""
    cuts = sorted({0.0, end, *(min(bound, end) for bound in limit.values())})
    return [(a, b, _zone((a + b) / 2, limit)) for a, b in itertools.pairwise(cuts)]


def _zone(value: float, limit: dict[str, float]) -> Status:
    for status, low, high in ((Status.FAIL, "min", "max"), (Status.WARN, "warn_min", "warn_max")):
        if value < limit.get(low, -math.inf) or value > limit.get(high, math.inf):
            return status
    return Status.PASS


def funnel(steps: Sequence[tuple[str, int]], lost: str) -> Markup:
    """Bars of what is left after each step; `lost` is the word for what went away ("{} fewer" or the like)."""
    whole = max((count for _, count in steps), default=0) or 1
    row, room = 28, _WIDTH - _LABEL - 118
    body: list[str] = []
    before: int | None = None
    for index, (name, count) in enumerate(steps):
        y, length = index * row, room * count / whole
        gone = (before or 0) - count
        body += [_text(_LABEL - 10, y + 19, name, "label", 20), _rect(_LABEL, y + 5, room, 20, "track")]
        if before is not None and gone > 0:
            body.append(_rect(_LABEL + length, y + 5, room * gone / whole, 20, "lost"))
        body += [
            _rect(_LABEL, y + 5, length, 20, "bar-kept" if index == len(steps) - 1 else "bar"),
            _text(_LABEL + room + 10, y + 19, number(count), "number"),
        ]
        if before is not None and gone > 0:
            body.append(_text(_LABEL + room + 66, y + 19, lost.format(number(gone)), "minus"))
        before = count
    return _svg(_WIDTH, len(steps) * row, steps[-1][0] if steps else "", body)


def kept(steps: Sequence[tuple[str, int]]) -> Markup:
    """A bar of what is left of all rows; empty where nothing is known."""
    if not steps:
        return Markup()
    width, whole, left = 140, steps[0][1] or 1, steps[-1][1]
    body = [_rect(0, 0, width, 12, "lost"), _rect(0, 0, width * left / whole, 12, "bar-kept")]
    return _svg(width, 12, "", body)


def _bars(
    x: Sequence[str], names: Sequence[str], ys: Sequence[Sequence[Any]], limits: Sequence[float], *, is_wide: bool
) -> Markup:
    values = [[_float(v) for v in y] for y in ys]
    whole = max((abs(v) for y in [*values, limits] for v in y if v is not None), default=0) or 1
    thin = 14 if len(names) == 1 else 13
    cells = 34 if is_wide else 20
    left = _LABEL + (cells - 20) * _CELL
    row, room, top = thin * len(names) + 9, _WIDTH - left - 60, _legend_height(names)
    body = _legend(names)
    for index, label in enumerate(x):
        y = top + index * row
        body.append(_text(left - 10, y + row / 2 + 4, label, "label", cells))
        for series, numbers in enumerate(values):
            value = numbers[index]
            length = room * abs(value or 0) / whole
            at = y + 4 + series * thin
            shown = "–" if value is None else number(value)
            body.append(_rect(left, at, length, thin - 2, f"series-{series % 6}"))
            body.append(_text(left + length + 6, at + thin - 3, shown, "number small"))
    body += [_mark(left + room * limit / whole, top, top + len(x) * row) for limit in limits]
    return _svg(_WIDTH, top + len(x) * row + 4, names[0], body)


def _legend_height(names: Sequence[str]) -> int:
    return 24 if len(names) > 1 else 0


def _legend(names: Sequence[str]) -> list[str]:
    if len(names) == 1:
        return []
    body: list[str] = []
    x = 46.0
    for series, name in enumerate(names):
        label = shorten(visible(name), 20)
        body += [_rect(x, 6, 10, 10, f"series-{series % 6}"), _text(x + 15, 15, label, "small")]
        x += 32 + _CELL * cell_len(label)
    return body


_LEFT, _BASE, _PLOT_TOP, _RIGHT = 52.0, 170.0, 28.0, 12.0


def _axes(top: float, bottom: float, x_ends: tuple[Any, Any], x_name: str) -> list[str]:
    """Three lines across with their numbers, and the two ends of x."""
    body: list[str] = []
    for step in (0.0, 0.5, 1.0):
        y = _BASE - (_BASE - _PLOT_TOP) * step
        value = bottom + (top - bottom) * step
        body.append(f'<line x1="{_LEFT:.0f}" x2="{_WIDTH - _RIGHT:.0f}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        body.append(_text(_LEFT - 8, y + 4, number(value), "label small"))
    body += [
        _text(_LEFT, _BASE + 17, _tick(x_ends[0]), "small"),
        _text(_WIDTH - _RIGHT, _BASE + 17, _tick(x_ends[1]), "label small"),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _BASE + 17, x_name, "middle small", 40),
    ]
    return body


def _tick(value: Any) -> str:
    return number(value) if isinstance(value, int | float) else "–"


def _columns(x: Sequence[Any], x_name: str, y: Sequence[Any], bounds: Bounds) -> Markup:
    values = [_float(v) for v in y]
    top, bottom = _range([v for v in [*values, *bounds.y] if v is not None])
    slots = _slots([_float(v) for v in x])
    room = (_WIDTH - _LEFT - _RIGHT) / (max(slots) + 1)
    scale = (_BASE - _PLOT_TOP) / (top - bottom)
    zero = _BASE + bottom * scale
    body = _axes(top, bottom, (x[0], x[-1]), x_name)
    for slot, value in zip(slots, values, strict=True):
        if value is not None:
            height = abs(value) * scale
            at = zero - height if value >= 0 else zero
            body.append(_rect(_LEFT + slot * room + room * 0.1, at, room * 0.8, height, "series-0"))
    step = (x[1] - x[0]) / (slots[1] - slots[0]) if len(x) > 1 and None not in x[:2] else 0
    across = [(limit - x[0]) / step for limit in bounds.x] if step and (x[-1] - x[0]) / step == slots[-1] else []
    body += [_mark(_LEFT + slot * room, _PLOT_TOP, _BASE) for slot in across if 0 <= slot <= max(slots) + 1]
    for limit in bounds.y:
        up = zero - limit * scale
        body.append(f'<path d="M{_LEFT:.0f} {up:.1f}H{_WIDTH - _RIGHT:.0f}" class="limit"/>')
    return _svg(_WIDTH, _BASE + 28, x_name, body)


def _slots(x: Sequence[float | None]) -> list[float]:
    """Where each column stands, in widths of a column: a bin that is missing leaves its gap.

    One after the other where x doubles from column to column, falls, has gaps of its own, or a gap would be too wide.
    """
    even = [float(index) for index in range(len(x))]
    known = [value for value in x if value is not None]
    steps = [after - before for before, after in itertools.pairwise(known)]
    if len(known) < len(x) or not steps or min(steps) <= 0:
        return even
    doubles = len(steps) > 1 and all(after == 2 * before for before, after in itertools.pairwise(known))
    slots = [(value - known[0]) / min(steps) for value in known]
    return even if doubles or slots[-1] >= _MOST_SLOTS else slots


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The top and bottom of y: 0 is always inside."""
    top, bottom = max(0.0, *values, 0.0), min(0.0, *values, 0.0)
    return (top, bottom) if top > bottom else (1.0, 0.0)


def _lines(x: Sequence[float | None], x_name: str, names: Sequence[str], ys: Sequence[Sequence[Any]]) -> Markup:
    values = [[_float(v) for v in y] for y in ys]
    known = [v for v in x if v is not None] or [0.0]
    left, right = min(known), max(known)
    top, bottom = _range([v for y in values for v in y if v is not None])
    across, up = (_WIDTH - _LEFT - _RIGHT) / ((right - left) or 1), (_BASE - _PLOT_TOP) / (top - bottom)
    body = [*_legend(names), *_axes(top, bottom, (left, right), x_name)]
    for series, numbers in enumerate(values):
        for points in _pieces(x, numbers):
            drawn = [f"{_LEFT + (a - left) * across:.1f},{_BASE - (b - bottom) * up:.1f}" for a, b in points]
            body.append(f'<polyline points="{" ".join(drawn)}" class="line-{series % 6}"/>')
    return _svg(_WIDTH, _BASE + 28, x_name, body)


def _pieces(x: Sequence[float | None], y: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """Runs of points without a gap; a lonely point becomes a short stroke of two equal ends."""
    runs: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x, y, strict=False):
        if a is None or b is None:
            runs.append([])
        else:
            runs[-1].append((a, b))
    return [run if len(run) > 1 else run * 2 for run in runs if run]
