import { resolve } from 'node:path';

import { describeNpmFailure } from './describe-npm-failure.js';
import { runNpm, type NpmSettings } from './run-npm.js';

/**
 * `npm install` in the folder of somebody who develops a plugin: their own scripts run. Throws as `plugins install`
 * does.
 */
export async function installDependencies(folder: string, settings: NpmSettings): Promise<void> {
  try {
    await runNpm(['install', '--ignore-scripts=false'], resolve(folder), settings);
  } catch (error) {
    throw describeNpmFailure(error, resolve(folder));
  }
}
