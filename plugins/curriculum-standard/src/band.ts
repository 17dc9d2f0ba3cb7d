import type { Curriculum, Host, JsonObject, TaskPool } from '@agentgym/cli';

import type { BandOptions } from './options.js';
import { readTurns } from './read-turns.js';
import { takeTurns } from './take-turns.js';

/** The success so far of a task, a cluster or a label, and the step in which it was played last. */
type Known = readonly [success: number, step: number];

/** What is known of one pool. */
interface PoolState extends JsonObject {
  /** How far its uniform order was read by the steps before. */
  readonly read: number;
  readonly known: { readonly [name: string]: Known };
}

interface BandState extends JsonObject {
  /** Number of steps so far. */
  readonly steps: number;
  /** The first place of the next step. */
  readonly place: number;
  readonly pools: readonly PoolState[];
}

/** Candidates that are looked at for each task that is wanted, before something outside the band is taken. */
const patience = 32;

/** Candidates that are asked for at a time. */
const atOnce = 64;

interface Reading {
  readonly tasks: readonly string[];
  /** How far the uniform order was read. */
  readonly read: number;
  /** Whether any of the tasks is in the band, or was not tried lately. */
  readonly fits: boolean;
}

/**
 * Reads the uniform order of each pool, and skips what was solved too seldom or too often so far. What was never tried, or not for
 * some steps, is handed out. If too few fit, the nearest to the band follow. Several pools take turns by their weights.
 */
export function create(options: BandOptions, _host: Host, pools: readonly [TaskPool, ...TaskPool[]]): Curriculum {
  const { high, low, of, recency, retryAfter } = options;
  if (of === 'task' && pools.some(({ count }) => count === 'unbounded')) {
    throw new Error(
      'the tasks are unbounded, so hardly one comes twice, and none has a success so far. Set `of` to `cluster` or to the axis of a label',
    );
  }
  const weights = pools.map(({ weight }) => weight);

  /** What has a success, for each of these tasks. */
  async function namesOf(pool: TaskPool, tasks: readonly string[]): Promise<readonly string[]> {
    if (of === 'task') return tasks;
    const facts = await pool.about(tasks);
    return tasks.map((task, place) => {
      const { cluster, labels } = facts[place] ?? {};
      const name = of === 'cluster' ? (cluster ?? task) : labels?.[of];
      if (name !== undefined) return String(name);
      const axes = Object.keys(labels ?? {});
      throw new Error(
        `the task "${task}" has no label \`${of}\`; it has ${axes.length === 0 ? 'none at all' : axes.join(', ')}`,
      );
    });
  }

  /** How far a success lies outside the band; 0 inside. */
  const distance = (success: number): number => Math.max(0, low - success, success - high);

  /** The first `wanted` tasks of a pool in the step after so many. */
  async function readOrder(pool: TaskPool, state: PoolState, steps: number, wanted: number): Promise<Reading> {
    const most = pool.count === 'unbounded' ? Infinity : pool.count;
    const fitting: string[] = [];
    const others: { readonly task: string; readonly away: number }[] = [];
    const seen = new Set<string>();
    let { read } = state;
    const end = read + patience * wanted;
    while (fitting.length < wanted && read < end && seen.size < most) {
      const candidates = await pool.order(read, atOnce);
      const names = await namesOf(pool, candidates);
      for (const [place, task] of candidates.entries()) {
        if (fitting.length === wanted || read === end) break;
        read += 1;
        // A step plays each task at most once.
        if (seen.has(task)) continue;
        seen.add(task);
        const [success, step] = state.known[names[place] as string] ?? [undefined, 0];
        const away = success === undefined || steps - step >= retryAfter ? 0 : distance(success);
        if (away === 0) fitting.push(task);
        else others.push({ task, away });
      }
    }
    const nearest = others.sort((left, right) => left.away - right.away).map(({ task }) => task);
    const tasks = [...fitting, ...nearest].slice(0, wanted);
    // A step of more tasks than there are plays some again.
    for (let place = 0; tasks.length < wanted; place += 1) tasks.push(tasks[place] as string);
    return { tasks, read, fits: fitting.length > 0 };
  }

  function nothingFits(states: readonly PoolState[]): Error {
    const successes = states.flatMap(({ known }) => Object.values(known)).map(([success]) => success);
    const nearest = Math.min(...successes.map(distance));
    return new Error(
      `nothing has a success between ${low} and ${high}: of ${successes.length} that were tried, the nearest is ${nearest.toFixed(2)} away. Widen the band, or lower \`retryAfter\``,
    );
  }

  return {
    initialState: {
      ...{ steps: 0, place: 0 },
      pools: pools.map(() => ({ read: 0, known: {} })),
    } satisfies BandState,

    async choose(first, count, given) {
      const state = given as BandState;
      const turns = takeTurns(weights, state.place, first - state.place + count);
      let fits = false;
      const chosen = await readTurns(pools, turns, async (entry, _, many) => {
        const own = state.pools[entry] as PoolState;
        const reading = await readOrder(pools[entry] as TaskPool, own, state.steps, many);
        fits ||= reading.fits;
        return reading.tasks;
      });
      if (!fits) throw nothingFits(state.pools);
      return chosen.slice(first - state.place);
    },

    async update(given, played) {
      const state = given as BandState;
      const steps = state.steps + 1;
      const turns = takeTurns(weights, state.place, played.length);
      const next = pools.map(async (pool, entry): Promise<PoolState> => {
        const own = state.pools[entry] as PoolState;
        const groups = played.filter((_, place) => turns[place]?.entry === entry);
        const { read } = groups.length === 0 ? own : await readOrder(pool, own, state.steps, groups.length);
        const names = await namesOf(
          pool,
          groups.map(({ task }) => task),
        );
        const known = { ...own.known };
        for (const [place, { episodes, successes }] of groups.entries()) {
          if (episodes === 0) continue;
          const name = names[place] as string;
          const newest = successes / episodes;
          const before = known[name]?.[0] ?? newest;
          known[name] = [recency * newest + (1 - recency) * before, steps];
        }
        return { read, known };
      });
      return { steps, place: state.place + played.length, pools: await Promise.all(next) };
    },

    metrics(given) {
      const known = (given as BandState).pools.flatMap((own) => Object.values(own.known));
      const within = known.filter(([success]) => distance(success) === 0).length;
      return { tried: known.length, in_band: known.length === 0 ? 0 : within / known.length };
    },
  };
}
