// Compares the built algorithm plugins with recorded batches of verl and TRL, through the exports of every plugin:
// `create(options, host)`, and the `advantages`, `weights` and `loss` of the created algorithm. Every `reference`, a
// plain loop over the action tokens, and every entry of TRL must agree. Where verl or TRL differ from the reference,
// the difference is printed but not counted. A recording is a .json.gz as in golden/algorithms.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { evaluateLoss, lossInputs, lossOperations } from '../../dist/testing/index.js';
import { loadAlgorithm } from '../load-algorithm.js';

const TOLERANCE = 1e-5;

const AGGREGATIONS = {
  'token-mean': () => ({ aggregation: 'token-mean' }),
  'seq-mean-token-sum': () => ({ aggregation: 'sequence-mean-token-sum' }),
  'seq-mean-token-mean': () => ({ aggregation: 'sequence-mean-token-mean' }),
  'seq-mean-token-sum-norm': (width) => ({ aggregation: 'constant-length', constantLength: width }),
};

/** TRL's `loss_type`s. Its means include all sequences, also those without an action token. */
const TRL_LOSSES = {
  grpo: () => ({ aggregation: 'sequence-mean-token-mean', countEmpty: true }),
  bnpo: () => ({ aggregation: 'token-mean' }),
  dapo: () => ({ aggregation: 'token-mean' }),
  dr_grpo: (width) => ({ aggregation: 'constant-length', constantLength: width, countEmpty: true }),
};

class Tally {
  agreed = 0;
  disagreed = 0;
  first = undefined;
  /** Different answers of the originals. */
  remarks = [];

  compare(place, ours, recorded) {
    const [our, their] = [ours, recorded].map((side) => (typeof side === 'number' ? [side] : [...side]));
    if (our.length !== their.length) this.#disagree(`${place}: ${our.length} numbers for ${their.length}`);
    for (const [index, number] of their.entries()) {
      if (Math.abs(our[index] - number) <= TOLERANCE * Math.max(1, Math.abs(number))) this.agreed += 1;
      else this.#disagree(`${place}[${index}]: ours ${our[index]}, recorded ${number}`);
    }
  }

  #disagree(what) {
    this.disagreed += 1;
    this.first ??= what;
  }
}

const flat = (matrix) => Float64Array.from(matrix.flat());

/** One recorded batch as the trainer would build it, and the code that compares its entries. */
class Recording {
  constructor(recorded, tally) {
    const { batch } = recorded;
    this.recorded = recorded;
    this.tally = tally;
    this.width = batch.mask[0].length;
    const groups = [...new Set(batch.group)];
    const turn = batch.mask.flatMap((row) => {
      let number = -1;
      return row.map((sampled, t) => (sampled === 1 ? (number += row[t - 1] === 1 ? 0 : 1) : -1));
    });
    this.batch = {
      rows: batch.mask.length,
      width: this.width,
      tokens: Int32Array.from(batch.tokens.flat()),
      length: Int32Array.from(batch.valid_length),
      mask: Uint8Array.from(batch.mask.flat()),
      turn: Int32Array.from(turn),
      weight: new Float64Array(turn.length),
      logprobs: flat(batch.old_logprobs),
      referenceLogprobs: flat(batch.reference_logprobs),
      values: flat(batch.values),
      rewards: flat(batch.rewards),
      advantages: flat(recorded.loss_inputs.advantages),
      returns: flat(recorded.loss_inputs.returns),
      greedyReturn: Float64Array.from(batch.reward_baseline),
      group: Int32Array.from(batch.group, (group) => groups.indexOf(group)),
      episode: Int32Array.from(batch.mask, (_, row) => row),
      truncated: Uint8Array.from(batch.truncated, Number),
      bootstrapValue: Float64Array.from(batch.bootstrap_value),
      temperature: 1,
    };
    // Entropy of each distribution, computed from the recorded logits.
    const entropy = batch.logits.flat().map((logits) => {
      const most = Math.max(...logits);
      const exps = logits.map((logit) => Math.exp(logit - most));
      const total = exps.reduce((sum, e) => sum + e, 0);
      return exps.reduce((sum, e) => sum - (e / total) * Math.log(e / total), 0);
    });
    this.live = {
      logprob: flat(batch.logprobs),
      entropy: Float64Array.from(entropy),
      value: flat(batch.new_values),
    };
    this.tokens = batch.mask.flat().reduce((sum, sampled) => sum + sampled, 0);
  }

