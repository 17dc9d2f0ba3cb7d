// What our side did in an iteration, as other programs do it best.
const EPISODES_AT_A_TIME = 8;

/** A recorded iteration in full batches: all episodes in each turn, and micro-batches of neighbours by length. */
export function arrangeWork({ turns, batches }) {
  return { turns: inWaves(turns), batches: batches.map(({ rows }) => ({ rows, microBatches: splitByLength(rows) })) };
}

/** How many tokens it samples, and trains on. */
export function countTokens({ turns, batches }) {
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  return {
    sampled: sum(turns.flat().map(({ fresh }) => fresh.length)),
    trained: sum(batches.flatMap(({ rows }) => rows.flatMap(({ mask }) => mask))),
  };
}

/** Our side may continue an episode before others. A program with one cache samples fastest in whole turns. */
function inWaves(turns) {
  const waves = [];
  const played = new Map();
  for (const request of turns.flat()) {
    const turn = played.get(request.sequence) ?? 0;
    played.set(request.sequence, turn + 1);
    (waves[turn] ??= []).push(request);
  }
  return waves;
}

/** Little is padded, and so many episodes at a time are fast and fit into memory. */
function splitByLength(rows) {
  const order = rows.map((_, row) => row).sort((a, b) => rows[b].tokens.length - rows[a].tokens.length);
  return Array.from({ length: Math.ceil(rows.length / EPISODES_AT_A_TIME) }, (_, part) =>
    order.slice(part * EPISODES_AT_A_TIME, (part + 1) * EPISODES_AT_A_TIME),
  );
}
