import { type Span, windows } from "./chunkWindows.ts";
import { type Definition, definitionOf, isComment, type SyntaxNode } from "./definitions.ts";
import { fits, type Lines } from "./lines.ts";

/** A span that may still be merged with its neighbour. `alone` keeps named definitions and container shells to themselves. */
interface Piece extends Span {
  readonly alone: boolean;
}

const maxDepth = 48;

const firstRow = (node: SyntaxNode): number => node.startPosition.row;

/** A node that ends at column 0 ends on the line before. */
const lastRow = (node: SyntaxNode): number =>
  node.endPosition.column === 0 && node.endPosition.row > node.startPosition.row
    ? node.endPosition.row - 1
    : node.endPosition.row;

const rows = (node: SyntaxNode): number => lastRow(node) - firstRow(node) + 1;

const childrenOf = (node: SyntaxNode): SyntaxNode[] => node.namedChildren.filter((child) => child !== null);

const join = (scope: string, name: string): string => (scope === "" ? name : `${scope}.${name}`).slice(0, 200);

/** Goes down while one child holds nearly all lines of its parent (a call's arguments, a class's body). */
const innermost = (node: SyntaxNode): SyntaxNode[] => {
  let current = node;
  for (let depth = 0; depth < maxDepth; depth++) {
    const children = childrenOf(current);
    let biggest: SyntaxNode | null = null;
    for (const child of children) if (biggest === null || rows(child) > rows(biggest)) biggest = child;
    if (biggest === null) return children;
    if (children.length > 1 && rows(current) - rows(biggest) > 2) return children;
    current = biggest;
  }
  return [];
};

interface Context {
  readonly lines: Lines;
  readonly text: string;
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly scope: string;
  /** Kind of what is not a definition of its own: parts of a long function are still that definition. */
  readonly kind: "code" | "definition";
  readonly depth: number;
}

const splitChildren = (context: Context, nodes: ReadonlyArray<SyntaxNode>, place: Place): Piece[] => {
  const { lines } = context;
  const pieces: Piece[] = [];
  let cursor = place.from;
  const extendLast = (to: number): void => {
    const last = pieces.pop();
    if (last !== undefined) pieces.push({ ...last, to });
  };
  for (const node of nodes) {
    const end = Math.min(lastRow(node), place.to);
    if (end < cursor || isComment(node)) continue;
    if (firstRow(node) < cursor && pieces.length > 0) {
      extendLast(end);
      cursor = end + 1;
      continue;
    }
    const definition = definitionOf(node, context.text);
    const start = firstRow(node);
    if (!fits(lines, cursor, end) && start > cursor && lines.size(cursor, start - 1) > 500) {
      pieces.push({ from: cursor, to: start - 1, symbol: place.scope, kind: "code", alone: false });
      cursor = start;
    }
    const at: Place = { ...place, from: cursor, to: end };
    if (fits(lines, cursor, end)) pieces.push(wholePiece(at, definition));
    else for (const piece of splitLarge(context, node, { ...at, definition })) pieces.push(piece);
    cursor = end + 1;
  }
  if (cursor <= place.to) {
    const last = pieces.at(-1);
    if (last !== undefined && lines.size(cursor, place.to) <= 200) extendLast(place.to);
    else pieces.push({ from: cursor, to: place.to, symbol: place.scope, kind: place.kind, alone: false });
  }
  return pieces;
};

const wholePiece = (place: Place, definition: Definition | null): Piece => ({
  from: place.from,
  to: place.to,
  symbol: definition === null ? place.scope : join(place.scope, definition.name),
  kind: definition === null ? place.kind : definition.container ? "container" : "definition",
  alone: definition !== null,
});

/** A node over the limits: its first lines (signature, shell) as one piece, then its members or statements. */
const splitLarge = (
  context: Context,
  node: SyntaxNode,
  place: Place & { readonly definition: Definition | null },
): Piece[] => {
  const { definition } = place;
  const scope = definition === null ? place.scope : join(place.scope, definition.name);
  const kind = definition === null ? place.kind : definition.container ? "code" : "definition";
  const children = place.depth < maxDepth ? innermost(definition?.body ?? node) : [];
  const first = children.find((child) => firstRow(child) > place.from || !isComment(child));
  if (first === undefined) return [{ ...place, symbol: scope, kind, alone: false }];
  const inner: Place = {
    from: Math.max(firstRow(first), place.from),
    to: place.to,
    scope,
    kind,
    depth: place.depth + 1,
  };
  if (inner.from <= place.from) return splitChildren(context, children, { ...inner, from: place.from });
  const shell: Piece = {
    from: place.from,
    to: inner.from - 1,
    symbol: scope,
    kind: definition?.container === true ? "container" : kind,
    alone: definition?.container === true,
  };
  return [shell, ...splitChildren(context, children, inner)];
};

/** Joins neighbours of one scope while they fit; definitions and shells stay alone. */
const merge = (lines: Lines, pieces: ReadonlyArray<Piece>): Piece[] => {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    const joinable = last !== undefined && !last.alone && !piece.alone && last.symbol === piece.symbol;
    if (joinable && fits(lines, last.from, piece.to)) {
      out.pop();
      out.push({ ...last, to: piece.to });
    } else out.push(piece);
  }
  return out;
};

/**
 * Recursive split-then-merge over a syntax tree (facts 2): named definitions whole, comments with what follows them,
 * containers as shell and members, anything left over its limits as content-defined windows. Covers every line.
 */
export const treeSpans = (lines: Lines, root: SyntaxNode): Span[] => {
  const place: Place = { from: 0, to: lines.count - 1, scope: "", kind: "code", depth: 0 };
  const pieces = merge(lines, splitChildren({ lines, text: lines.text }, childrenOf(root), place));
  return pieces.flatMap((piece) => (fits(lines, piece.from, piece.to) ? [piece] : windows(lines, piece)));
};
