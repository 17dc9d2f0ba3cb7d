// A model on the server. A server may lose it: it is started again, or ends a session that it takes for dead. So the
// operations since the last state that the server saved are remembered, and made again on a new model.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { JsonPlace } from '@agentgym/cli';

import { type Connection, type Reply, Refused, Unavailable } from './connection.js';
import {
  decodePass,
  decodeSample,
  encodePass,
  type ModelPass,
  readPassResult,
  readSampleResult,
  type SampledSequence,
  writePass,
} from './messages.js';

/** Weights that the server keeps, and whether the optimizer's moments are read with them. */
export interface SavedState {
  /** tinker://MODEL/weights/NAME */
  readonly path: string;
  readonly optimizer: boolean;
}

export interface ModelSettings {
  readonly baseModel: string;
  readonly rank: number;
  /** Of the adapter's first weights: a new model has the same ones. */
  readonly seed: number;
  readonly protocol: 'auto' | 'protobuf' | 'json';
  readonly deadlineMilliseconds: number;
  /** Optimizer steps after which the server saves a state. */
  readonly keepSteps: number;
}

export interface AdamSettings {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  readonly grad_clip_norm?: number;
}

export interface SampleRequest {
  readonly tokens: readonly number[];
  readonly parameters: { readonly [name: string]: unknown };
}

/** The server does not have the model or the result any more. */
class Lost extends Error {}

/** One life of the model on the server. */
interface Life {
  readonly ready: Promise<{ readonly session: string; readonly model: string; readonly heartbeat: NodeJS.Timeout }>;
  /** Number of the last request; the server takes them in this order, and each once. */
  requests: number;
  /** Ends when the last request has been taken by the server. */
  submitted: Promise<unknown>;
}

/** Something that the model has to do, in order. */
interface Operation {
  /** `read`: a pass without a gradient, which is not made again. */
  readonly kind: 'pass' | 'read' | 'step' | 'save';
  submit(model: string, request: number): Promise<string>;
  /** Ends when the operation has its result. Later results of the same operation are not read. */
  resolve(reply: Reply): void;
  reject(error: unknown): void;
  /** It had a result once. */
  isDone: boolean;
}

/** Times that the model may be lost before an operation gets its result. */
const MOST_LOSSES = 3;
const HEARTBEAT_MILLISECONDS = 10_000;
/** Results of one request that a server may throw away. */
const MOST_LOST_RESULTS = 10;
/** The path of results, whose log probabilities may be many. */
const RESULT = 'retrieve_future';
const MOST_RESULT_BYTES = 2 ** 28;
/** Servers hold a request until the result is there; a shorter wait shows sooner that one is gone. */
const POLL_MILLISECONDS = 45_000;

export class RemoteModel {
  readonly #connection: Connection;
  readonly #settings: ModelSettings;
  /** An interruption does not end open operations: the run still saves what they made. */
  readonly #ending = new AbortController();
  #state: SavedState | undefined;
  #life: Life | undefined;
  /** Operations after `#state`, in order. */
  #log: Operation[] = [];
  /** Results that operations still wait for. */
  readonly #open = new Set<Promise<Reply>>();
  #losses = 0;
  #sampler: { readonly life: Life; readonly steps: number; readonly session: Promise<string> } | undefined;
  #steps = 0;
  #stepsSinceState = 0;
  /** A state that nobody but this object knows. */
  #kept: string | undefined;
  /** Where the weights of the last sampler are. */
  #samplerPath: string | undefined;
  #samples = 0;
  #binary: boolean | undefined;
  #ended: Error | undefined;

  /** @param state the weights to begin with; absent: the base model with a new adapter */
  constructor(connection: Connection, settings: ModelSettings, state?: SavedState) {
    this.#connection = connection;
    this.#settings = settings;
    this.#state = state;
    if (settings.protocol !== 'auto') this.#binary = settings.protocol === 'protobuf';
  }

