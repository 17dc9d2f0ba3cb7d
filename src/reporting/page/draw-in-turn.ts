/**
 * Milliseconds of uninterrupted drawing. The page is complete before it is shown, and a click on "every metric" does
 * not freeze it.
 */
const atOnce = 150;
/** Milliseconds for each later task. */
const slice = 12;

const waiting = new Set<() => void>();
let left = atOnce;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Draws immediately while there is time, otherwise soon, after earlier requests. This includes parts outside the
 * window. Returns a function that cancels it.
 */
export function drawInTurn(draw: () => void): () => void {
  waiting.add(draw);
  timer ??= setTimeout(goOn);
  if (left > 0) work();
  return () => waiting.delete(draw);
}

function goOn(): void {
  left = slice;
  work();
  timer = waiting.size > 0 ? setTimeout(goOn) : undefined;
  if (timer === undefined) left = atOnce;
}

function work(): void {
  const began = performance.now();
  for (const draw of waiting) {
    if (performance.now() - began > left) break;
    waiting.delete(draw);
    draw();
  }
  left -= performance.now() - began;
}

// Printing does not wait for timers.
addEventListener('beforeprint', () => {
  left = Infinity;
  work();
});
