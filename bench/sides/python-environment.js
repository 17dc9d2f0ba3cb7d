// A Python with given packages: the interpreter in --python, or a virtual environment in the user's cache folder,
// created on first use.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The cache folder of the command line, where `agentgym doctor --fix` puts engines. */
export const cacheDirectory =
  process.env.AGENTGYM_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentgym');

/** The folder of what measurements keep. */
export const benchCache = join(cacheDirectory, 'bench');

/** Path of a Python interpreter with these packages; `given` is believed to have them. */
export function pythonWith(name, requirements, given, remark = '') {
  if (given !== undefined) return given;
  const folder = join(benchCache, name);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return python;
  mkdirSync(benchCache, { recursive: true });
  console.error(`Installing ${requirements.join(', ')} into ${folder}. ${remark}`);
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

const TRAINING_PACKAGES = ['torch>=2.15', 'numpy', 'transformers>=5'];
const note = 'PyTorch is large; a CPU-only index in PIP_INDEX_URL makes it small.';

/** A Python with PyTorch, transformers and PEFT. */
export function trainingEnvironment(given) {
  return pythonWith('peft', [...TRAINING_PACKAGES, 'peft'], given, note);
}

const TRL_PACKAGES = [...TRAINING_PACKAGES, 'trl', 'datasets', 'accelerate'];

/** A Python with TRL. */
export function trlEnvironment(given) {
  return pythonWith('trl', TRL_PACKAGES, given, note);
}

/** A Python with TRL and PEFT. */
export function trlWithPeftEnvironment(given) {
  return pythonWith('trl-peft', [...TRL_PACKAGES, 'peft'], given, note);
}