  /** Makes a pass over data; its gradient is added up until the next step. @returns log probabilities of each datum */
  async pass(pass: ModelPass): Promise<readonly ArrayLike<number>[]> {
    const reply = await this.#enqueue(pass.forwardOnly ? 'read' : 'pass', (model, request) =>
      this.#submitPass(pass, model, request),
    );
    return this.#read(reply, decodePass, readPassResult);
  }

  /** @returns the server's metrics, which may be absent */
  async step(adam: AdamSettings): Promise<JsonPlace> {
    const reply = await this.#enqueue('step', (model, request) =>
      this.#submit('optim_step', { model_id: model, seq_id: request, adam_params: adam, type: 'optim_step' }),
    );
    this.#steps += 1;
    this.#stepsSinceState += 1;
    return this.#connection.open(reply, RESULT).member('metrics');
  }

  /** Saves a state now and then, so that few steps have to be made again. */
  async keep(): Promise<void> {
    if (this.#stepsSinceState < this.#settings.keepSteps) return;
    const previous = this.#kept;
    this.#kept = await this.save();
    if (previous !== undefined) await this.#discard(previous);
  }

  /** Saves weights and moments on the server. @returns the path of the state */
  async save(): Promise<string> {
    let name = '';
    const reply = await this.#enqueue('save', (model, request) => {
      // A request that is sent twice must not find its own state there.
      name = `state-${this.#steps}-${randomBytes(4).toString('hex')}`;
      return this.#submit('save_weights', { model_id: model, seq_id: request, path: name, type: 'save_weights' });
    });
    const path = this.#connection.open(reply, RESULT).member('path').text();
    const at = this.#log.findIndex(({ kind }) => kind === 'save');
    const before = this.#log.slice(0, at);
    // A state has no gradient, so passes after the last step are still needed.
    const open = before.slice(before.findLastIndex(({ kind }) => kind === 'step') + 1);
    this.#log = [...open, ...this.#log.slice(at + 1)];
    this.#state = { path, optimizer: true };
    this.#stepsSinceState = 0;
    return path;
  }

  /** Continues from a state. */
  async begin(state: SavedState): Promise<void> {
    await this.#renew();
    this.#state = state;
    this.#log = [];
    this.#stepsSinceState = 0;
  }

  /** Whether the model is as it was created: nothing was made with it. */
  get isNew(): boolean {
    return this.#log.length === 0 && (this.#state === undefined || !this.#state.optimizer);
  }

  /** Forgets the passes since the last step. They are left out at once, so that later passes are kept. */
  async forgetPasses(): Promise<void> {
    const forgotten = this.#log.splice(this.#log.findLastIndex(({ kind }) => kind === 'step') + 1);
    if (forgotten.length > 0) await this.#renew();
  }

  /** Forgets the last step with its passes. */
  async forgetStep(): Promise<void> {
    await this.#whenIdle();
    const isStep = ({ kind }: Operation) => kind === 'step';
    const last = this.#log.findLastIndex(isStep);
    const first = this.#log.slice(0, last).findLastIndex(isStep) + 1;
    this.#log.splice(first, last + 1 - first);
    this.#steps -= 1;
    await this.#renew();
  }

  /** Samples with the weights of the last step. */
  async sample({ parameters, tokens }: SampleRequest, signal: AbortSignal): Promise<SampledSequence> {
    for (;;) {
      const life = this.#currentLife();
      try {
        const sampler = await this.#samplerOf(life);
        const ask = (): Promise<string> => {
          const body = {
            ...{ sampling_session_id: sampler, seq_id: (this.#samples += 1), num_samples: 1, type: 'sample' },
            prompt: { chunks: [{ type: 'encoded_text', tokens }] },
            sampling_params: parameters,
          };
          return this.#submit('asample', body, signal);
        };
        const reply = await this.#resultOf(ask, signal);
        this.#losses = 0;
        return this.#read(reply, decodeSample, readSampleResult);
      } catch (error) {
        const lost = readLoss(error);
        if (lost === undefined) throw error;
        this.#lose(life, lost);
      }
    }
  }

  async dispose(): Promise<void> {
    this.#ended ??= new Error('the model was disposed of');
    await this.#unload();
    this.#ending.abort(this.#ended);
  }

  #enqueue(kind: Operation['kind'], submit: Operation['submit']): Promise<Reply> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const result = new Promise<Reply>((resolve, reject) => {
      const life = this.#currentLife();
      const operation: Operation = { kind, submit, resolve, reject, isDone: false };
      this.#log.push(operation);
      this.#drive(operation, life);
    });
    this.#open.add(result);
    const end = () => this.#open.delete(result);
    result.then(end, end);
    return result;
  }

  /** Submits an operation after those before it, and waits for its result beside them. */
  #drive(operation: Operation, life: Life): void {
    const ready = Promise.all([life.ready, life.submitted]);
    const submitted = ready.then(async ([{ model }]) => {
      const request = (life.requests += 1);
      const submit = () => operation.submit(model, request);
      return { submit, first: await submit() };
    });
    life.submitted = submitted;
    submitted
      .then(({ first, submit }) => this.#resultOf(submit, this.#ending.signal, first))
      .then(
        (reply) => {
          // An operation that is made again is no progress.
          if (!operation.isDone) this.#losses = 0;
          operation.isDone = true;
          if (operation.kind === 'read') this.#log = this.#log.filter((other) => other !== operation);
          operation.resolve(reply);
        },
        (error: unknown) => {
          if (readLoss(error) !== undefined && life !== this.#life) return;
          if (readLoss(error) !== undefined && this.#lose(life, error)) return;
          operation.reject(error);
        },
      );
  }

  /** Begins a new life with the operations of the old one. @returns false if the model was lost too often */
  #lose(life: Life, error: unknown): boolean {
    if (life !== this.#life) return true;
    this.#losses += 1;
    void life.ready.then(
      ({ heartbeat }) => clearInterval(heartbeat),
      () => undefined,
    );
    this.#life = undefined;
    if (this.#losses > MOST_LOSSES) {
      const told = error instanceof Error ? error.message : String(error);
      this.#ended = new Unavailable(`the server lost the model ${this.#losses} times: ${told}`, { cause: error });
      for (const operation of this.#log) operation.reject(this.#ended);
      return false;
    }
    this.#currentLife();
    return true;
  }

  /** The life of the model; a new one begins with the operations of the log. */

  #currentLife(): Life {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#life === undefined) {
      const ready = this.#beginLife();
      const life: Life = { ready, requests: this.#state === undefined ? 0 : 1, submitted: Promise.resolve() };
      // A failure is read by each operation of this life.
      ready.catch(() => undefined);
      this.#life = life;
      for (const operation of this.#log) this.#drive(operation, life);
    }
    return this.#life;
  }

  async #beginLife(): Promise<Awaited<Life['ready']>> {
    const { baseModel, rank, seed } = this.#settings;
    const opened = await this.#connection.ask({
      path: 'create_session',
      body: { tags: ['agentgym'], user_metadata: null, sdk_version: 'agentgym', type: 'create_session' },
      signal: this.#ending.signal,
    });
    const session = opened.member('session_id').text();
    const heartbeat = this.#beat(session);
    try {
      let known: JsonPlace | undefined;
      const created = await this.#resultOf(async () => {
        const answer = await this.#connection.ask({
          path: 'create_model',
          body: {
            ...{ session_id: session, model_seq_id: 1, base_model: baseModel, type: 'create_model' },
            lora_config: { rank, seed, train_unembed: true, train_mlp: true, train_attn: true },
          },
          signal: this.#ending.signal,
        });
        known = answer.member('model_id');
        return requestOf(answer);
      }, this.#ending.signal);
      const named = this.#connection.open(created, RESULT).member('model_id');
      const model = (named.isAbsent ? (known ?? named) : named).text();
      if (this.#state !== undefined) {
        const { optimizer, path } = this.#state;
        await this.#resultOf(
          () =>
            this.#submit('load_weights', { ...{ model_id: model, path, optimizer }, seq_id: 1, type: 'load_weights' }),
          this.#ending.signal,
        ).catch((error: unknown) => {
          throw new Unavailable(`${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
      return { session, model, heartbeat };
    } catch (error) {
      clearInterval(heartbeat);
      throw error;
    }
  }

  /** Tells the server that the session is in use. A lost session shows at the next operation. */
  #beat(session: string): NodeJS.Timeout {
    const body = { session_id: session, type: 'session_heartbeat' };
    const beat = () => this.#connection.send({ path: 'session_heartbeat', body, signal: this.#ending.signal });
    return setInterval(() => void beat().catch(() => undefined), HEARTBEAT_MILLISECONDS).unref();
  }

  /** The session that samples with the weights of the last step. */
  #samplerOf(life: Life): Promise<string> {
    const known = this.#sampler;
    if (known?.life === life && known.steps === this.#steps) return known.session;
    const sampler = { life, steps: this.#steps, session: this.#openSampler(life) };
    this.#sampler = sampler;
    sampler.session.catch(() => {
      if (this.#sampler === sampler) this.#sampler = undefined;
    });
    return sampler.session;
  }

  async #openSampler(life: Life): Promise<string> {
    const { model, session } = await life.ready;
    await life.submitted;
    const request = (life.requests += 1);
    const submit = () => {
      const name = `sampler-${this.#steps}-${randomBytes(4).toString('hex')}`;
      return this.#submit('save_weights_for_sampler', {
        ...{ model_id: model, seq_id: request, path: name, type: 'save_weights_for_sampler' },
      });
    };
    const first = submit();
    life.submitted = first;
    const result = await this.#resultOf(submit, this.#ending.signal, await first);
    const path = this.#connection.open(result, RESULT).member('path').text();
    const opened = await this.#connection.ask({
      path: 'create_sampling_session',
      body: {
        ...{ session_id: session, sampling_session_seq_id: request, model_path: path },
        type: 'create_sampling_session',
      },
      signal: this.#ending.signal,
    });
    const id = opened.member('sampling_session_id').text();
    const previous = this.#samplerPath;
    this.#samplerPath = path;
    if (previous !== undefined) await this.#discard(previous);
    return id;
  }

  #read<Value>(reply: Reply, decode: (bytes: Uint8Array) => Value, readJson: (document: JsonPlace) => Value): Value {
    if (!reply.isProtobuf) return readJson(this.#connection.open(reply, RESULT));
    try {
      return decode(reply.bytes);
    } catch (error) {
      throw this.#connection.fault(RESULT, (error as Error).message);
    }
  }

  async #submitPass(pass: ModelPass, model: string, request: number): Promise<string> {
    const send = async (isBinary: boolean, isProbe = false): Promise<string> => {
      const path = !isBinary && pass.forwardOnly ? 'forward' : 'forward_backward';
      const body = isBinary ? encodePass(pass, model, request) : writePass(pass, model, request);
      return requestOf(await this.#connection.ask({ path, body, isProbe, signal: this.#ending.signal }));
    };
    if (this.#binary !== undefined) return send(this.#binary);
    for (const isBinary of [true, false]) {
      try {
        const answer = await send(isBinary, true);
        this.#binary = isBinary;
        return answer;
      } catch (error) {
        // What servers say about a body of another type. Those with FastAPI fail at bytes that are no text.
        if (!(error instanceof Refused) || ![400, 415, 422, 500].includes(error.status)) throw error;
        if (!isBinary && error.status !== 500 && error.status !== 415) throw error;
      }
    }
    // It was a failure, which may pass.
    return send(true);
  }

  async #submit(path: string, body: object | Uint8Array, signal = this.#ending.signal): Promise<string> {
    return requestOf(await this.#connection.ask({ path, body, signal }));
  }

  /** Waits for the result of a request, which is made again if the server has thrown its result away. */
  async #resultOf(submit: () => Promise<string>, signal: AbortSignal, first?: string): Promise<Reply> {
    const end = performance.now() + this.#settings.deadlineMilliseconds;
    try {
      let request = first ?? (await submit());
      let lost = 0;
      for (let polls = 0; performance.now() < end; polls += 1) {
        const body = { request_id: request };
        const reply = await this.#connection.send({
          path: RESULT,
          body,
          signal,
          milliseconds: POLL_MILLISECONDS,
          mostBytes: MOST_RESULT_BYTES,
          isPoll: true,
        });
        if (reply.status !== 408 && reply.status !== 410) return reply;
        if (reply.status === 410) {
          lost += 1;
          if (lost > MOST_LOST_RESULTS) throw new Unavailable(`the server discarded ${lost} results of a request`);
          request = await submit();
        }
        // A server that holds no request must not be asked thousands of times.
        await sleep(Math.min(1000, 10 * 2 ** polls), undefined, { signal: AbortSignal.any([signal]) });
      }
    } catch (error) {
      throw readLoss(error) ?? error;
    }
    throw new Unavailable(`the server returned no result in ${this.#settings.deadlineMilliseconds / 1000} s`);
  }

  /** Deletes weights that are not needed any more, as far as the server can: tinker://MODEL/KIND/NAME. */
  async #discard(path: string): Promise<void> {
    // It is a part of an address then.
    if (!/^tinker:\/\/[\w:.-]+(\/[\w:.-]+)+$/.test(path) || path.includes('..')) return;
    const [model, ...rest] = path.replace('tinker://', '').split('/');
    const request = { path: `training_runs/${model}/checkpoints/${rest.join('/')}`, method: 'DELETE' as const };
    try {
      await this.#connection.send({
        ...request,
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(5000)]),
      });
    } catch {
      // They stay on the server.
    }
  }

  /** Leaves the model; the next request begins a new one with what is left of the log. */
  async #renew(): Promise<void> {
    await this.#whenIdle();
    await this.#unload();
  }

  async #whenIdle(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  /** Frees the model on the server, as far as it answers. */
  async #unload(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    this.#sampler = undefined;
    if (life === undefined) return;
    try {
      const { heartbeat, model } = await life.ready;
      clearInterval(heartbeat);
      const body = { model_id: model, type: 'unload_model' };
      await this.#connection.send({ path: 'unload_model', body, signal: AbortSignal.timeout(5000) });
    } catch {
      // The server ends a silent session itself.
    }
  }
}

function requestOf(answer: JsonPlace): string {
  return answer.member('request_id').text();
}

/** The loss of the model, if this error says so. */
function readLoss(error: unknown): Lost | undefined {
  if (error instanceof Lost) return error;
  if (!(error instanceof Refused)) return undefined;
  const isGone =
    error.status === 404 ||
    (error.status === 400 && /not loaded|unknown (model|session)|not found/i.test(error.message));
  return isGone ? new Lost(error.message, { cause: error }) : undefined;
}
