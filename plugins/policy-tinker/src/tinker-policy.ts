import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type {
  ConversationEncoder,
  ForwardBackwardResult,
  GeneratedTokens,
  GenerateRequest,
  JsonObject,
  JsonPlace,
  Loss,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  PolicyCapabilities,
  PolicyHost,
  PolicyModel,
  ReferenceModel,
  Sampling,
  TrainingBatch,
} from '@agentgym/cli';

import { Unavailable } from './connection.js';
import type { ModelPass } from './messages.js';
import { hasFiniteLoss, lossPass, placeLogprobs, readPass, sampledRows, splitData } from './datums.js';
import { adamwOptions } from './options.js';
import type { AdamSettings, RemoteModel, SavedState } from './remote-model.js';
import type { ServerFacts } from './servers.js';

export interface TinkerPolicyParts {
  readonly remote: RemoteModel;
  /** Another model on the server that begins with these weights. */
  readonly openCopy: (state: SavedState) => RemoteModel;
  readonly facts: ServerFacts;
  readonly host: Pick<PolicyHost, 'credit' | 'files' | 'openJson'>;
  readonly encoder: ConversationEncoder;
  /** The folder with the files of the tokenizer. */
  readonly folder: string;
  readonly maxTokens: number;
  readonly limits: { readonly sequences: number; readonly tokens: number };
  readonly concurrency: number;
  /** Data for the manifest that does not change. */
  readonly description: JsonObject;
}

/** What a checkpoint says: the weights themselves stay on the server. */
export interface SavedPolicy {
  readonly formatVersion: 1;
  /** tinker://MODEL/weights/NAME */
  readonly state: string;
  readonly policyVersion: number;
  readonly adam: AdamConstants;
}

type AdamConstants = Omit<AdamSettings, 'learning_rate' | 'grad_clip_norm'>;

const STATE_FILE = 'tinker.json';
/** What an encoder is made of; a folder need not have all. */
const TOKENIZER_FILES = [
  ...['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'],
  ...['chat_template.jinja', 'special_tokens_map.json', 'added_tokens.json'],
];
/** Names under which servers tell the norm of the gradient. */
const NORMS = ['skyrl.ai/grad_norm', 'grad_norm', 'unclipped_grad_l2_norm'];

