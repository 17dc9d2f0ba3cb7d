import { policyKit, optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import { create } from './template-name.js';

const actions = ['go north', '17'];
const observations = ['You see a door.', 'The door is closed.', 'higher, 18 to 33'];

async function* corpus(): AsyncGenerator<string> {
  yield* [...actions, ...observations, 'Play well.'];
  await Promise.resolve();
}

describe.each([
  { window: 3, valueHead: false },
  { window: optionDefaults(options).window, valueHead: true },
])('with $window tokens and valueHead: $valueHead', ({ window, valueHead }) => {
  policyKit.describe(
    it,
    { create: () => create({ window }, testHost(), { corpus, valueHead }) },
    { actions, observations },
  );
});