  /**
   * Compares the advantages (and returns) of an algorithm over the whole matrix: the references are 0 where nothing was
   * sampled.
   */
  async advantages(place, name, options, { advantages, returns }, changes = {}) {
    const made = (await loadAlgorithm(name, options)).advantages({ ...this.batch, ...changes }, {});
    if (advantages !== undefined) this.tally.compare(`${place} advantages`, made.advantages, flat(advantages));
    if (returns !== undefined) this.tally.compare(`${place} returns`, made.returns, flat(returns));
    return made;
  }

  /** Loss, derivative and metrics of an algorithm on given advantages. */
  async loss(name, options, { term = 'policy', ofCritic = false, ...changes } = {}) {
    const made = await loadAlgorithm(name, options);
    const batch = { ...this.batch, ...changes };
    const weighted = { ...batch, weight: made.weights(batch) };
    const source = ofCritic ? made.critic : made;
    const { terms, metrics, gradients } = evaluateLoss(weighted, this.live, source.loss(lossOperations, lossInputs));
    const total = Object.values(terms).reduce((sum, value) => sum + value, 0);
    return { total, term: terms[term], metrics, gradients };
  }

  /**
   * Compares a loss and its derivative. The derivative is from the original, because the references have only values.
   */
  compareLoss(place, { total, gradients }, entry, live = 'logprob') {
    this.tally.compare(place, total, entry.reference.loss);
    const original = entry.verl ?? entry.trl;
    if (original?.gradient !== undefined) {
      this.tally.compare(
        `${place} gradient`,
        this.#onActions(gradients[live]),
        this.#onActions(flat(original.gradient)),
      );
    }
    this.#remark(place, entry);
  }

  share(sum) {
    return sum / this.tokens;
  }

  remarkEstimator(place, entry) {
    this.#remark(place, entry);
    if (Object.values(entry.nonzero_outside_actions ?? {}).some((count) => count > 0)) {
      this.tally.remarks.push(`${place}: verl leaves numbers outside of action tokens`);
    }
  }

  #remark(place, entry) {
    if (entry.agrees === false) {
      const worst = Object.entries(entry.difference).map(([what, by]) => `${what} by ${by}`);
      this.tally.remarks.push(
        `${place}: ${entry.verl ? 'verl' : 'TRL'} differs from the reference: ${worst.join(', ')}`,
      );
    }
  }

  #onActions(array) {
    return array.filter((_, index) => this.batch.mask[index] === 1);
  }
}

/** How each estimator is checked: a pattern of names, and a function for a recording. */
const ESTIMATORS = [
  [
    /^gae gamma=(\S+) lambda=(\S+?)( bootstrap)?$/,
    async (recording, place, [gamma, lambda, bootstrap], { reference }) => {
      const options = {
        level: 'token',
        tokenDiscount: Number(gamma),
        lambda: Number(lambda),
        bootstrap: bootstrap !== undefined,
      };
      await recording.advantages(place, 'ppo', { ...options, whiten: true }, reference);
      await recording.advantages(
        `${place} raw`,
        'ppo',
        { ...options, whiten: false },
        {
          advantages: reference.advantages_raw,
          returns: reference.returns,
        },
      );
    },
  ],
  [/^grpo( vectorized)?$/, (recording, place, _, { reference }) => recording.advantages(place, 'grpo', {}, reference)],
  [
    /^grpo without std$/,
    (recording, place, _, { reference }) => recording.advantages(place, 'grpo', { scaling: 'none' }, reference),
  ],
  [/^rloo( vectorized)?$/, (recording, place, _, { reference }) => recording.advantages(place, 'rloo', {}, reference)],
  [
    /^reinforce\+\+ gamma=(\S+)$/,
    async (recording, place, [gamma], { reference }) => {
      const options = { baseline: 'none', tokenDiscount: Number(gamma) };
      await recording.advantages(place, 'reinforce-plus-plus', options, { advantages: reference.advantages });
      // The returns before whitening are those of REINFORCE.
      const { advantages } = await recording.advantages(
        place,
        'reinforce',
        { baseline: 'none', normalize: 'none', tokenDiscount: Number(gamma) },
        {},
      );
      recording.tally.compare(`${place} returns`, advantages, flat(reference.returns));
    },
  ],
  [
    /^reinforce\+\+ baseline$/,
    (recording, place, _, { reference }) =>
      recording.advantages(place, 'reinforce-plus-plus', { baseline: 'group' }, reference),
  ],
  [
    /^remax$/,
    async (recording, place, _, { reference }) => {
      const options = { normalize: 'none' };
      await recording.advantages(
        place,
        'reinforce',
        { ...options, baseline: 'greedy' },
        { advantages: reference.advantages },
      );
      await recording.advantages(
        `${place} returns`,
        'reinforce',
        { ...options, baseline: 'none' },
        { advantages: reference.returns },
      );
    },
  ],
  [
    /^rebn gamma=(\S+)$/,
    async (recording, place, [gamma], { reference }) => {
      const options = { baseline: 'none', turnDiscount: Number(gamma) };
      const plain = { advantages: reference.reinforce_advantages };
      await recording.advantages(`${place} returns`, 'reinforce', { ...options, normalize: 'none' }, plain);
      for (const deviation of ['population', 'sample']) {
        const chosen = { ...options, normalize: 'turns', deviation };
        await recording.advantages(`${place} ${deviation}`, 'reinforce', chosen, reference[deviation]);
      }
    },
  ],
];

