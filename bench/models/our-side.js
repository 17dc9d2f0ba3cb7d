// Our side of what a model reads and learns.
import { decodeWork, trainWork } from '../sides/our-side.js';

/** Reads a prompt and draws one token after it. */
export function prefillWork(policy, { vocabulary, rows, prompt }) {
  return { run: decodeWork(policy, { vocabulary, prompt, fresh: 1, episodes: rows }) };
}

/** One training step. Every token but the first of a row is trained on. */
export async function loraWork(policy, { vocabulary, rows, width }) {
  return { run: await trainWork(policy, { vocabulary, prompt: 1, fresh: width - 1, episodes: rows }) };
}
