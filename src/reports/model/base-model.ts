import { existsSync, statSync } from 'node:fs';

import type { Recipe } from '../../config/recipe-schema.js';
import { findFetchedModel, isFetchedName } from '../../hub/fetched-model.js';
import { knownModel } from '../../hub/known-models.js';
import { shownSource } from '../../hub/model-source.js';
import { readPulled } from '../../hub/pulled-model.js';
import { manifestPath, readManifest } from '../../runs/run-manifest.js';

/** The model from which training began. */
export interface BaseModel {
  /** ORG/NAME on a hub, or another name by which it can be pulled; absent for a file or a folder from elsewhere. */
  readonly name?: string | undefined;
  readonly commit?: string | undefined;
  readonly license?: string | undefined;
  /** Its folder, if it is still there. */
  readonly folder?: string | undefined;
}

/** Runs may begin from runs. Longer chains are loops of folders that were moved. */
const longestChain = 100;

/** The model from which a recipe's training began, through all runs between. Undefined for a model from scratch. */
export async function findBaseModel(
  { policy: { from } }: Recipe,
  cacheDirectory: string,
  depth = 0,
): Promise<BaseModel | undefined> {
  if (from === undefined || depth > longestChain) return undefined;
  if (existsSync(manifestPath(from))) {
    const { recipe } = await readManifest(from);
    return findBaseModel(recipe, cacheDirectory, depth + 1);
  }
  const isName = isFetchedName(from) && !existsSync(from);
  const folder = isName ? findFetchedModel(cacheDirectory, from) : from;
  const pulled = folder === undefined ? undefined : await readPulled(folder);
  const isThere = folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return {
    name: pulled?.model ?? (isName ? shownSource(from) : undefined),
    commit: pulled?.commit,
    license: pulled?.license ?? knownModel(from)?.license,
    folder: isThere ? folder : undefined,
  };
}