const LOSSES = [
  [
    /^ppo clip ([\d.]+)(?:\/([\d.]+))?( no dual| dual ([\d.]+))? (\S+)$/,
    async (recording, place, [low, high, dual, most, aggregation], entry) => {
      const clips = {
        clipLow: Number(low),
        clipHigh: Number(high ?? low),
        dualClip: dual === ' no dual' ? null : Number(most ?? 3),
      };
      for (const name of ['ppo', 'grpo']) {
        const made = await recording.loss(name, { ...clips, ...AGGREGATIONS[aggregation](recording.width) });
        recording.compareLoss(`${place} (${name})`, made, entry);
        const { clipped_low, clipped_high, dual_clipped } = made.metrics;
        recording.tally.compare(
          `${place} clipped`,
          recording.share(clipped_low + clipped_high),
          entry.reference.clip_fraction,
        );
        if (clips.dualClip !== null) {
          recording.tally.compare(`${place} dual`, recording.share(dual_clipped), entry.reference.dual_clip_fraction);
        }
      }
    },
  ],
  [
    /^value clip ([\d.]+) (\S+)$/,
    async (recording, place, [clip, aggregation], entry) => {
      const options = { valueClip: Number(clip), ...AGGREGATIONS[aggregation](recording.width) };
      const made = await recording.loss('ppo', options, { ofCritic: true });
      recording.compareLoss(place, made, entry, 'value');
      const { clip_fraction } = entry.reference;
      recording.tally.compare(`${place} clipped`, recording.share(made.metrics.value_clipped), clip_fraction);
    },
  ],
  [
    /^cispo ([\d.]+)\/([\d.]+) (\S+)$/,
    async (recording, place, [low, high, aggregation], entry) => {
      const options = { clipLow: Number(low), clipHigh: Number(high), ...AGGREGATIONS[aggregation](recording.width) };
      recording.compareLoss(place, await recording.loss('cispo', options), entry);
    },
  ],
  [
    /^gspo ([\d.]+) (\S+)$/,
    async (recording, place, [clip, aggregation], entry) => {
      const options = {
        ratioLevel: 'sequence',
        clipLow: Number(clip),
        clipHigh: Number(clip),
        ...AGGREGATIONS[aggregation](recording.width),
      };
      recording.compareLoss(place, await recording.loss('grpo', options), entry);
    },
  ],
];

const none = (recording) => new Float64Array(recording.batch.mask.length);

async function checkKl(recording) {
  const names = { 'k3 straight-through': 'k3-straight-through' };
  for (const [name, entry] of Object.entries(recording.recorded.kl)) {
    const place = `kl ${name}`;
    const options = { klCoefficient: 1, klIn: 'loss', klEstimator: names[name] ?? name, aggregation: 'token-mean' };
    const made = await recording.loss('grpo', options, { advantages: none(recording) });
    const value = (entry.reference ?? entry.verl)['token-mean'];
    recording.tally.compare(place, made.total, value);
    const { mask } = recording.batch;
    const onActions = (array) => array.filter((_, index) => mask[index] === 1);
    const gradient = onActions(made.gradients.logprob);
    recording.tally.compare(`${place} gradient`, gradient, onActions(flat(entry.verl.gradient)));
    // In the reward the same estimator is computed for every token from the sampler's log probabilities: here the live
    // ones replace them.
    if (entry.reference === undefined) continue;
    const rewarded = { ...options, klIn: 'reward', normalize: 'none', baseline: 'none', tokenDiscount: 0 };
    await recording.advantages(
      `${place} in the reward`,
      'reinforce',
      rewarded,
      { advantages: entry.reference.per_token.map((row) => row.map((value) => -value)) },
      { logprobs: recording.live.logprob, rewards: none(recording) },
    );
  }
}

async function checkEntropy(recording) {
  const { reference } = recording.recorded.entropy;
  const options = { entropyCoefficient: 1, aggregation: 'token-mean' };
  const made = await recording.loss('grpo', options, { advantages: none(recording) });
  recording.tally.compare('entropy', -made.total, reference['token-mean']);
  const { mask } = recording.batch;
  const sampled = (array) => array.filter((_, index) => mask[index] === 1);
  recording.tally.compare('entropy per token', sampled(recording.live.entropy), sampled(flat(reference.per_token)));
}

