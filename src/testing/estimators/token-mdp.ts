// A small game that can be enumerated. It has two tasks, up to three turns of one or two sampled tokens, an observation
// after each turn, a reward on every turn, and a chance event between turns. All episodes and their probabilities are
// known, and so is the exact gradient of the expected return by every logit of the policy.
import type { Random } from '../../contracts/random.js';
import { createRandom } from '../../random/create-random.js';

/** Tokens: 0 and 1 are the choices of the policy, 2 and 3 the tasks, 4 to 6 observations. */
const TASKS = [2, 3];
const [CALM, STORM, END] = [4, 5, 6] as const;

/** Number of sampled tokens in each turn. The turns differ in length. */
const TURN_LENGTHS = [2, 1, 2];

/**
 * Reward of a turn, and whether it ends the episode. Rewards differ between tasks, come early and late, and depend on
 * earlier choices.
 */
function outcome(
  task: number,
  turn: number,
  chosen: readonly number[],
  history: readonly number[],
  weather: number,
): { readonly reward: number; readonly ends: boolean } {
  const [first = 0, second = 0] = chosen;
  const scale = task === 0 ? 1 : 2.5;
  switch (turn) {
    case 0:
      return { reward: 0.4 * scale * first - 0.2 * second, ends: first === 1 && second === 1 };
    case 1:
      return { reward: weather === STORM ? 0.6 * scale * (1 - first) : 0.3 * first, ends: false };
    default:
      return { reward: scale * (first === history[0] ? 1 : 0) + 0.5 * second, ends: true };
  }
}

/** What `outcome` reads of a turn's past, besides the task. The weather of the third turn has no effect. */
function stateOf({ turn, history, weather }: Pick<Unfinished, 'turn' | 'history' | 'weather'>): string {
  if (turn === 0) return 'start';
  return turn === 1 ? `second, after ${history[0]}, weather ${weather}` : `third, after ${history[0]}`;
}

/** Probability of a storm, given the first choice of the turn. */
const stormy = ([first]: readonly number[]): number => (first === 1 ? 0.7 : 0.3);

/**
 * The policy: the probability of token 1 in each context. A context is the text of all earlier tokens. Logits come from
 * the seed.
 */
export class TokenPolicy {
  readonly #logits = new Map<string, number>();
  readonly #random: Random;

  /** @param changes added to logits, by context */
  constructor(
    seed: number,
    readonly changes: ReadonlyMap<string, number> = new Map(),
  ) {
    this.#random = createRandom(seed);
  }

  /** [2] probabilities of tokens 0 and 1. */
  probabilities(context: string): readonly [number, number] {
    const logit = this.#logits.get(context) ?? 0.8 * this.#random.stream(context).normal();
    this.#logits.set(context, logit);
    const one = 1 / (1 + Math.exp(-logit - (this.changes.get(context) ?? 0)));
    return [1 - one, one];
  }

  /** Every context that was asked for. */
  get contexts(): readonly string[] {
    return [...this.#logits.keys()];
  }
}

/** A sampled token and its context. */
interface Step {
  readonly position: number;
  readonly context: string;
  readonly token: number;
}

export interface TokenEpisode {
  readonly probability: number;
  readonly tokens: readonly number[];
  readonly mask: readonly (0 | 1)[];
  readonly logprobs: readonly number[];
  readonly contexts: readonly Step[];
  readonly turns: readonly {
    readonly sampled: readonly [number, number];
    readonly reward: number;
    /** The state of the game before the turn: what later rewards depend on. */
    readonly startState: string;
  }[];
  /** Sum of the rewards. */
  readonly return: number;
}

interface Unfinished extends Omit<TokenEpisode, 'return'> {
  readonly turn: number;
  readonly history: readonly number[];
  readonly weather: number;
}

/**
 * Every episode of a task: tokens, mask, turns with rewards, its probability under the policy, log probabilities, and
 * the context of each sampled token.
 */
function enumerateEpisodes(policy: TokenPolicy, task: number): TokenEpisode[] {
  const episodes: Omit<TokenEpisode, 'return'>[] = [];
  const extend = (state: Unfinished): void => {
    const { turn } = state;
    const choose = (partial: Unfinished, chosen: readonly number[]): void => {
      if (chosen.length < (TURN_LENGTHS[turn] as number)) {
        const context = partial.tokens.join(' ');
        policy.probabilities(context).forEach((probability, token) =>
          choose(
            {
              ...partial,
              probability: partial.probability * probability,
              tokens: [...partial.tokens, token],
              mask: [...partial.mask, 1],
              logprobs: [...partial.logprobs, Math.log(probability)],
              contexts: [...partial.contexts, { position: partial.tokens.length, context, token }],
            },
            [...chosen, token],
          ),
        );
        return;
      }
      const { reward, ends } = outcome(task, turn, chosen, partial.history, partial.weather);
      const sampled = [partial.tokens.length - chosen.length, partial.tokens.length] as const;
      const turns = [...partial.turns, { sampled, reward, startState: stateOf(partial) }];
      const history = [...partial.history, ...chosen];
      const observe = (weather: number, probability: number): Unfinished => ({
        ...partial,
        turn: turn + 1,
        probability: partial.probability * probability,
        tokens: [...partial.tokens, weather],
        mask: [...partial.mask, 0],
        logprobs: [...partial.logprobs, 0],
        turns,
        history,
        weather,
      });
      if (ends) episodes.push(observe(END, 1));
      else {
        const storm = stormy(chosen);
        extend(observe(STORM, storm));
        extend(observe(CALM, 1 - storm));
      }
    };
    choose(state, []);
  };
  extend({
    turn: 0,
    probability: 1,
    tokens: [TASKS[task] as number],
    mask: [0],
    logprobs: [0],
    contexts: [],
    turns: [],
    history: [],
    weather: CALM,
  });
  return episodes.map((episode) => ({
    ...episode,
    return: episode.turns.reduce((sum, { reward }) => sum + reward, 0),
  }));
}

/** The game with its exact values and gradient. */
export class TokenMdp {
  readonly policy: TokenPolicy;
  /** Every episode of each task. */
  readonly tasks: readonly (readonly TokenEpisode[])[];
  /** Index of each context's logit in a gradient. */
  readonly places: ReadonlyMap<string, number>;
  /** E[future rewards | context]. */
  readonly values: ReadonlyMap<string, number>;
  /** Probability that an episode of its task contains the context. */
  readonly reach: ReadonlyMap<string, number>;
  /** Gradient of the expected return (mean over tasks) by the logit of each context. */
  readonly gradient: Float64Array;

