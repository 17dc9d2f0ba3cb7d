import { options as algorithmOptions } from './algorithm-options.js';
import { options } from './options.js';
export default [
  {
    kind: 'environment',
    name: 'circle',
    summary: 'Say the next number of a circle',
    options,
    facts: ['progress', 'milestones'],
    play: { thread: 'main', instances: 100, observationCharacters: 1000, seconds: { step: 5 } },
    load: () => import('./circle.js'),
    validate: ({ starts }) =>
      starts.length > 0 ? [] : [{ path: ['starts'], message: 'there is no start', hint: 'starts: [0]' }],
    diagnose: (host) => Promise.resolve([{ level: 'ok', message: `circles are round, ${host.cacheDirectory !== ''}` }]),
  },
  {
    kind: 'reward',
    name: 'share',
    summary: 'Most for the outcome, the rest for milestones',
    options: {},
    needs: ['milestones'],
    load: () => import('./share.js'),
  },
  {
    kind: 'format',
    name: 'bare',
    summary: 'A number and nothing else',
    options: {},
    load: () => import('./bare.js'),
  },
  {
    kind: 'algorithm',
    name: 'plain-gradient',
    summary: 'REINFORCE with the mean of a group as its baseline',
    options: algorithmOptions,
    load: () => import('./plain-gradient.js'),
  },
  {
    kind: 'policy',
    name: 'table',
    summary: 'A table of logits',
    options: {},
    presets: [{ name: 'empty', summary: 'All actions alike' }],
    load: () => import('./table.js'),
  },
  {
    kind: 'tool',
    name: 'letters',
    summary: 'Counts letters',
    options: {},
    load: () => import('./letters.js'),
  },
];