/** One advantage per sequence, as in TRL, written to its action tokens. */
function spread(recording, perRow) {
  const { mask } = recording.batch;
  return mask.reduce((all, sampled, index) => {
    if (sampled === 1) all[index] = perRow[Math.floor(index / recording.width)];
    return all;
  }, none(recording));
}

async function checkTrl(recording) {
  const { advantages, loss_advantages: given, ...losses } = recording.recorded.trl;
  const constants = { deviationEpsilon: 1e-4 };
  for (const [name, perRow] of Object.entries(advantages ?? {})) {
    const scaling = /^grpo scale_rewards=(group|batch|none)$/.exec(name)?.[1];
    if (scaling === undefined && name !== 'rloo') throw new Error(`the recording has an unknown trl entry "${name}"`);
    const made =
      scaling === undefined ? await loadAlgorithm('rloo', {}) : await loadAlgorithm('grpo', { ...constants, scaling });
    const { advantages: ours } = made.advantages(recording.batch, {});
    recording.tally.compare(`trl ${name}`, ours, spread(recording, perRow));
  }
  for (const [name, entry] of Object.entries(losses)) {
    const beta = /^(\S+) beta=([\d.]+)$/.exec(name);
    const delta = /^grpo two-sided delta=([\d.]+)$/.exec(name);
    if (beta === null && delta === null) throw new Error(`the recording has an unknown trl entry "${name}"`);
    const options = {
      clipLow: 0.2,
      clipHigh: 0.2,
      klEstimator: 'k3',
      klCoefficient: Number(beta?.[2] ?? 0),
      ...(delta && { ratioCap: Number(delta[1]) }),
      ...TRL_LOSSES[beta?.[1] ?? 'grpo'](recording.width),
    };
    const made = await recording.loss('grpo', options, { advantages: spread(recording, given) });
    recording.compareLoss(`trl ${name}`, made, entry);
    recording.tally.compare(`trl ${name} of TRL itself`, made.total, entry.trl.loss);
  }
}

/** Runs every entry whose name matches a pattern. An unknown entry is an error, not a pass. */
async function checkEntries(recording, entries, patterns, remark) {
  for (const [name, entry] of Object.entries(entries)) {
    const known = patterns.find(([pattern]) => pattern.test(name));
    if (known === undefined) throw new Error(`the recording has an unknown entry "${name}"`);
    await known[1](recording, name, known[0].exec(name).slice(1), entry);
    if (remark && entry.verl !== undefined) recording.remarkEstimator(name, entry);
  }
}

/** @returns {Promise<Tally>} the comparison of one recording */
export async function compareRecording(file) {
  const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString());
  const tally = new Tally();
  const recording = new Recording(recorded, tally);
  await checkEntries(recording, recorded.estimators, ESTIMATORS, true);
  await checkEntries(recording, recorded.losses, LOSSES, false);
  await checkKl(recording);
  await checkEntropy(recording);
  await checkTrl(recording);
  const lost = Object.entries(recorded.misplaced_rewards?.changed ?? {}).filter(([, changed]) => changed);
  if (lost.length > 0) {
    const names = lost.map(([name]) => name).join(', ');
    tally.remarks.push(
      `a reward on the observation after the action changes verl's ${names}; here the core places rewards`,
    );
  }
  return tally;
}

/** @returns {Promise<number>} the exit code: 0 all agree, 1 some do not, 2 the comparison was not possible */
export async function run(paths) {
  if (!existsSync(new URL('../../dist/testing/index.js', import.meta.url))) {
    console.error('nothing is built: run `npm run build` first');
    return 2;
  }
  const files = paths.flatMap((path) =>
    existsSync(path) && statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.json.gz'))
          .map((name) => join(path, name))
      : [path],
  );
  if (files.length === 0) {
    console.error(`there is no .json.gz in ${paths.join(', ')}`);
    return 2;
  }
  let code = 0;
  for (const file of files) {
    try {
      const { agreed, disagreed, first, remarks } = await compareRecording(file);
      console.log(
        `${basename(file)}: ${agreed} numbers agree, ${disagreed} do not${first ? `; the first: ${first}` : ''}`,
      );
      for (const remark of remarks) console.log(`  ${remark}`);
      if (disagreed > 0) code = Math.max(code, 1);
    } catch (error) {
      console.error(`${file}: ${error.message}`);
      code = 2;
    }
  }
  return code;
}
