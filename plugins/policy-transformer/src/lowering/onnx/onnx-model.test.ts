import { expect, it } from 'vitest';

import { encodeModel } from './onnx-model.js';

// Goes red when a writer of protobuf copies the numbers each time that it grows.
it('needs no memory beside the model that it writes', () => {
  const data = new Float32Array(2 ** 24);
  const initializers = ['a', 'b'].map((name) => ({ name, dimensions: [data.length], type: 'float32' as const, data }));
  const before = process.memoryUsage().arrayBuffers;
  const model = encodeModel({ nodes: [], initializers, inputs: new Map(), outputs: new Map() });
  expect(model.byteLength).toBeGreaterThan(2 * data.byteLength);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1.1 * model.byteLength);
});
