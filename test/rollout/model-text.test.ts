// Every text of a model is an action, at least an invalid one. It never causes an exception or a failed episode.
import { describe, expect, it } from 'vitest';

import { GuessNumber } from '../../plugins/env-guess-number/src/guess-number.js';
import { options as guessNumberOptions } from '../../plugins/env-guess-number/src/options.js';
import { options as textcraftOptions } from '../../plugins/env-textcraft/src/options.js';
import { TextCraft } from '../../plugins/env-textcraft/src/textcraft.js';
import { plainOptions } from '../../plugins/format-standard/src/options.js';
import { create as createPlain } from '../../plugins/format-standard/src/plain.js';
import type { Environment } from '../../src/contracts/environment.js';
import type { PolicyModel } from '../../src/contracts/policy.js';
import type { Actor } from '../../src/rollout/actor.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { babbler, collectOptions, modelActor } from '../../src/rollout/fixtures/collect.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';

const tenMegabytes = 10_000_000;
const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');

const texts: readonly [what: string, text: string][] = [
  ['nothing', ''],
  ['white space', ' \t\r\n '],
  ['10 MB of letters', 'x'.repeat(tenMegabytes)],
  ['10 MB of spaces', ' '.repeat(tenMegabytes)],
  ['10 MB of digits', '7'.repeat(tenMegabytes)],
  ['10 MB of commands', 'craft 1 stick using '.repeat(tenMegabytes / 20)],
  ['10 MB of control characters', controls.repeat(tenMegabytes / 32)],
  ['control characters', `${controls}\u007f\u0085\u009b\u2028\ufeff`],
  ['control sequences around an action', '\u001b[2J\u001b]0;title\u0007 5 \u001b[31m'],
  ['half a surrogate pair', '\ud83d 5'],
];

const environments: readonly [name: string, task: string, create: () => Environment][] = [
  ['guess-number', '4-23/17', () => new GuessNumber(optionDefaults(guessNumberOptions))],
  ['textcraft', 'depth-2/oak-boat', () => new TextCraft(optionDefaults(textcraftOptions))],
];

/** A model whose tokens always decode to this text. */
function speaker(text: string): PolicyModel {
  const model = babbler();
  const { encoder, capabilities, policyVersion } = model;
  return {
    capabilities,
    policyVersion,
    encoder: {
      ...encoder,
      begin: (system: string, observation: string) => encoder.begin(system, observation),
      append: (observation: string) => encoder.append(observation),
      endIds: encoder.endIds,
      decode: () => text,
    },
    generate: (...request: Parameters<PolicyModel['generate']>) => model.generate(...request),
    release: () => undefined,
  } as unknown as PolicyModel;
}

describe.each(environments)('in %s', (_, task, create) => {
  it.each(texts)('%s is an invalid action', async (_what, text) => {
    const format = (maxCharacters: number) => createPlain({ ...optionDefaults(plainOptions), maxCharacters });
    const model = speaker(text);
    const actors: Actor[] = [
      { ...modelActor(babbler()), model, format: format(4096) },
      // The environment gets the whole text.
      { ...modelActor(babbler()), model, format: format(2 * tenMegabytes) },
      { kind: 'player', player: { name: 'scripted', act: () => text } },
    ];
    for (const actor of actors) {
      const [episode] = await collectEpisodes(
        [{ iteration: 0, task, group: 0, member: 0 }],
        collectOptions({ actor, horizon: 2 }, create),
      );
      expect(episode).toMatchObject({ status: 'completed', success: false });
      expect(episode!.turns).toHaveLength(2);
      for (const { facts } of episode!.turns) expect(facts).toMatchObject({ success: false, invalid: true });
    }
  });
});
