import type { GroupedOptions, OptionFinding, OptionsOf } from '@agentgym/cli';

import { findLevelName, nearestLevelName } from './levels/level-names.js';
import { planLengths } from './levels/plan-lengths.js';
import { chooseLevels, heldOutLevels } from './tasks/choose-levels.js';

export const options = {
  levels: {
    type: 'strings',
    default: [],
    description: 'Names of levels (GoToLocal, or BabyAI-GoToLocal-v0); empty: all, or with compat: agentgym its 40',
  },
  planLength: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Only levels that the oracle solves with at most this many low-level actions on average',
    axis: true,
    levels: [6, 15, 40],
  },
  actions: {
    type: 'choice',
    choices: ['agentgym', 'primitive'],
    default: 'agentgym',
    description: "AgentGym's actions (go to red ball 1, pickup, go through, toggle, ...) or the original's seven",
  },
  observation: {
    type: 'choice',
    choices: ['text', 'ascii', 'json'],
    default: 'text',
    description: "How the view is shown: AgentGym's sentences, a drawing, or the original's 7 x 7 x 3 numbers",
  },
  splits: {
    type: 'choice',
    choices: ['starts', 'levels', 'seeds'],
    default: 'starts',
    description:
      'starts: held-out tasks are new starts of the same levels; levels: half of them are of levels that training does not have; seeds: by seed, so that small levels share starts',
  },
  heldOut: {
    type: 'strings',
    default: [],
    description: 'splits: levels: the levels that training does not have; empty: every fifth',
  },
  timed: {
    type: 'boolean',
    default: true,
    description:
      'The reward falls with the steps, and the episode is cut at the limit of the level, as in the original; false: neither, so a state is the same at any time',
  },
  maxTurns: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Turns after which an episode is cut',
  },
  compat: {
    type: 'choice',
    choices: ['corrected', 'minigrid', 'agentgym'],
    default: 'corrected',
    description: "minigrid: the original's rules also where they are wrong; agentgym: also AgentGym's wrapper, exactly",
  },
  view: { group: 'view', without: ['observe'], change: { listActions: { default: true } } },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Checks that the declaration cannot express. */
export function validate(given: Options): readonly OptionFinding[] {
  const unknown = [...unknownLevels('levels', given.levels), ...unknownLevels('heldOut', given.heldOut)];
  if (unknown.length > 0) return unknown;
  if (given.planLength !== null && chooseLevels(given).length === 0) {
    const lengths = chooseLevels({ ...given, planLength: null }).map((name) => planLengths[name] ?? 0);
    return [
      {
        path: ['planLength'],
        message: `no selected level has plans of ${given.planLength} actions or fewer`,
        hint: `Write planLength: ${Math.ceil(Math.min(...lengths))} or more.`,
      },
    ];
  }
  return [...(given.splits === 'levels' ? badHeldOut(given) : []), ...idleOptions(given)];
}

function unknownLevels(option: string, names: readonly string[]): OptionFinding[] {
  return names.flatMap((name, place) => {
    if (findLevelName(name) !== undefined) return [];
    return [
      {
        path: [option, String(place)],
        message: `there is no level ${JSON.stringify(name.slice(0, 60))}`,
        hint: `Did you mean ${nearestLevelName(name)}?`,
      },
    ];
  });
}

function badHeldOut(given: Options): OptionFinding[] {
  const chosen = chooseLevels(given);
  const held = heldOutLevels(chosen, given);
  const stranger = [...held].find((name) => !chosen.includes(name));
  if (stranger !== undefined) {
    return [
      {
        path: ['heldOut'],
        message: `the level ${stranger} is held out, but not selected`,
        hint: `Add ${stranger} to levels, or remove it from heldOut.`,
      },
    ];
  }
  if (held.size > 0 && held.size < chosen.length) return [];
  const nothing = held.size === 0 ? 'hold out' : 'train on';
  return [
    {
      path: [given.heldOut.length > 0 ? 'heldOut' : 'splits'],
      message: `the levels that are selected leave none to ${nothing}`,
      hint: 'Select five levels or more, or name some but not all of them in heldOut.',
    },
  ];
}

/** Options that other options make meaningless. */
function idleOptions(given: Options): OptionFinding[] {
  const findings: OptionFinding[] = [];
  const idle = (name: string, because: string, hint: string) =>
    findings.push({ path: [name], message: `${name} has no effect with ${because}`, hint, idle: true });
  if (given.splits !== 'levels') idle('heldOut', `splits: ${given.splits}`, 'Remove heldOut, or write splits: levels.');
  if (given.compat === 'agentgym') {
    for (const name of ['actions', 'observation', 'timed', 'listActions']) {
      idle(name, 'compat: agentgym', `Remove ${name}, or write compat: corrected.`);
    }
  }
  return findings;
}
