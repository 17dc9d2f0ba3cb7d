import type { PolicyContribution } from '@agentgym/cli';

import { adamwOptions, options, validate } from './options.js';

export default [
  {
    kind: 'policy',
    name: 'tinker',
    summary: 'A model that samples and trains on a server of the Tinker protocol: SkyRL, Tinker',
    options,
    validate,
    presets: [],
    optimizers: [{ name: 'adamw', summary: 'AdamW of the server', options: adamwOptions }],
    external: true,
    load: () => import('./create-policy.js'),
  } satisfies PolicyContribution<typeof options>,
];
