import { resolve } from 'node:path';

import { describeNpmFailure } from './describe-npm-failure.js';
import { runNpm, type NpmSettings } from './run-npm.js';

/**
 * Runs `npm install` in the folder of a plugin developer, including the scripts of the folder. Throws the same errors
 * as `plugins install`.
 */
export async function installDependencies(folder: string, settings: NpmSettings): Promise<void> {
  try {
    await runNpm(['install', '--ignore-scripts=false'], resolve(folder), settings);
  } catch (error) {
    throw describeNpmFailure(error, resolve(folder));
  }
}
