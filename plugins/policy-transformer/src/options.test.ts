import { optionDefaults } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { options, validate, type TransformerOptions } from './options.js';

const findings = (chosen: Partial<TransformerOptions>) =>
  validate({ ...optionDefaults(options), ...chosen }).map(({ path }) => path[0]);

it.each<[Partial<TransformerOptions>, string | undefined]>([
  [{}, undefined],
  [{ engine: 'tensorflow', precision: 'bfloat16', deterministic: true }, undefined],
  [{ engine: 'native', deterministic: true }, undefined],
  [{ precision: 'bfloat16' }, 'precision'],
  [{ engine: 'webgpu', precision: 'bfloat16' }, 'precision'],
  [{ engine: 'webgpu', deterministic: true }, 'deterministic'],
  [{ engine: 'cuda', deterministic: true }, 'deterministic'],
  [{ loraAlpha: 4 }, 'loraAlpha'],
  [{ loraRank: 4, loraTargets: ['q_projection'] }, 'loraTargets'],
])('%o is refused by %s', (chosen, name) => {
  expect(findings(chosen)).toEqual(name === undefined ? [] : [name]);
});