  constructor(seed = 1, changes?: ReadonlyMap<string, number>) {
    this.policy = new TokenPolicy(seed, changes);
    this.tasks = TASKS.map((_, task) => enumerateEpisodes(this.policy, task));
    this.places = new Map(this.policy.contexts.map((context, place) => [context, place]));
    const { values, reach } = this.#exactValues();
    this.values = values;
    this.reach = reach;
    this.gradient = this.#exactGradient();
  }

  /** Mean over tasks. */
  get expectedReturn(): number {
    const sum = this.tasks.flat().reduce((total, episode) => total + episode.probability * episode.return, 0);
    return sum / this.tasks.length;
  }

  /** d log p(token | context) / d logit of token 1; each context has one logit. */
  slope({ context, token }: Step): number {
    return token - this.policy.probabilities(context)[1];
  }

  /** Draws an episode of a task, given a uniform random number. */
  draw(task: number, uniform: number): TokenEpisode {
    const episodes = this.tasks[task] as readonly TokenEpisode[];
    let left = uniform;
    const drawn = episodes.find(({ probability }) => (left -= probability) < 0);
    return drawn ?? (episodes.at(-1) as TokenEpisode);
  }

  /** Draws an episode in which every token is the more likely one. Events of the game stay random. */
  drawGreedy(task: number, uniform: number): TokenEpisode {
    const greedy = (this.tasks[task] as readonly TokenEpisode[])
      .filter(({ contexts }) =>
        contexts.every(({ context, token }) => (this.policy.probabilities(context)[1] > 0.5 ? 1 : 0) === token),
      )
      .map((episode) => ({
        episode,
        chance: episode.probability / Math.exp(episode.logprobs.reduce((a, b) => a + b)),
      }));
    let left = uniform;
    const drawn = greedy.find(({ chance }) => (left -= chance) < 0) ?? greedy.at(-1);
    return (drawn as (typeof greedy)[number]).episode;
  }

  #exactValues(): { readonly values: Map<string, number>; readonly reach: Map<string, number> } {
    const sums = new Map<string, { weight: number; sum: number }>();
    for (const episode of this.tasks.flat()) {
      for (const { position, context } of episode.contexts) {
        const toCome = episode.turns.reduce(
          (sum, { sampled, reward }) => sum + (sampled[1] > position ? reward : 0),
          0,
        );
        const entry = sums.get(context) ?? { weight: 0, sum: 0 };
        entry.weight += episode.probability;
        entry.sum += episode.probability * toCome;
        sums.set(context, entry);
      }
    }
    return {
      values: new Map([...sums].map(([context, { weight, sum }]) => [context, sum / weight])),
      reach: new Map([...sums].map(([context, { weight }]) => [context, weight])),
    };
  }

  /** Sum over episodes of P(episode) R(episode) times the sum of slopes. */
  #exactGradient(): Float64Array {
    const gradient = new Float64Array(this.places.size);
    for (const episodes of this.tasks) {
      for (const episode of episodes) {
        for (const step of episode.contexts) {
          const weight = (episode.probability * episode.return) / this.tasks.length;
          (gradient[this.places.get(step.context) as number] as number) += weight * this.slope(step);
        }
      }
    }
    return gradient;
  }
}
