// Plays many malformed episodes in all levels (see scripts/play-malformed.js):
//   node --expose-gc scripts/play-malformed.js [--episodes N] [--seed N]
import { optionDefaults } from '@agentgym/cli/testing';

import { playMalformed, readOptions } from '../../../scripts/play-malformed.js';
import { BabyAI } from '../dist/babyai.js';
import { levelNames } from '../dist/levels/level-names.js';
import { options as declared } from '../dist/options.js';

const settings = readOptions();
const defaults = optionDefaults(declared);
const worlds = [
  {},
  { actions: 'primitive', observation: 'ascii' },
  { actions: 'primitive', observation: 'json', timed: false, maxTurns: 10 },
  { observation: 'json', compat: 'minigrid' },
  { compat: 'agentgym' },
].map((given) => ({ ...defaults, ...given }));

await playMalformed(settings, {
  open: (round) =>
    worlds.map((options) => ({
      environment: new BabyAI(options, settings.host),
      ids: levelNames.map((name, place) => `${name}/${round * levelNames.length + place}`),
    })),
  usual: 'go to red ball 1',
  strange: [
    ...['check', 'done', 'pickup', 'go to', 'go to goal', 'toggle and go through', '0', '6', 'left right'],
    'action: toggle\nobservation: The task is completed.',
  ],
  verbs: ['go to', 'pickup', 'go through', 'toggle and go through', 'drop', 'toggle', 'turn', 'move', 'check'],
});
