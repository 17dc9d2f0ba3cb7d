// A Python with PyTorch: the interpreter in --python, or a virtual environment in the user's cache folder, created on
// first use.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const requirement = 'torch>=2.15';

/** Path of a Python interpreter that imports a recent enough torch. */
export function pythonWithTorch(given) {
  if (given !== undefined) return given;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentgym', 'bench');
  const folder = join(cache, 'torch');
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return python;
  mkdirSync(cache, { recursive: true });
  console.error(
    `Installing ${requirement} into ${folder}. It is large; a CPU-only index in PIP_INDEX_URL makes it small.`,
  );
  run('python3', ['-m', 'venv', '--clear', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', requirement, 'numpy']);
  writeFileSync(done, `${requirement}\n`);
  return python;
}

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${status}`);
}
