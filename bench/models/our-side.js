// Our side of what a model reads and learns.
import { createRandom } from '../../dist/random/create-random.js';
import { decodeWork, trainStep, trainWork } from '../sides/our-side.js';

/** Reads a prompt and draws one token after it. */
export function prefillWork(policy, { vocabulary, rows, prompt }) {
  return { run: decodeWork(policy, { vocabulary, prompt, fresh: 1, episodes: rows }) };
}

/** One training step. Every token but the first of a row is trained on. */
export async function loraWork(policy, { vocabulary, rows, width }) {
  return { run: await trainWork(policy, { vocabulary, prompt: 1, fresh: width - 1, episodes: rows }) };
}

/**
 * One training step on episodes of groups that begin alike: `width` tokens on average, between 0.8 and 1.2 of it, the
 * last `trained` of each trained on. The other side gets the same lengths.
 */
export async function episodesWork(policy, { vocabulary, groups, groupSize, shared, width, trained }) {
  const random = createRandom(2);
  const tokens = (count) => Array.from({ length: count }, () => random.integer(0, vocabulary));
  const sequences = Array.from({ length: groups }, () => {
    const beginning = tokens(shared);
    return Array.from({ length: groupSize }, (_, member) => [
      ...beginning,
      ...tokens(episodeLength(width, member, groupSize) - shared),
    ]);
  }).flat();
  const longest = Math.max(...sequences.map(({ length }) => length));
  const counts = sequences.map(() => trained);
  return { run: await trainStep(policy, { sequences, width: longest, trained: counts }) };
}

function episodeLength(width, member, groupSize) {
  return Math.round(width * (0.8 + (0.4 * member) / (groupSize - 1)));
}
