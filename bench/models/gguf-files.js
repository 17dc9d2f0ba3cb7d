// GGUF files of the model in a Hugging Face folder, by the types of their weights. They are kept.
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { outsideFiles } from '../../dist/files/outside-files.js';
import { exportGguf } from '../../plugins/policy-transformer/dist/policy/export-gguf.js';
import { benchCache } from '../sides/python-environment.js';
import { writeFourBits } from './four-bit-file.js';

/**
 * Q8_0 as `agentgym export --format gguf --dtype q8_0` writes it, and two types of 4 bits: Q4_1, which keeps more, and Q4_0,
 * for which llama.cpp has its fastest code.
 */
export async function ggufFiles(folder) {
  const { mtimeMs, size } = statSync(join(folder, 'model.safetensors'));
  const start = join(benchCache, 'gguf', `${basename(resolve(folder))}-${size}-${Math.floor(mtimeMs)}`);
  const whole = await kept(`${start}-q8_0.gguf`, (file) => exportWhole(folder, file));
  const files = new Map([['Q8_0', whole]]);
  for (const type of ['Q4_1', 'Q4_0']) {
    files.set(type, await kept(`${start}-${type.toLowerCase()}.gguf`, (file) => writeFourBits(whole, file, type)));
  }
  return files;
}

/** The file at a path, which is written on first use. */
async function kept(path, write) {
  if (existsSync(path)) return path;
  mkdirSync(join(benchCache, 'gguf'), { recursive: true });
  // Under its name only once it is complete: a measurement may be interrupted.
  const part = `${path}.${process.pid}.part`;
  await write(part);
  renameSync(part, path);
  return path;
}

function exportWhole(folder, file) {
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const settings = { dtype: 'q8_0', merge: false, name: 'bench', sampling, signal: new AbortController().signal };
  return exportGguf({ thinking: 'template' }, folder, file, settings, outsideFiles);
}
