import type { PolicyContribution } from '@agentgym/cli';

import { options, validate } from './options.js';
import { remedies } from './remedies.js';
import { optimizers } from './optimizers/declarations.js';
import { presets } from './presets/presets.js';

export default [
  {
    kind: 'policy',
    name: 'transformer',
    summary: 'A decoder-only transformer that samples and trains in-process',
    options,
    validate,
    presets,
    optimizers,
    scratchOptions: ['tokenizer', 'vocabularySize'],
    opensEncoders: true,
    load: () => import('./policy/create-policy.js'),
    diagnose: async ({ cacheDirectory }, settings) =>
      (await import('./policy/diagnose.js')).diagnose({ engineFolder: cacheDirectory, ...settings }),
    remedies,
  } satisfies PolicyContribution<typeof options>,
];
