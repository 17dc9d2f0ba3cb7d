import { expect, it } from 'vitest';

import { ReferenceExecutor } from '../executors/fixtures/reference-executor.js';
import { withFacts } from '../executors/fixtures/with-facts.js';
import { ConstantDecodeRunner } from '../generation/constant-decode-runner.js';
import { SessionDecodeRunner } from '../generation/decode-runner.js';
import { small } from '../generation/fixtures/small-models.js';
import { parameterShapes, PROJECTIONS, type Adapter } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { createRunner } from './create-generator.js';

const bytes = 4 * totalElements(parameterShapes(small, { valueHead: false }));
const adapter: Adapter = { rank: 2, scale: 1, targets: PROJECTIONS, dora: false };

const between = { mostFixedBytes: bytes - 1, mostConstantBytes: bytes };
it.each([
  ['of a model that is trained', between, undefined, false, SessionDecodeRunner],
  ['under an adapter', between, adapter, false, ConstantDecodeRunner],
  ['of a model that only samples', between, undefined, true, ConstantDecodeRunner],
  [
    'of a large one that only samples',
    { ...between, mostConstantBytes: bytes - 1 },
    undefined,
    true,
    SessionDecodeRunner,
  ],
  ['of a small one that only samples', { ...between, mostFixedBytes: bytes }, undefined, true, SessionDecodeRunner],
])('chooses how the weights are held: %s', (_, facts, of, samplesOnly, kind) => {
  const executor = withFacts(new ReferenceExecutor(), facts);
  expect(createRunner(small, of, executor, 'float32', samplesOnly)).toBeInstanceOf(kind);
});
