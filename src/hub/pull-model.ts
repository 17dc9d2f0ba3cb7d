import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { TransferEvent } from '../transfers/transfer-event.js';
import { adapterConfigName, chooseModelFiles } from './choose-model-files.js';
import { fillPartial } from './fill-partial.js';
import { callHub, type HubAccess } from './hub-access.js';
import { listModel } from './hub-listing.js';
import { totalBytes, isIntact, refuseContent, replaceFolder, writeLast } from './model-folder.js';
import {
  modelFolder,
  type PulledDocument,
  pulledDocumentName,
  readBase,
  readPulled,
  refuseOtherName,
} from './pulled-model.js';

/** What to pull, and where to. */
export interface PullSettings {
  /** ORG/NAME. */
  readonly model: string;
  /** A branch, a tag or a commit; absent: the hub's default. */
  readonly revision?: string | undefined;
  /** A new or empty folder; absent: the model's folder below `cacheDirectory`, where `policy.from: ORG/NAME` finds it. */
  readonly output?: string | undefined;
  readonly cacheDirectory: string;
  readonly hub: HubAccess;
  readonly onEvent: (event: TransferEvent) => void;
}

/** The result of a pull. */
export interface PulledModel {
  readonly model: string;
  readonly commit: string;
  /** Absolute. */
  readonly folder: string;
  readonly bytes: number;
  /** `present`: the folder was complete, and its hashes are right. */
  readonly outcome: 'pulled' | 'present';
  readonly license?: string | undefined;
  /** The model that it changes, if it is an adapter: ORG/NAME, or what its configuration says. */
  readonly base?: string;
}

/**
 * Pulls the files that a model needs into a folder, which appears when it is complete and every hash is right. A pull
 * that broke off goes on where it ended. A folder with another commit of the model is replaced.
 *
 * @throws AgentgymError AG_COMMAND_USAGE, AG_OUTPUT_EXISTS, AG_MODEL_UNUSABLE, and the codes of `fetchFile`
 */
export async function pullModel(settings: PullSettings): Promise<PulledModel> {
  const { model, hub } = settings;
  refuseOtherName(model, 'Give ORG/NAME, for example `agentgym pull Qwen/Qwen2.5-0.5B-Instruct`.');
  const folder = resolve(settings.output ?? modelFolder(settings.cacheDirectory, model));
  const older = await refuseOtherFolder(folder, model);
  const { commit, license, entries } = await askHub(settings);
  const chosen = chooseModelFiles(model, entries);
  const about = { model, commit, folder, license };
  if (older?.commit === commit) {
    if (await isIntact(folder, older.files, hub.signal)) {
      return { ...about, bytes: totalBytes(older.files), outcome: 'present', ...(await baseOf(folder)) };
    }
    // Its good files are kept: the pull goes on in it as if it had broken off.
    await mkdir(dirname(folder), { recursive: true });
    if (!existsSync(partialOf(folder))) await rename(folder, partialOf(folder));
  }
  const document: PulledDocument = {
    formatVersion: 1,
    model,
    revision: settings.revision,
    commit,
    license,
    files: await fillPartial({ ...settings, commit, chosen }, partialOf(folder)),
  };
  await writeLast(partialOf(folder), pulledDocumentName, document);
  await replaceFolder(partialOf(folder), folder);
  return { ...about, bytes: totalBytes(document.files), outcome: 'pulled', ...(await baseOf(folder)) };
}

/** What an adapter's configuration says of its base. The policy that reads the folder refuses a configuration without. */
async function baseOf(folder: string): Promise<Pick<PulledModel, 'base'>> {
  const base = await readBase(join(folder, adapterConfigName)).catch(() => undefined);
  return typeof base === 'string' ? { base } : {};
}

function askHub({ model, revision, hub }: PullSettings) {
  const subject = revision === undefined ? `model ${model}` : `model ${model} with the revision ${revision}`;
  return callHub(hub, subject, () => listModel(hub, model, revision));
}

/** The document of an older pull of this model. Throws AG_OUTPUT_EXISTS if the folder has other content. */
async function refuseOtherFolder(folder: string, model: string): Promise<PulledDocument | undefined> {
  const pulled = await readPulled(folder);
  if (pulled?.model !== model) await refuseContent(folder, `a pull of ${model}`);
  return pulled;
}

function partialOf(folder: string): string {
  return `${folder}.partial`;
}
