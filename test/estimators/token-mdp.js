// A game small enough to be enumerated: two tasks, up to three turns of one or two sampled tokens, an observation after each turn that nobody sampled,
// a reward on every turn, and a chance event in between. All its episodes are known with their probabilities, and so is the exact gradient of the
// expected return by every logit of the policy.
import { createRandom } from '../../dist/random/create-random.js';

/** Tokens: 0 and 1 are what the policy chooses from, 2 and 3 the tasks, 4 to 6 observations. */
const TASKS = [2, 3];
const [CALM, STORM, END] = [4, 5, 6];

/** Turns of a choice of tokens; the second turn is a single token, so that turns differ in length. */
const TURN_LENGTHS = [2, 1, 2];

/**
 * What a turn brings: its reward, and whether it ends the episode. Rewards differ from task to task, come early and late, and depend on what was
 * chosen before.
 */
function outcome(task, turn, chosen, history, weather) {
  const [first, second = 0] = chosen;
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

/** Chance of a storm, by what was chosen first. */
const stormy = ([first]) => (first === 1 ? 0.7 : 0.3);

/**
 * The policy: for each context the probability of token 1. Contexts are all tokens before, as text; logits come from the seed.
 */
export class TokenPolicy {
  #logits = new Map();
  #random;

  constructor(seed) {
    this.#random = createRandom(seed);
  }

  /** [2] probabilities of tokens 0 and 1. */
  probabilities(context) {
    if (!this.#logits.has(context)) this.#logits.set(context, 0.8 * this.#random.stream(context).normal());
    const one = 1 / (1 + Math.exp(-this.#logits.get(context)));
    return [1 - one, one];
  }

  /** Every context that was asked for. */
  get contexts() {
    return [...this.#logits.keys()];
  }
}

/**
 * Every episode of a task: tokens, mask, turns with rewards, its probability under the policy, log probabilities, and the context of each sampled
 * token.
 */
export function enumerateEpisodes(policy, task) {
  const episodes = [];
  const extend = (state) => {
    const { turn } = state;
    const choose = (partial, chosen) => {
      if (chosen.length < TURN_LENGTHS[turn]) {
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
      const sampled = [partial.tokens.length - chosen.length, partial.tokens.length];
      const turns = [...partial.turns, { sampled, reward }];
      const history = [...partial.history, ...chosen];
      const observe = (weather, probability) => ({
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
    tokens: [TASKS[task]],
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

/** The game with its exact answers. */
export class TokenMdp {
  constructor(seed = 1) {
    this.policy = new TokenPolicy(seed);
    this.tasks = TASKS.map((_, task) => enumerateEpisodes(this.policy, task));
    /** Place of each context's logit in a gradient. */
    this.places = new Map(this.policy.contexts.map((context, place) => [context, place]));
    this.values = this.#exactValues();
    this.gradient = this.#exactGradient();
  }

  /** d log p(token | context) / d logit of token 1: there is one logit a context. */
  slope({ context, token }) {
    return token - this.policy.probabilities(context)[1];
  }

  /** An episode of a task, by a uniform number. */
  draw(task, uniform) {
    let left = uniform;
    for (const episode of this.tasks[task]) {
      left -= episode.probability;
      if (left < 0) return episode;
    }
    return this.tasks[task].at(-1);
  }

  /** An episode of the likelier token everywhere; chance stays chance. */
  drawGreedy(task, uniform) {
    const greedy = this.tasks[task]
      .filter(({ contexts }) =>
        contexts.every(({ context, token }) => (this.policy.probabilities(context)[1] > 0.5 ? 1 : 0) === token),
      )
      .map((episode) => ({
        episode,
        chance: episode.probability / Math.exp(episode.logprobs.reduce((a, b) => a + b)),
      }));
    let left = uniform;
    for (const { episode, chance } of greedy) {
      left -= chance;
      if (left < 0) return episode;
    }
    return greedy.at(-1).episode;
  }

  /** E[rewards still to come | context], for each context. */
  #exactValues() {
    const sums = new Map();
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
    return new Map([...sums].map(([context, { weight, sum }]) => [context, sum / weight]));
  }

  /** Gradient of the expected return, mean over tasks, by the logit of each context: sum of P(episode) R(episode) sum of slopes. */
  #exactGradient() {
    const gradient = new Float64Array(this.places.size);
    for (const episodes of this.tasks) {
      for (const episode of episodes) {
        for (const step of episode.contexts) {
          const weight = (episode.probability * episode.return) / this.tasks.length;
          gradient[this.places.get(step.context)] += weight * this.slope(step);
        }
      }
    }
    return gradient;
  }
}
