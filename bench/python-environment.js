// A Python with given packages: the interpreter in --python, or a virtual environment in the user's cache folder,
// created on first use.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of what measurements keep. */
export const benchCache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentgym', 'bench');

/** Path of a Python interpreter with these packages; `given` is believed to have them. */
export function pythonWith(name, requirements, given, note = '') {
  if (given !== undefined) return given;
  const folder = join(benchCache, name);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return python;
  mkdirSync(benchCache, { recursive: true });
  console.error(`Installing ${requirements.join(', ')} into ${folder}. ${note}`);
  run('python3', ['-m', 'venv', '--clear', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...requirements]);
  writeFileSync(done, `${requirements.join('\n')}\n`);
  return python;
}

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${status}`);
}
