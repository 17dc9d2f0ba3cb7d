// What measurements of a model of half a billion parameters need: its folder, and a Python with PyTorch, transformers
// and PEFT.
import { join } from 'node:path';

import { benchCache, pythonWith } from '../python-environment.js';
import { makeRandomModel } from './random-model.js';

/** The model and the interpreter, made on first use, or those of the options. */
export async function openHalfABillion({ folder = join(benchCache, 'half-a-billion'), python }) {
  const note = 'It is large; a CPU-only index in PIP_INDEX_URL makes it small.';
  const packages = ['torch>=2.15', 'numpy', 'transformers>=5', 'peft'];
  const interpreter = pythonWith('peft', packages, python, note);
  await makeRandomModel(folder);
  return { folder, python: interpreter };
}
