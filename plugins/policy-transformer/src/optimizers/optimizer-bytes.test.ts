import { expect, it } from 'vitest';

import { ONNX_RUNTIME_FACTS } from '../executors/onnx-runtime-executor.js';
import { HostRoundedState } from '../executors/host-rounded-state.js';
import { HostState } from '../executors/host-state.js';
import type { Executor } from '../executors/executor.js';
import { trainableShapes } from '../model/parameters.js';
import { gradientState } from '../model/training-graph.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { createOptimizer } from './create-optimizer.js';
import { optimizerBytes } from './optimizer-bytes.js';

const shapes = trainableShapes(presetConfig('nano', 300, 128), { valueHead: true });

// Goes red when an optimizer keeps another moment.
it.each([
  ['adamw', {}],
  ['adamw', { stateDtype: 'bfloat16' }],
  ['muon', {}],
  ['muon', { stateDtype: 'bfloat16' }],
  ['sgd', {}],
  ['sgd', { momentum: 0.9 }],
])('counts the moments that %s with %o allocates', (name, options) => {
  // Optimizers allocate when they are made, and compile when they step.
  const executor = {
    ...ONNX_RUNTIME_FACTS,
    allocate: (of: typeof shapes) => new HostState(of),
    allocateRounded: (of: typeof shapes) => new HostRoundedState(of),
  } as unknown as Executor;
  const gradients = new Map([...shapes].map(([parameter, shape]) => [gradientState(parameter), shape]));
  const trained = { parameters: new HostState(shapes), gradients: new HostState(gradients) };
  const { moments } = createOptimizer({ name, options }, trained, executor);
  const bytes = moments.reduce(
    (sum, { shapes: of, type }) => sum + totalElements(of) * (type === 'float32' ? 4 : 2),
    0,
  );
  expect(optimizerBytes({ name, options }, shapes).moments).toBe(bytes);
});

it('refuses what createOptimizer refuses', () => {
  expect(() => optimizerBytes({ name: 'adam', options: {} }, shapes)).toThrow(/no optimizer "adam"; available: adamw/);
  expect(() => optimizerBytes({ name: 'sgd', options: { beta1: 0 } }, shapes)).toThrow(/has no option beta1/);
});
