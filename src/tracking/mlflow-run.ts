import { createHash } from 'node:crypto';
import { join } from 'node:path';

import * as v from 'valibot';

import { readKnownJson } from '../files/read-known-json.js';
import { writeJsonAtomically } from '../runs/durable-files.js';
import { type MlflowClient, MlflowRefusal, TrackingFailure } from './mlflow-client.js';
import { metricValue, mlflowKey, mostPerRequest, paramValue, tagValue } from './mlflow-names.js';
import { type KnownRun, readMlflowRun } from './read-mlflow-run.js';

/** One value of a curve. */
export interface MetricPoint {
  readonly name: string;
  readonly value: number;
  /** Step of the whole run. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** What identifies a run on MLflow: a run with this tag that began at this time is the same run. */
export interface MlflowIdentity {
  readonly tag: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  /** Name in MLflow's lists. */
  readonly name: string;
}

export type MlflowStatus = 'RUNNING' | 'FINISHED' | 'FAILED' | 'KILLED';

/** `mlflow.json` in the folder of a run or an ablation: its run on MLflow. */
const recordSchema = v.object({
  formatVersion: v.literal(1),
  /** Host and port of the server. The address may contain more that is secret. */
  host: v.string(),
  experimentId: v.string(),
  runId: v.string(),
});
type MlflowRecord = v.InferOutput<typeof recordSchema>;

/** A file that is stored with a run. */
export interface StoredFile {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The tag with the digest of the stored files. */
const artifactsTag = 'agentgym.artifacts';

/** Numbers of what was sent and refused since the run was opened. */
export interface SentCounts {
  readonly points: number;
  readonly artifacts: number;
  /** Sentences about what the server refuses, each once. */
  readonly refusals: readonly string[];
}

export function sumOfSent(all: readonly (SentCounts | undefined)[]): SentCounts {
  const parts = all.filter((part) => part !== undefined);
  return {
    points: parts.reduce((sum, { points }) => sum + points, 0),
    artifacts: parts.reduce((sum, { artifacts }) => sum + artifacts, 0),
    refusals: [...new Set(parts.flatMap(({ refusals }) => refusals))],
  };
}

/**
 * A run on MLflow. MLflow can neither change nor remove a logged value, so everything is compared with what the server
 * already has, and only the rest is sent: a curve gets only steps after its last one.
 */
export class MlflowRun {
  readonly #client: MlflowClient;
  /** The run as the server has it now. */
  readonly #known: KnownRun;
  readonly #refusals = new Set<string>();
  #points = 0;
  #artifacts = 0;

  private constructor(client: MlflowClient, known: KnownRun) {
    this.#client = client;
    this.#known = known;
  }

  /**
   * Finds the run on the server, or creates it, and notes its id in the folder. A run that was deleted on the server is
   * created anew.
   *
   * @throws TrackingFailure
   */
  static async open(
    client: MlflowClient,
    folder: string,
    identity: MlflowIdentity,
    signal: AbortSignal,
  ): Promise<MlflowRun> {
    const record = await readMlflowRecord(folder, client.access.host);
    const run = await definite(client, async () => {
      const known = record === undefined ? undefined : await getRun(client, record.runId, signal);
      if (known !== undefined) return known;
      const experimentId = await findExperiment(client, signal);
      return (
        (await findRun(client, experimentId, identity, signal)) ??
        (await createRun(client, experimentId, identity, signal))
      );
    });
    const { experimentId, runId } = run;
    if (record?.runId !== runId) {
      const fresh: MlflowRecord = { formatVersion: 1, host: client.access.host, experimentId, runId };
      await writeJsonAtomically(recordPath(folder), fresh);
    }
    return new MlflowRun(client, run);
  }

  get runId(): string {
    return this.#known.runId;
  }

