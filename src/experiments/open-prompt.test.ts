import { expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { babbler, environmentPool, modelActor, rolloutSettings } from '../rollout/fixtures/collect.js';
import { type PromptRequest, withPrompt } from './open-prompt.js';

const own = (task: string): PromptRequest['own'] => ({
  settings: { examples: { expert: 'oracle', count: 1 } },
  kept: { system: '', games: [{ task, observations: ['signal red', 'signal red'], texts: ['stop'], calls: [] }] },
});

function request(changes: Partial<PromptRequest>): PromptRequest {
  const pool = environmentPool();
  const facts = { package: 'test', version: '0', threads: 0, heldBytes: 0, facts: [], found: [] };
  return {
    asked: undefined,
    environment: { ...facts, name: 'signals', options: {}, world: pool.world, pool },
    ...{ horizon: 6, rollout: rolloutSettings },
    settings: { random: createRandom(1), signal: new AbortController().signal },
    ...changes,
  };
}

// Mutation: leave `refuseHeldOut` out.
it("refuses a run's games where options make them held-out tasks", async () => {
  const actor = modelActor(babbler());
  expect(await withPrompt(actor, request({ own: own('train-3') }))).toMatchObject({
    prompt: { examples: { texts: ['stop'] } },
  });
  await expect(withPrompt(actor, request({ own: own('test-3') }))).rejects.toMatchObject({
    ...{ code: 'AG_SPLIT_LEAK', exitCode: 2 },
    message: expect.stringContaining('shows the task "test-3", which is in the validation or test split') as string,
  });
  const without = { own: own('test-3'), asked: { examples: { count: 0 } } };
  expect(await withPrompt(actor, request(without))).toEqual({ ...actor, prompt: {} });
});

// Mutation: take `usualExpert` whatever the run says.
it("lets the run's expert play other games", async () => {
  const asked = { examples: { count: 1 } };
  const nobody = { settings: { examples: { expert: 'nobody' } }, kept: undefined };
  await expect(withPrompt(modelActor(babbler()), request({ own: nobody, asked }))).rejects.toMatchObject({
    code: 'AG_NO_EXPERT',
  });
});

it('refuses examples that leave no room', async () => {
  const actor = modelActor(babbler(), { maxEpisodeTokens: 20 });
  await expect(withPrompt(actor, request({ own: own('train-3') }))).rejects.toMatchObject({
    code: 'AG_DEMONSTRATION',
    message: expect.stringContaining('do not fit into the 20 of an episode') as string,
    hint: expect.stringContaining('`--prompt-examples`') as string,
  });
});
