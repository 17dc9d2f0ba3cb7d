// What measurements of a model of half a billion parameters need: its folder, and a Python with PyTorch, transformers
// and PEFT.
import { join } from 'node:path';

import { benchCache, trainingEnvironment } from '../sides/python-environment.js';
import { makeRandomModel } from './random-model.js';

/** The model and the interpreter, made on first use, or those of the options. */
export async function openHalfABillion({ folder = join(benchCache, 'half-a-billion'), python }) {
  const interpreter = trainingEnvironment(python);
  await makeRandomModel(folder);
  return { folder, python: interpreter };
}
