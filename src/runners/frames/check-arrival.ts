// Decides whether a state that a job sent may take its place in the run's folder. A job can add to what is here. It can
// replace what a resumed run replaces, with something complete of the same run, and remove nothing.
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';

import * as v from 'valibot';

import { readTextFile } from '../../files/read-whole-file.js';
import { isAgentgymError } from '../../errors/agentgym-error.js';
import { folderDamage } from '../../runs/checkpoint-files.js';
import { describeDifference, recipeDifference } from '../../runs/recipe-difference.js';
import { readManifest, type RunManifest } from '../../runs/run-manifest.js';
import { shapeProblem } from '../../runs/recorded-shapes.js';
import { readTrainerState } from '../../runs/trainer-state.js';
import { hashOf } from './arriving-files.js';
import { checkpointOf } from './checkpoint-of.js';
import { keptBytes } from './kept-bytes.js';
import { RefusedFrame } from './refused-frame.js';

export interface Arrival {
  /** Folder in which the files have arrived, all complete. */
  readonly from: string;
  /** Their paths. */
  readonly paths: readonly string[];
  /** The run's folder. */
  readonly run: string;
  /** Whether the run's folder is there. */
  readonly exists: boolean;
}

/** @throws RefusedFrame */
export async function checkArrival(arrival: Arrival): Promise<void> {
  const { exists, from, paths, run } = arrival;
  for (const path of paths) if (exists) await refuseLinks(run, path);
  const manifest = await manifestOf(arrival);
  const checkpoints = new Set(paths.flatMap((path) => checkpointOf(path) ?? []));
  for (const name of checkpoints) await checkCheckpoint(arrival, name, manifest);
  for (const path of paths) {
    if (path === 'checkpoints/latest.json') await checkLatest(arrival, checkpoints);
    else if (path === 'result.json') checkResult(await jsonOf(from, path));
    else if (path.startsWith('checkpoints/') && checkpointOf(path) === undefined) {
      throw new RefusedFrame(`${path} belongs to no checkpoint`);
    } else if (exists && isData(path)) await checkData(arrival, path);
  }
}

/** Files that only grow, besides those that have rules of their own. */
function isData(path: string): boolean {
  return !path.startsWith('checkpoints/') && !['manifest.json', 'result.json', 'label.json'].includes(path);
}

/** A link in the folder could lead out of it. */
async function refuseLinks(run: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (const depth of parts.keys()) {
    const place = join(run, ...parts.slice(0, depth + 1));
    const found = await lstat(place).catch(() => undefined);
    if (found === undefined) return;
    const fits = depth === parts.length - 1 ? found.isFile() : found.isDirectory();
    if (!fits) throw new RefusedFrame(`${place} is not a ${depth === parts.length - 1 ? 'file' : 'folder'}`);
  }
}

/** The manifest that the run will have. */
async function manifestOf({ exists, from, paths, run }: Arrival): Promise<RunManifest> {
  if (!paths.includes('manifest.json')) {
    if (exists) return readManifest(run);
    throw new RefusedFrame('the run has no manifest.json');
  }
  const now = await readManifest(from).catch((error: unknown) => {
    if (isAgentgymError(error)) throw new RefusedFrame(error.message.replaceAll(`${from}/`, ''));
    throw error;
  });
  if (!exists) return now;
  const before = await readManifest(run);
  if (now.id !== before.id) throw new RefusedFrame(`manifest.json is of the run ${now.id}, not of ${before.id}`);
  const difference = recipeDifference(before.recipe, now.recipe);
  if (difference !== undefined) {
    throw new RefusedFrame(`manifest.json has another recipe: ${describeDifference(difference)}`);
  }
  const lost = before.sessions.findIndex(({ startedAt }, i) => now.sessions[i]?.startedAt !== startedAt);
  if (lost >= 0) throw new RefusedFrame(`manifest.json lacks session ${lost + 1} of the run`);
  return now;
}

async function checkCheckpoint({ from, paths }: Arrival, name: string, { recipe }: RunManifest): Promise<void> {
  const folder = join(from, 'checkpoints', name);
  const refuse = (problem: string) => new RefusedFrame(`the checkpoint ${name} is incomplete: ${problem}`);
  const listed = await jsonOf(from, `checkpoints/${name}/checksums.json`).catch(() => null);
  const files = v.is(v.looseObject({ files: v.record(v.string(), v.unknown()) }), listed) ? listed.files : {};
  for (const file of Object.keys(files)) {
    if (!paths.includes(`checkpoints/${name}/${file}`)) throw refuse(`${file} is missing`);
  }
  const damage = await folderDamage(folder);
  if (damage !== undefined) throw refuse(damage);
  const step = /^step-(\d+)$/.exec(name)?.[1];
  if (step === undefined) return;
  const state = await readTrainerState(folder);
  if (typeof state === 'string') throw refuse(state);
  if (state.runStep !== Number(step)) throw refuse(`it is of step ${state.runStep}`);
  const difference = recipeDifference(recipe, state.recipe);
  if (difference !== undefined) throw refuse(`it has another recipe: ${describeDifference(difference)}`);
}

/** @param arrived names of the checkpoints that have arrived with it */
async function checkLatest({ from, run }: Arrival, arrived: ReadonlySet<string>): Promise<void> {
  const { checkpoint } = await latestOf(from);
  if (arrived.has(checkpoint)) return;
  const there = await stat(join(run, 'checkpoints', checkpoint)).catch(() => undefined);
  if (there?.isDirectory() !== true) throw new RefusedFrame(`latest.json names the missing checkpoint ${checkpoint}`);
}

const latestSchema = v.object({ formatVersion: v.literal(1), checkpoint: v.pipe(v.string(), v.regex(/^step-\d+$/)) });

/** The checked `latest.json` in a folder. */
export async function latestOf(folder: string): Promise<v.InferOutput<typeof latestSchema>> {
  const { output, success } = v.safeParse(latestSchema, await jsonOf(folder, 'checkpoints/latest.json'));
  if (success) return output;
  throw new RefusedFrame('latest.json names no checkpoint');
}

function checkResult(value: unknown): void {
  const problem = shapeProblem('result', value);
  if (problem !== undefined) throw new RefusedFrame(`result.json is not the result of a run: ${problem}`);
}

async function checkData({ from, run }: Arrival, path: string): Promise<void> {
  const kept = await keptBytes(run, path);
  if (kept === undefined) return;
  const { size } = await stat(join(from, path));
  const isWhole = kept > 0 && path.startsWith('demonstrations/');
  if (isWhole && size > kept) throw new RefusedFrame(`${path} would have ${size} bytes, and the run recorded ${kept}`);
  if (size < kept) throw new RefusedFrame(`${path} would have ${size} bytes, and ${kept} of those here must stay`);
  if ((await hashOf(join(from, path), kept)) === (await hashOf(join(run, path), kept))) return;
  throw new RefusedFrame(`${path} would change within the ${kept} bytes that must stay`);
}

async function jsonOf(folder: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readTextFile(join(folder, path)));
  } catch {
    throw new RefusedFrame(`${path} is not JSON`);
  }
}
