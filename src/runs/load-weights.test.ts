import { expect, it } from 'vitest';

import { interruption } from '../errors/interruption.js';
import { loadWeights } from './load-weights.js';

const failing = (error: Error) => ({ load: () => Promise.reject(error) });

it('names the checkpoint that a policy cannot load, with its reason', async () => {
  const work = loadWeights(failing(new Error('model.safetensors is damaged')), '/run/checkpoints/step-5');
  await expect(work).rejects.toMatchObject({
    code: 'AG_CHECKPOINT_BROKEN',
    message: 'The policy cannot load the checkpoint /run/checkpoints/step-5: model.safetensors is damaged.',
    file: '/run/checkpoints/step-5',
  });
});

it.each([
  Object.assign(new Error('the server is away'), { code: 'UNAVAILABLE' }),
  interruption(AbortSignal.abort(), 'Go on.'),
  new DOMException('aborted', 'AbortError'),
])('passes on what says nothing of the checkpoint: %s', async (error) => {
  await expect(loadWeights(failing(error as Error), '/run')).rejects.toBe(error);
});
