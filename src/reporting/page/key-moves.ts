/** How far keys move among items: `page` for a page, `line` for up and down, absent where these keys do not move. */
interface Moves {
  readonly page?: number;
  readonly line?: number;
  /** Absent where left and right do not move. */
  readonly step?: number;
}

/** How far a key moves, and takes the key; undefined for another key. */
export function moveOfKey(event: KeyboardEvent, { page, line, step }: Moves): number | undefined {
  const moves: { readonly [key: string]: number | undefined } = {
    ...{ ArrowLeft: step && -step, ArrowRight: step, ArrowUp: line && -line, ArrowDown: line },
    ...{ PageUp: page && -page, PageDown: page, Home: -Infinity, End: Infinity },
  };
  const move = moves[event.key];
  if (move !== undefined) event.preventDefault();
  return move;
}
