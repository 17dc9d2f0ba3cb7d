import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validateCoins, validateCooking, validateFiles } from './options.js';

const textworld = {
  kind: 'environment',
  facts: ['progress', 'milestones'],
  // 256 games with what was visited of them, and the facts of many more tasks.
  play: { megabytes: 150 },
} as const;

export default [
  {
    ...textworld,
    name: 'textworld-custom',
    summary: 'TextWorld: generated houses with a quest of any length, the games of the Practitioner’s Guide',
    options: options.custom,
    load: () => import('./worlds/custom.js'),
  } satisfies EnvironmentContribution<typeof options.custom>,
  {
    ...textworld,
    name: 'textworld-simple',
    summary: 'TextWorld: find the food of a fixed house and put it on the stove',
    options: options.simple,
    load: () => import('./worlds/simple.js'),
  } satisfies EnvironmentContribution<typeof options.simple>,
  {
    ...textworld,
    name: 'textworld-coin-collector',
    summary: 'TextWorld: find a coin at the end of a chain of rooms with dead ends',
    options: options['coin-collector'],
    validate: validateCoins,
    load: () => import('./worlds/coin-collector.js'),
  } satisfies EnvironmentContribution<(typeof options)['coin-collector']>,
  {
    ...textworld,
    name: 'textworld-treasure-hunter',
    summary: 'TextWorld: take the right one of two things',
    options: options['treasure-hunter'],
    load: () => import('./worlds/treasure-hunter.js'),
  } satisfies EnvironmentContribution<(typeof options)['treasure-hunter']>,
  {
    ...textworld,
    name: 'textworld-cooking',
    summary: 'TextWorld: read a recipe, gather, cut and cook its ingredients, and eat the meal',
    options: options.cooking,
    validate: validateCooking,
    load: () => import('./worlds/cooking.js'),
  } satisfies EnvironmentContribution<typeof options.cooking>,
  {
    ...textworld,
    name: 'textworld-files',
    summary: 'TextWorld: games from files, played by the engine or by their stories',
    options: options.files,
    validate: validateFiles,
    load: () => import('./worlds/files.js'),
  } satisfies EnvironmentContribution<typeof options.files>,
];