  get sent(): SentCounts {
    return { points: this.#points, artifacts: this.#artifacts, refusals: [...this.#refusals] };
  }

  /** Sets tags that differ, and logs params that are missing. MLflow refuses to change a param. */
  async describe(
    tags: { readonly [key: string]: string },
    params: { readonly [key: string]: string },
    signal: AbortSignal,
  ) {
    const newTags = Object.entries(tags)
      .map(([key, value]) => ({ key: mlflowKey(key), value: tagValue(value) }))
      .filter(({ key, value }) => this.#known.tags.get(key) !== value);
    await this.#log('tags', newTags, signal, ({ key, value }) => this.#known.tags.set(key, value));
    const newParams = Object.entries(params)
      .map(([key, value]) => ({ key: mlflowKey(key), value: paramValue(value) }))
      .filter(({ key }) => !this.#known.params.has(key));
    await this.#log('params', newParams, signal, ({ key }) => this.#known.params.add(key));
  }

  /** Adds points that the server lacks. They must come in the order of their steps. */
  async add(points: readonly MetricPoint[], signal: AbortSignal): Promise<void> {
    const missing = points
      .map(({ name, value, step, timestamp }) => ({
        key: mlflowKey(name),
        value: metricValue(value),
        timestamp: Math.round(timestamp),
        step,
      }))
      .filter(({ key, step }) => step > (this.#known.steps.get(key) ?? -Infinity));
    this.#points += await this.#log('metrics', missing, signal, ({ key, step }) => this.#known.steps.set(key, step));
  }

  /**
   * Stores files, unless the server has them: a tag keeps their digest. If it does not serve artifacts, or refuses a
   * file, `sent.refusals` says so.
   *
   * @param pages further files that take time to make, and that only depend on the others
   */
  async store(
    files: readonly StoredFile[],
    pages: () => Promise<readonly StoredFile[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const hash = createHash('sha256');
    for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
    const digest = hash.digest('hex');
    if (this.#known.tags.get(artifactsTag) === digest) return;
    const isServed = proxiedRoot(this.#known.artifactUri, this.#client.access) !== undefined;
    const all = isServed ? [...files, ...(await pages())] : files;
    if (await this.#put(all, signal)) await this.describe({ [artifactsTag]: digest }, {}, signal);
  }

  /** Stores files through the server's proxy. Returns whether the server has all of them. */
  async #put(files: readonly StoredFile[], signal: AbortSignal): Promise<boolean> {
    const root = proxiedRoot(this.#known.artifactUri, this.#client.access);
    const { host } = this.#client.access;
    const notServed = `${host} does not serve artifacts (\`mlflow server --serve-artifacts\` does), so it gets no files`;
    if (root === undefined) {
      this.#refusals.add(notServed);
      return false;
    }
    let stored = 0;
    for (const { name, content } of files) {
      try {
        await this.#client.putArtifact(`${root}/${name}`, content, signal);
        stored += 1;
      } catch (error) {
        if (!(error instanceof MlflowRefusal)) throw error;
        const isServed = error.code !== 'ARTIFACTS_NOT_SERVED';
        this.#refusals.add(isServed ? `${host} refuses the file ${name}: ${error.message}` : notServed);
        if (!isServed) break;
      }
    }
    this.#artifacts += stored;
    return stored === files.length;
  }

  /** @param endTime milliseconds since 1970; absent: the run has not ended */
  async setStatus(status: MlflowStatus, signal: AbortSignal, endTime?: number): Promise<void> {
    if (this.#known.status === status) return;
    const document = {
      run_id: this.#known.runId,
      status,
      ...(endTime !== undefined && { end_time: Math.round(endTime) }),
    };
    await definite(this.#client, () => this.#client.post('runs/update', document, signal));
    this.#known.status = status;
  }

  /**
   * Logs items in parts. A part that MLflow refuses would be refused again, so it is noted, and does not hold the rest.
   *
   * @param note hears of each item that the server has, or refuses
   * @returns the number of items that the server took
   */
  async #log<Item extends object>(
    kind: keyof typeof mostPerRequest,
    items: readonly Item[],
    signal: AbortSignal,
    note: (item: Item) => void,
  ): Promise<number> {
    const { host } = this.#client.access;
    let taken = 0;
    for (const part of partsOf(items, mostPerRequest[kind])) {
      try {
        await this.#client.post('runs/log-batch', { run_id: this.runId, [kind]: part }, signal);
        taken += part.length;
      } catch (error) {
        if (!(error instanceof MlflowRefusal)) throw error;
        // Somebody deleted the run.
        if (isMissing(error) || /'active' state/.test(error.message)) {
          throw new TrackingFailure(`${host} no longer has the run ${this.runId}`);
        }
        this.#refusals.add(`${host} refuses ${part.length} ${kind}: ${error.message}`);
      }
      part.forEach(note);
    }
    return taken;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof MlflowRefusal && error.code === 'RESOURCE_DOES_NOT_EXIST';
}

/** The run of a folder on this server; undefined if the folder has none there. */
export async function readMlflowRecord(folder: string, host: string): Promise<MlflowRecord | undefined> {
  const record = await readKnownJson(recordSchema, recordPath(folder));
  return record?.host === host ? record : undefined;
}

function recordPath(folder: string): string {
  return join(folder, 'mlflow.json');
}

/** Undefined if the server does not have it, or somebody deleted it there. */
async function getRun(client: MlflowClient, runId: string, signal: AbortSignal): Promise<KnownRun | undefined> {
  try {
    const run = readMlflowRun((await client.get('runs/get', { run_id: runId }, signal)).member('run'));
    return run.isActive ? run : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A run that was created before, but whose id did not arrive or was lost with a file. */
async function findRun(
  client: MlflowClient,
  experimentId: string,
  { tag, value, startTime }: MlflowIdentity,
  signal: AbortSignal,
): Promise<KnownRun | undefined> {
  const filter = `tags.\`${tag}\` = '${value.replaceAll("'", '')}' and attributes.start_time = ${startTime}`;
  const search = { experiment_ids: [experimentId], filter, max_results: 1 };
  const runs = (await client.post('runs/search', search, signal)).member('runs');
  const [first] = runs.isAbsent ? [] : runs.items();
  return first && getRun(client, first.member('info').member('run_id').text(), signal);
}

async function createRun(
  client: MlflowClient,
  experimentId: string,
  { tag, value, startTime, name }: MlflowIdentity,
  signal: AbortSignal,
): Promise<KnownRun> {
  const tags = [{ key: tag, value: value.replaceAll("'", '') }];
  const run = { experiment_id: experimentId, start_time: startTime, run_name: name, tags };
  return readMlflowRun((await client.post('runs/create', run, signal)).member('run'));
}

/** The id of the experiment; one that is missing is created, as MLflow's client does. */
async function findExperiment(client: MlflowClient, signal: AbortSignal): Promise<string> {
  const { experiment } = client.access;
  if ('id' in experiment) return experiment.id;
  const { name } = experiment;
  const find = async () => {
    const found = await client.get('experiments/get-by-name', { experiment_name: name }, signal);
    return found.member('experiment').member('experiment_id').text();
  };
  try {
    return await find();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    return (await client.post('experiments/create', { name }, signal)).member('experiment_id').text();
  } catch (error) {
    // Another run created it in between.
    if (error instanceof MlflowRefusal && error.code === 'RESOURCE_ALREADY_EXISTS') return find();
    throw error;
  }
}

/** Requests without which nothing else can be sent: their refusal is a failure. */
async function definite<T>({ access }: MlflowClient, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MlflowRefusal) throw new TrackingFailure(`${access.host} refuses: ${error.message}`, false);
    throw error;
  }
}

/**
 * The path of a run's artifacts in the store behind the server's proxy; undefined if they are elsewhere. Credentials go
 * to the tracking server only, so a proxy on another host is not used.
 */
function proxiedRoot(
  uri: string,
  { address, host }: { readonly address: string; readonly host: string },
): string | undefined {
  const own = /^mlflow-artifacts:(?:\/\/([^/]*))?\/*(.*)$/.exec(uri);
  if (own !== null) return ['', host].includes(own[1] ?? '') ? own[2] : undefined;
  const proxy = `${address}/api/2.0/mlflow-artifacts/artifacts/`;
  return uri.startsWith(proxy) ? uri.slice(proxy.length) : undefined;
}

function partsOf<T>(items: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most));
}
