import type { PolicyContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'policy',
    name: 'tinker',
    summary: 'A model that samples and trains on a server of the Tinker protocol: SkyRL, Tinker',
    options,
    validate,
    presets: [],
    external: true,
    load: () => import('./create-policy.js'),
  } satisfies PolicyContribution<typeof options>,
];
