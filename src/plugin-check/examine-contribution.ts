// Runs the kit of each kind on a plugin's contribution, loaded as in the host.
import { ReadableStream } from 'node:stream/web';

import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import { curriculumKit } from '../testing/curriculum-kit.js';
import { formatKit } from '../testing/format-kit.js';
import { algorithmKit } from '../testing/algorithm-kit.js';
import { environmentKit } from '../testing/environment-kit.js';
import { policyKit } from '../testing/policy-kit.js';
import { judgeKit } from '../testing/judge-kit.js';
import { createReward, rewardKit } from '../testing/reward-kit.js';
import { playerKit } from '../testing/player-kit.js';
import { samplerKit } from '../testing/sampler-kit.js';
import { toolKit } from '../testing/tool-kit.js';
import type { KitReport, KitSettings } from '../testing/conformance-kit.js';
import { testHost } from '../testing/test-host.js';

type ModuleOf<Kind extends ContributionKind> = Awaited<ReturnType<Extract<Contribution, { kind: Kind }>['load']>>;

export interface Examination {
  readonly contribution: Contribution;
  /** What it has loaded. */
  readonly module: object;
  readonly options: unknown;
  /** URL of the plugin's entry. */
  readonly entry: string;
  /** True for the default options: every law must hold, and the kit tests more. */
  readonly defaults: boolean;
  readonly settings: KitSettings;
}

/** Checks that apply only to the defaults: other options may make a game unsolvable, or a price too high. */
export const onlyDefaults: readonly string[] = [
  ...['oracle', 'random-legal', 'tasks-differ', 'fresh-process'],
  'success-above-failure',
  ...['climbs', 'unbiased'],
  'round-trip',
  'example',
];

/** The texts from which a policy from scratch builds its tokenizer. */
const corpus = ['go north', '17 higher', 'You see a door.', 'The door is closed.', 'higher, 18 to 33', 'Play well.'];

/** Runs the kit of the contribution's kind. */
export function examineContribution(examination: Examination): Promise<KitReport<object>> {
  const { contribution, module, options, entry, defaults, settings } = examination;
  const subject = <Kind extends ContributionKind>(_: Kind) => ({ ...(module as ModuleOf<Kind>), options });
  const texts = defaults ? 1_000 : 100;
  switch (contribution.kind) {
    case 'environment': {
      const usual = { freshProcess: new URL(entry), freshContribution: contribution.name };
      // The time of an action is measured with the defaults only.
      const small = { effort: 'small', secondsPerAction: Infinity } as const;
      const effort = defaults ? usual : small;
      return environmentKit.examine({ ...subject('environment'), contribution }, { ...settings, ...effort });
    }
    case 'reward':
      if (makesJudge(subject('reward'))) return judgeKit.examine(subject('reward'), settings);
      return rewardKit.examine(subject('reward'), {
        ...settings,
        // Its right answers need not be what the environment calls success.
        ...(contribution.needs?.includes('references') && {
          accept: [...(settings.accept ?? []), 'success-above-failure'],
        }),
        term: 'where it pays nothing',
        episodes: defaults ? 500 : 100,
      });
    case 'algorithm':
      return algorithmKit.examine(subject('algorithm'), settings);
    case 'policy': {
      const [preset] = contribution.presets;
      const from = preset && { preset: preset.name };
      const context = { corpus: () => ReadableStream.from(corpus), ...from, valueHead: true, maxTokens: 512 };
      const { create } = module as ModuleOf<'policy'>;
      return policyKit.examine({ create: () => create(options as never, testHost(settings.seed), context) }, settings);
    }
    case 'format':
      return formatKit.examine(subject('format'), { ...settings, texts });
    case 'tool':
      return toolKit.examine({ ...subject('tool'), contribution }, { ...settings, texts });
    case 'player':
      return playerKit.examine(subject('player'), settings);
    case 'curriculum':
      return curriculumKit.examine(subject('curriculum'), settings);
    case 'sampler':
      return samplerKit.examine(subject('sampler'), settings);
  }
}

/** Whether a reward is a judge. One that cannot be made is no judge, and its check says why. */
function makesJudge(subject: Parameters<typeof createReward>[0]): boolean {
  try {
    return 'judge' in createReward(subject, undefined);
  } catch {
    return false;
  }
}
