"""The relationship graph as coordinates: one drawing for wide screens, one for narrow.

Text keeps its size in both, so the narrow one is a column that fits 390 pixels. What no
drawing has room for stands in the list below it.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from operational.enums import EntityType
from operational.models import Entity
from operational.pages.relations import Neighbour

MOST = 10  # nodes around the one in the middle
_LINE = 17
_HEAD = 44  # a node with one line
_GAP = 22
_LETTER = 6.4  # of 12-pixel text, on average
_MAX_LINES = 4

_WIDE, _LEFT, _MIDDLE, _RIGHT = 1080, 10, 420, 830
_NODE, _CENTRE = 240, 240
_WIDE_CHARACTERS = 30

_NARROW, _TRUNK, _INDENT = 340, 12, 34
_NARROW_CHARACTERS, _TOP_CHARACTERS = 38, 42


@dataclass(frozen=True)
class Node:
    x: float
    y: float
    width: float
    height: float
    kind: str
    lines: tuple[tuple[float, str], ...]
    href: str
    title: str
    here: bool = False

    @property
    def text_x(self) -> float:
        return self.x + 14

    @property
    def kind_y(self) -> float:
        return self.y + 20

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class Edge:
    """`away`: the arrow points from the entity in the middle."""

    path: str
    away: bool
    label: str
    x: float
    y: float
    plate_x: float
    plate_width: float

    @property
    def plate_y(self) -> float:
        return self.y - 13


@dataclass(frozen=True)
class Drawing:
    name: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def wide(entity: Entity, around: Sequence[Neighbour]) -> Drawing:
    """The entity in the middle, its neighbours in a column on either side."""
    half = (min(len(around), MOST) + 1) // 2
    left = _column(around[:half], _LEFT)
    right = _column(around[half:MOST], _RIGHT)
    lowest = max(_bottom(left), _bottom(right), _HEAD + 2 * _LINE)
    left, right = _centred(left, lowest), _centred(right, lowest)
    here = _node(_MIDDLE, 0, _CENTRE, _WIDE_CHARACTERS, _itself(entity), here=True)
    here = _moved(here, (lowest - here.height) / 2)
    sides = zip((*left, *right), around, strict=False)
    edges = tuple(_spoke(here, node, each) for node, each in sides)
    return Drawing("wide", _WIDE, lowest + 2, (here, *left, *right), edges)


def narrow(entity: Entity, around: Sequence[Neighbour]) -> Drawing:
    """The entity on top, its neighbours below each other along a trunk."""
    here = _node(1, 1, _NARROW - 2, _TOP_CHARACTERS, _itself(entity), here=True)
    y = here.y + here.height + 12
    nodes, edges = [here], []
    for each in around[:MOST]:
        node = _node(_INDENT, y + 20, _NARROW - _INDENT - 1, _NARROW_CHARACTERS, each)
        nodes.append(node)
        start = here.y + here.height
        edges.append(
            Edge(
                path=f"M{_TRUNK} {start:g} V{node.middle:g} H{_INDENT - 2}",
                away=each.outward,
                label=each.verb,
                x=_INDENT,
                y=y + 13,
                plate_x=_INDENT,
                plate_width=0,
            )
        )
        y = node.y + node.height + 10
    return Drawing("narrow", _NARROW, y, tuple(nodes), tuple(edges))


def _itself(entity: Entity) -> Neighbour:
    label = f"{EntityType(entity.type).label}, this one"
    return Neighbour(label, entity.title, entity.href, "", "", outward=True)


def _column(around: Sequence[Neighbour], x: float) -> list[Node]:
    nodes: list[Node] = []
    y = 1.0
    for each in around:
        node = _node(x, y, _NODE, _WIDE_CHARACTERS, each)
        nodes.append(node)
        y += node.height + _GAP
    return nodes


def _node(
    x: float,
    y: float,
    width: float,
    characters: int,
    of: Neighbour,
    *,
    here: bool = False,
) -> Node:
    lines = textwrap.wrap(of.title, characters)
    if len(lines) > _MAX_LINES:
        lines = [
            *lines[: _MAX_LINES - 1],
            f"{lines[_MAX_LINES - 1][: characters - 1]}…",
        ]
    return Node(
        x=x,
        y=y,
        width=width,
        height=_HEAD + 4 + _LINE * (len(lines) - 1),
        kind=of.type if here else of.type_label,
        lines=tuple((y + 38 + _LINE * n, line) for n, line in enumerate(lines)),
        href=of.href,
        title=of.title,
        here=here,
    )


def _bottom(nodes: Sequence[Node]) -> float:
    return nodes[-1].y + nodes[-1].height if nodes else 0


def _centred(nodes: Sequence[Node], height: float) -> list[Node]:
    return [_moved(node, (height - _bottom(nodes)) / 2) for node in nodes]


def _moved(node: Node, down: float) -> Node:
    lines = tuple((y + down, line) for y, line in node.lines)
    return Node(**{**vars(node), "y": node.y + down, "lines": lines})


def _spoke(here: Node, node: Node, each: Neighbour) -> Edge:
    """A curve from the middle's side to the neighbour's, its word on the way."""
    is_left = node.x < here.x
    start = here.x - 2 if is_left else here.x + here.width + 2
    end = node.x + node.width + 2 if is_left else node.x - 2
    bend = (start + end) / 2
    # They leave the middle apart, so that the words do not meet.
    spread = here.height / 2 - 8
    leave = here.middle + max(-spread, min(spread, (node.middle - here.middle) / 4))
    y = node.middle + (leave - node.middle) * 0.16
    x = bend + (end - bend) * 0.36
    width = len(each.label) * _LETTER + 14
    room = 10 + width / 2  # the arrow shows between word and neighbour
    x = max(x, end + room) if is_left else min(x, end - room)
    return Edge(
        path=f"M{start:g} {leave:.1f} C{bend:g} {leave:.1f} {bend:g} "
        f"{node.middle:.1f} {end:g} {node.middle:.1f}",
        away=each.outward,
        label=each.label,
        x=round(x, 1),
        y=round(y + 4, 1),
        plate_x=round(x - width / 2, 1),
        plate_width=round(width, 1),
    )
