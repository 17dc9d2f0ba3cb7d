// Runs the kit of each kind on a plugin's contribution, loaded as in the host.
import { ReadableStream } from 'node:stream/web';

import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import type { PolicyModel } from '../contracts/policy.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { examineActionFormat } from '../testing/check-action-format.js';
import { examineAlgorithm } from '../testing/check-algorithm.js';
import { examineEnvironment } from '../testing/check-environment.js';
import { examineTextPlayer } from '../testing/check-text-player.js';
import { examineTokenSampler } from '../testing/check-token-sampler.js';
import { examinePolicyModel, policyModelChecks } from '../testing/check-policy-model.js';
import { examineReward } from '../testing/check-reward.js';
import { examineTool } from '../testing/check-tool.js';
import { creation, type KitReport, type KitSettings } from '../testing/conformance-kit.js';
import { testHost } from '../testing/test-host.js';

type ContributionOf<Kind extends ContributionKind> = Extract<Contribution, { kind: Kind }>;
type ModuleOf<Kind extends ContributionKind> = Awaited<ReturnType<ContributionOf<Kind>['load']>>;

export interface Examination<Kind extends ContributionKind> {
  readonly contribution: ContributionOf<Kind>;
  readonly module: ModuleOf<Kind>;
  readonly options: never;
  /** URL of the plugin's entry. */
  readonly entry: string;
  /** True for the default options: every law must hold, and the kit tests more. */
  readonly defaults: boolean;
  readonly settings: KitSettings;
}

/** The arguments of a kind's kit, and the checks that do not apply with changed options. */
interface Examiner<Kind extends ContributionKind> {
  readonly functions: readonly (keyof ModuleOf<Kind> & string)[];
  /** Checks that apply only to the defaults: other options may make a game unsolvable, or a price too high. */
  readonly onlyDefaults: readonly string[];
  examine(examination: Examination<Kind>): Promise<KitReport>;
}

/** The texts from which a policy from scratch builds its tokenizer. */
const corpus = ['go north', '17 higher', 'You see a door.', 'The door is closed.', 'higher, 18 to 33', 'Play well.'];

/** Why a policy whose model is elsewhere cannot be created here; undefined: it can, or has another fault. */
async function reasonOfOutage(create: () => Promise<PolicyModel>): Promise<string | undefined> {
  try {
    await (await create()).dispose();
    return undefined;
  } catch (error) {
    return isUnavailable(error) ? error.message : undefined;
  }
}

/** The report on a policy whose server is not there: nothing was checked, and nothing is wrong. */
function skipPolicyChecks({ finished }: KitSettings, reason: string): KitReport {
  const checks = [creation, ...policyModelChecks].map(({ id }) => {
    return { id, status: 'skipped', findings: [], reason } as const;
  });
  for (const outcome of checks) finished?.(outcome);
  return { checks };
}

export const examiners: { readonly [Kind in ContributionKind]: Examiner<Kind> } = {
  environment: {
    functions: ['open'],
    onlyDefaults: [
      'oracle',
      'maximum-turns',
      'sample-action',
      'tasks-differ',
      'fresh-process',
      'worker-thread',
      'malformed-slow',
    ],
    examine: ({ contribution, module, options, entry, defaults, settings }) =>
      examineEnvironment(
        { ...module, contribution, options },
        {
          ...settings,
          ...(defaults
            ? { freshProcess: new URL(entry), freshContribution: contribution.name, speed: settings.only === undefined }
            : { tasks: 2, turns: 15, malformed: 60, ids: 500 }),
        },
      ),
  },
  reward: {
    functions: ['create'],
    onlyDefaults: ['success-above-failure'],
    examine: async ({ module, options, defaults, settings }) => {
      const shared = { ...settings, term: 'where it pays nothing', episodes: defaults ? 500 : 100 } as const;
      return examineReward({ ...module, options }, shared);
    },
  },
  algorithm: {
    functions: ['create'],
    onlyDefaults: ['direction', 'climbs', 'unbiased'],
    examine: ({ module, options, settings }) => examineAlgorithm({ ...module, options }, settings),
  },
  policy: {
    functions: ['create'],
    onlyDefaults: [],
    examine: async ({ contribution, module, options, settings }) => {
      const [preset] = contribution.presets;
      const context = {
        corpus: () => ReadableStream.from(corpus),
        ...(preset && { preset: preset.name }),
        valueHead: true,
        maxTokens: 512,
      };
      const create = async () => module.create(options, testHost(settings.seed), context);
      const down = preset === undefined ? await reasonOfOutage(create) : undefined;
      return down === undefined ? examinePolicyModel({ create }, settings) : skipPolicyChecks(settings, down);
    },
  },
  format: {
    functions: ['create'],
    onlyDefaults: ['round-trip'],
    examine: ({ module, options, defaults, settings }) =>
      examineActionFormat({ ...module, options }, { ...settings, texts: defaults ? 1_000 : 100 }),
  },
  player: {
    functions: ['create'],
    onlyDefaults: [],
    examine: ({ module, options, settings }) => examineTextPlayer({ ...module, options }, settings),
  },
  sampler: {
    functions: ['create'],
    onlyDefaults: [],
    examine: ({ module, options, settings }) => examineTokenSampler({ ...module, options }, settings),
  },
  tool: {
    functions: ['create'],
    onlyDefaults: ['example'],
    examine: ({ contribution, module, options, defaults, settings }) =>
      examineTool({ ...module, contribution, options }, { ...settings, texts: defaults ? 1_000 : 100 }),
  },
};
