import { existsSync } from 'node:fs';

import type { Recipe } from '../../config/recipe-schema.js';
import { findPulledModel, isModelName, readPulled } from '../../hub/pulled-model.js';
import { manifestPath, readManifest } from '../../runs/run-manifest.js';

/** The model from which training began. */
export interface BaseModel {
  /** ORG/NAME on a hub; absent for a folder from elsewhere. */
  readonly name?: string;
  readonly commit?: string;
  readonly license?: string;
  /** Its folder, if it is still there. */
  readonly folder?: string;
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
  const isName = isModelName(from) && !existsSync(from);
  const folder = isName ? findPulledModel(cacheDirectory, from) : from;
  const pulled = folder === undefined ? undefined : await readPulled(folder);
  const name = pulled?.model ?? (isName ? from : undefined);
  return {
    ...(name !== undefined && { name }),
    ...(pulled !== undefined && { commit: pulled.commit }),
    ...(pulled?.license !== undefined && { license: pulled.license }),
    ...(folder !== undefined && existsSync(folder) && { folder }),
  };
}