export class TinkerPolicy implements PolicyModel {
  readonly capabilities: PolicyCapabilities;
  readonly encoder: ConversationEncoder;
  readonly #parts: TinkerPolicyParts;
  #version = 0;
  #adam = readAdam({ name: 'adamw', options: {} });
  /** Data of the passes since the last step, and the scale of the first one (see `lossPass`). */
  #data = 0;
  #scale = 0;
  /** A pass had numbers that are not finite, so it was not sent. */
  #isSpoilt = false;
  #sampling = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: TinkerPolicyParts) {
    const { encoder, facts, maxTokens } = parts;
    this.#parts = parts;
    this.encoder = encoder;
    this.capabilities = {
      live: ['logprob'],
      missingOperations: [],
      losses: ['cross_entropy', 'policy_gradient', 'importance_sampling', 'ppo', 'cispo'],
      freeze: true,
      optimizers: ['adamw'],
      ahead: true,
      maxTokens,
      temperature: 1,
      clipsGradients: facts.clips,
      sampler: { independent: false, draws: false, exact: facts.exact, concurrent: true },
    };
  }

  get policyVersion(): number {
    return this.#version;
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    for (const { maxTokens, tokens } of requests) {
      if (tokens.length === 0) throw new RangeError('a request has no tokens to continue');
      if (tokens.length + maxTokens > this.#parts.maxTokens) {
        throw new RangeError(`a sequence may exceed the ${this.#parts.maxTokens} tokens that the policy can hold`);
      }
    }
    return Promise.all(requests.map((request) => this.#inTurn(() => this.#continue(request, sampling, signal))));
  }

  /** The server has the caches. */
  release(_sequences: readonly string[]): void {}

  async forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult> {
    const { facts, host, limits, remote } = this.#parts;
    const { credit } = host;
    refuseTemperature(batch);
    const rows = sampledRows(batch);
    if (rows.rows.length === 0) return this.#evaluate(batch, new Float64Array(batch.rows * batch.width), loss);
    const named = Object.entries(credit.nameTerms(loss)).map(([term, name]) => {
      if (name === undefined) throw new Error(`the server has no loss that equals the term ${term}`);
      return name;
    });
    if (!hasFiniteLoss(rows)) {
      this.#isSpoilt = true;
      return this.#evaluate(batch, await this.logprobs(batch), loss);
    }
    const count = rows.rows.length * named.length;
    this.#data += count;
    if (this.#scale === 0) this.#scale = count;
    const passes = named.map((name) => lossPass(rows, name, facts, this.#scale));
    const requests = passes.map((pass) =>
      Promise.all(splitData(pass.data, limits).map((data) => remote.pass({ ...pass, data }))),
    );
    const [first] = await Promise.all(requests);
    return this.#evaluate(batch, placeLogprobs(rows, (first ?? []).flat()), loss);
  }

  async optimizerStep({ clipNorm, learningRate }: OptimizerStep): Promise<OptimizerStepResult> {
    const { facts, remote } = this.#parts;
    const [data, scale, isSpoilt] = [this.#data, this.#scale, this.#isSpoilt];
    this.#clear();
    if (isSpoilt) {
      await remote.forgetPasses();
      return { gradientNorm: NaN, applied: false };
    }
    // Without a gradient a step would only move by the moments. Others do not make one either.
    if (data === 0 && remote.isNew) return this.#stepped(0);
    const clip = clipNorm === undefined ? {} : { grad_clip_norm: clipNorm };
    const metrics = await remote.step({ learning_rate: learningRate, ...this.#adam, ...clip });
    const told = metrics.isAbsent ? undefined : NORMS.map((name) => metrics.member(name)).find(isThere);
    // JSON writes null for what is no number.
    const norm = told === undefined || told.value === null ? NaN : told.number(0);
    if (told !== undefined && !Number.isFinite(norm)) {
      await remote.forgetStep();
      return { gradientNorm: norm, applied: false };
    }
    await remote.keep();
    // The server's mean is over all data since the last step, and each pass was scaled with the data of the first.
    const isMean = facts.reduction === 'sequence-mean' && data > 0;
    return this.#stepped(isMean ? (norm * data) / scale : norm);
  }

  /** A server has no such call, so the weights move to a new model, without gradients and moments. */
  async resetOptimizer(settings: OptimizerSettings): Promise<void> {
    const { remote } = this.#parts;
    this.#adam = readAdam(settings);
    this.#clear();
    if (remote.isNew) return;
    await remote.begin({ path: await remote.save(), optimizer: false });
  }

  logprobs(batch: TrainingBatch): Promise<Float64Array> {
    return this.#read(this.#parts.remote, batch);
  }

  async freeze(): Promise<ReferenceModel> {
    const { openCopy, remote } = this.#parts;
    const copy = openCopy({ path: await remote.save(), optimizer: false });
    return { logprobs: (batch) => this.#read(copy, batch), dispose: () => copy.dispose() };
  }

  async save(directory: string): Promise<void> {
    const { folder, host, remote } = this.#parts;
    const saved: SavedPolicy = {
      formatVersion: 1,
      state: await remote.save(),
      policyVersion: this.#version,
      adam: this.#adam,
    };
    for (const file of TOKENIZER_FILES) {
      const content = await readIfThere(host.files, join(folder, file));
      if (content !== undefined) await writeFile(join(directory, file), content);
    }
    await writeFile(join(directory, STATE_FILE), `${JSON.stringify(saved, null, 2)}\n`);
  }

  async load(directory: string): Promise<void> {
    const saved = await readSaved(this.#parts.host, directory);
    if (saved === undefined) throw new Error(`${join(directory, STATE_FILE)} does not exist: it is not a checkpoint`);
    await this.#parts.remote.begin({ path: saved.state, optimizer: true });
    this.#version = saved.policyVersion;
    this.#adam = saved.adam;
    this.#clear();
  }

  describe(): JsonObject {
    const { description, facts } = this.#parts;
    return {
      ...description,
      notExact: [
        'the server draws the tokens, so a run cannot be repeated',
        ...(facts.exact ? [] : ['sampling and training may compute log probabilities differently']),
        ...(facts.reduction === 'sum' ? [] : ['gradients of several passes in one step have the scale of the first']),
      ],
    };
  }

  dispose(): Promise<void> {
    return this.#parts.remote.dispose();
  }

  /** No gradient has been added up. */
  #clear(): void {
    [this.#data, this.#scale, this.#isSpoilt] = [0, 0, false];
  }

  #stepped(gradientNorm: number): OptimizerStepResult {
    this.#version += 1;
    return { gradientNorm, applied: true };
  }

  #evaluate(batch: TrainingBatch, logprobs: Float64Array, loss: Loss): ForwardBackwardResult {
    const { metrics, terms } = this.#parts.host.credit.evaluateLoss(batch, { logprob: logprobs }, loss);
    return { logprobs, terms, metrics };
  }

  async #read(model: RemoteModel, batch: TrainingBatch): Promise<Float64Array> {
    refuseTemperature(batch);
    const rows = sampledRows(batch);
    const pass: ModelPass = readPass(rows);
    const parts = splitData(pass.data, this.#parts.limits);
    const answers = await Promise.all(parts.map((data) => model.pass({ ...pass, data })));
    return placeLogprobs(rows, answers.flat());
  }

  async #continue(
    request: GenerateRequest,
    sampling: Sampling,
    signal = new AbortController().signal,
  ): Promise<GeneratedTokens> {
    const { draws, endIds, maxTokens, tokens } = request;
    const { temperature, topK, topP } = sampling;
    const parameters = {
      ...{ max_tokens: maxTokens, temperature, stop: endIds, top_p: topP, top_k: topK === 0 ? -1 : topK },
      // The server draws by itself. A seed out of our own numbers makes its draws depend on the run's seed.
      seed: Math.min(2 ** 31 - 1, Math.floor((draws[0] ?? 0) * 2 ** 31)),
    };
    const answer = await this.#parts.remote.sample({ tokens, parameters }, signal);
    const [count, given] = [answer.tokens.length, answer.logprobs.length];
    if (given !== count) throw new Unavailable(`the server returned ${given} log probabilities for ${count} tokens`);
    if (count === 0 || count > maxTokens) {
      throw new Unavailable(`the server sampled ${count} tokens where it was asked for 1 to ${maxTokens}`);
    }
    return { ...answer, ended: endIds.includes(answer.tokens.at(-1) ?? -1) };
  }

  /** Runs a request when fewer than `concurrency` others run. */
  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#sampling >= this.#parts.concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#sampling += 1;
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#sampling -= 1;
      else next();
    }
  }
}

function isThere({ value }: JsonPlace): boolean {
  return value !== undefined;
}

/** At temperature 0, log probabilities are those at temperature 1. */
function refuseTemperature({ temperature }: TrainingBatch): void {
  if (temperature === 0 || temperature === 1) return;
  throw new Error(`the server computes log probabilities at temperature 1, not ${temperature}`);
}

/** The checkpoint in a folder. Undefined: there is none. */
export async function readSaved(
  { files, openJson }: Pick<PolicyHost, 'files' | 'openJson'>,
  folder: string,
): Promise<SavedPolicy | undefined> {
  const path = join(folder, STATE_FILE);
  const content = await readIfThere(files, path);
  if (content === undefined) return undefined;
  const saved = openJson(String(content), (problem) => new Error(`${path} is not the state of a policy: ${problem}`));
  if (saved.member('formatVersion').value !== 1) throw new Error(`${path} is of another version of agentgym`);
  const adam = saved.member('adam');
  return {
    formatVersion: 1,
    state: saved.member('state').text(),
    policyVersion: saved.member('policyVersion').integer(0),
    adam: {
      beta1: adam.member('beta1').number(0, 1),
      beta2: adam.member('beta2').number(0, 1),
      eps: adam.member('eps').number(0),
      weight_decay: adam.member('weight_decay').number(0),
    },
  };
}

/** Undefined if there is no such file. */
async function readIfThere(files: PolicyHost['files'], path: string): Promise<Buffer | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws Error for an optimizer or a constant that servers do not have */
function readAdam({ name, options }: OptimizerSettings): AdamConstants {
  if (name !== 'adamw') throw new Error(`servers have the optimizer adamw, not ${name}`);
  const other = Object.keys(options).find((option) => !Object.hasOwn(adamwOptions, option));
  if (other !== undefined) throw new Error(`the optimizer adamw of a server has no option ${other}`);
  const defaults = Object.entries(adamwOptions).map(([option, declared]) => [option, declared.default] as const);
  const { beta1, beta2, epsilon, weightDecay } = { ...Object.fromEntries(defaults), ...options };
  return {
    beta1: Number(beta1),
    beta2: Number(beta2),
    eps: Number(epsilon),
    weight_decay: Number(weightDecay),
  };
}
