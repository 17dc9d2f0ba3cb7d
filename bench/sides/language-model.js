// The language model that a measurement is told to take.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { root } from './our-side.js';
import { UsageError } from './usage-error.js';

/**
 * The folder of a model, and its name in results.
 * @param text a Hugging Face folder, or what `agentgym pull` takes, such as smollm2-135m
 */
export function openLanguageModel(text) {
  if (existsSync(text)) return { folder: resolve(text), name: basename(resolve(text)) };
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'bin/run.js'), 'pull', text, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new UsageError(`${text} is neither a folder nor a model that agentgym pull finds`);
  return { folder: JSON.parse(stdout).folder, name: text };
}
