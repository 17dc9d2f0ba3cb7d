// Writes the files that record.py of plugins/policy-transformer/src/checkpoint/gguf/fixtures reads:
//   npx jiti test/gguf/write-recorded-models.ts FOLDER
import { join } from 'node:path';

import { outsideFiles } from '../../src/files/outside-files.js';
import { exportGguf } from '../../plugins/policy-transformer/src/policy/export-gguf.js';
import {
  ggufCases,
  ggufFile,
  writeGgufModel,
} from '../../plugins/policy-transformer/src/checkpoint/gguf/fixtures/gguf-models.js';

const folder = process.argv[2]!;
const sampling = { temperature: 0.5, topP: 0.75, topK: 7 };
const { signal } = new AbortController();
for (const [name, dtype] of ggufCases) {
  await writeGgufModel(join(folder, name), name);
  await exportGguf(
    { thinking: 'template' },
    join(folder, name),
    ggufFile(folder, name, dtype),
    {
      ...{ dtype, merge: false, name, sampling, signal },
    },
    outsideFiles,
  );
}
