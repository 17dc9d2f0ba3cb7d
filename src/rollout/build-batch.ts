import type { TrainingBatch } from '../contracts/batch.js';
import type { CompletedEpisode, TokenRecord } from '../contracts/trajectory.js';
import { emptyBatch } from '../credit/batch-columns.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** One row of a batch before its layout. */
export interface BatchRow {
  readonly record: TokenRecord;
  /**
   * Turns in order: the half-open range of their sampled tokens, their reward and, on all or none of the turns, the
   * state before them.
   */
  readonly turns: readonly {
    readonly sampled: readonly [start: number, end: number];
    readonly reward: number;
    readonly startState?: string;
  }[];
  readonly group: number;
  readonly truncated: boolean;
}

/**
 * Lays out rows as arrays. Only this function puts a turn's reward on its last sampled token.
 *
 * @param greedy greedy episodes by group, if they were played
 */
export function buildBatch(
  rows: readonly BatchRow[],
  temperature: number,
  greedy?: ReadonlyMap<number, CompletedEpisode>,
): TrainingBatch {
  const width = rows.reduce((longest, { record }) => Math.max(longest, record.tokens.length), 0);
  const empty = emptyBatch({ rows: rows.length, width, temperature });
  const greedyReturn = greedy && Float64Array.from(rows, ({ group }) => greedy.get(group)?.return ?? 0);
  const states = new Map<string, number>();
  const startState = rows.some(({ turns }) => turns[0]?.startState !== undefined)
    ? new Int32Array(rows.length * width).fill(-1)
    : undefined;
  const batch = { ...empty, ...(greedyReturn && { greedyReturn }), ...(startState && { startState }) };
  for (const [row, { record, turns, group, truncated }] of rows.entries()) {
    const offset = row * width;
    batch.tokens.set(record.tokens, offset);
    batch.mask.set(record.mask, offset);
    batch.logprobs.set(record.logprobs, offset);
    batch.length[row] = record.tokens.length;
    batch.group[row] = group;
    batch.truncated[row] = truncated ? 1 : 0;
    for (const [index, { sampled, reward, startState: state }] of turns.entries()) {
      const [start, end] = sampled;
      batch.turn.fill(index, offset + start, offset + end);
      if (state !== undefined) {
        const number = states.get(state) ?? states.size;
        states.set(state, number);
        startState?.fill(number, offset + start, offset + end);
      }
      batch.rewards[offset + end - 1] = reward;
    }
  }
  return batch;
}

/** An episode of a policy model as a row. */
export function episodeRow(episode: CompletedEpisode): BatchRow {
  const { record, group, truncated } = episode;
  if (record === undefined) throw noTokens();
  const turns = episode.turns.map(({ sampled, reward, startState }) => {
    if (sampled === undefined) throw noTokens();
    return { sampled, reward, ...(startState !== undefined && { startState }) };
  });
  return { record, turns, group, truncated: truncated !== undefined };
}

function noTokens(): AgentgymError {
  return new AgentgymError('AG_BUG', { message: 'An episode without tokens reached training.' });
}
