// Reinforcement learning discovers that a tool pays. Only the tool can help: the policy forgets, and the calculator
// remembers.
import { describe, expect, it } from 'vitest';

import { create } from '../../plugins/tool-calculator/src/calculator.js';
import { options } from '../../plugins/tool-calculator/src/options.js';
import type { Environment, StepResult } from '../../src/contracts/environment.js';
import type { Player } from '../../src/contracts/player.js';
import type { Tool } from '../../src/contracts/tool.js';
import { createRandom } from '../../src/random/create-random.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { layOutDemonstration } from '../../src/rollout/demonstration.js';
import { systemPrompt } from '../../src/rollout/actor.js';
import {
  collectOptions,
  environmentPool,
  modelActor,
  rolloutSettings,
  signalSplits,
} from '../../src/rollout/fixtures/collect.js';
import { singleWord } from '../../src/rollout/fixtures/signals.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { Toolbox } from '../../src/rollout/toolbox.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';
import { TabularEncoder } from '../../src/testing/tabular-encoder.js';
import { TabularPolicy } from '../../src/testing/tabular-policy.js';
import { reinforcement, supervised } from '../../src/training/fixtures/stages.js';
import { trainReinforcement } from '../../src/training/reinforcement.js';
import { trainSupervised } from '../../src/training/supervised.js';

const amounts = [1, 2, 3];

/**
 * Shows two amounts, one after the other, and asks for their sum. Any answer to the first amount leads to the second.
 */
class Ledger implements Environment {
  #amounts: readonly [number, number] = [0, 0];
  #isSecond = false;

  reset(task: string): string {
    const number = Number(task.split('-')[1]);
    this.#amounts = [1 + (number % 3), 1 + (Math.floor(number / 3) % 3)];
    this.#isSecond = false;
    return `first ${this.#amounts[0]}`;
  }

  step(action: string): StepResult {
    const success = this.#isSecond && Number(action) === this.#amounts[0] + this.#amounts[1];
    const terminated = this.#isSecond;
    this.#isSecond = true;
    const observation = terminated ? 'over' : `second ${this.#amounts[1]}`;
    return { observation, reward: Number(success), terminated, truncated: false, facts: { success, invalid: false } };
  }

  act(): string {
    return '2';
  }
}

const call = (expression: string): string => `<calculator>${expression}</calculator>`;
const texts = [
  ...[1, 2, 3, 4, 5, 6].map(String),
  ...amounts.map((n) => call(`${n}`)),
  ...amounts.map((n) => call(`ans+${n}`)),
];

/** A whole text is one token, so that a policy without memory can write it. */
class WholeTexts extends TabularEncoder {
  override encodeAction(text: string): readonly number[] {
    const index = this.pieces.indexOf(text);
    return index === -1 ? super.encodeAction(text) : [5 + index];
  }
}

/** Knows only the last three tokens: the last observation, and nothing before it. */
function forgetful(): TabularPolicy {
  const pieces = [...texts, 'first', 'second', ...amounts.map((n) => ` ${n}`)];
  return new TabularPolicy({ encoder: new WholeTexts('word', pieces), contextLength: 3 });
}

/** Acts correctly three times in five, and otherwise randomly. */
const novice: Player = {
  name: 'novice',
  act({ observations, random }) {
    const shown = observations.at(-1) ?? '';
    if (random.uniform() > 0.6) return random.choice(texts);
    const [, word, amount] = /^(first|second) (\d)$/.exec(shown) ?? [];
    if (word === undefined || amount === undefined) return texts.includes(shown) ? shown : '2';
    return call(word === 'first' ? amount : `ans+${amount}`);
  },
};

const remembering = (): Tool => create(optionDefaults(options));
/** The same tool with a new session for every call, so it forgets earlier calls. */
const forgetting = (): Tool => {
  const tool = remembering();
  return {
    ...tool,
    begin: (context) => ({
      async run(asked, how) {
        return (await tool.begin(context)).run(asked, how);
      },
    }),
  };
};

/** Trains by a little imitation, then by reinforcement learning. Returns success and tool calls of each step. */
async function learn(tool: Tool): Promise<readonly { readonly success: number; readonly calls: number }[]> {
  const model = forgetful();
  const tools = new Toolbox([{ name: 'calculator', tool }], { maxOutputCharacters: 100, milliseconds: 1000 });
  const environments = environmentPool(() => new Ledger(), { world: { instructions: '' } });
  const reward = composeReward([
    {
      name: 'sparse',
      weight: 1,
      scheme: {
        density: 'outcome',
        score: ({ facts }) => Number(facts.success),
        bounds: () => ({ success: [1, 1], failure: [0, 0] }),
      },
    },
  ]);
  const played = await collectEpisodes(
    Array.from({ length: 180 }, (_, group) => ({ iteration: 0, task: `train-${group % 9}`, group, member: 0 })),
    collectOptions({ actor: { kind: 'player', player: novice, tools }, environments, reward, random: createRandom(4) }),
  );
  const demonstrations = played.flatMap(
    ({ task, turns }) =>
      layOutDemonstration(
        {
          name: task,
          system: systemPrompt('', singleWord, tools),
          observations: turns.map(({ observation }) => observation),
          texts: turns.map(({ text }) => text),
        },
        model.encoder,
        { maxTokens: 1000, actionTokens: 1 },
      ) ?? [],
  );
  const optimizer = {
    settings: { name: 'adamw', options: {} },
    learningRate: { peak: 0.3, warmup: 0, schedule: 'linear', floor: 0.1 },
  } as const;
  await trainSupervised(await supervised({ model, demonstrations, batchSize: 60, steps: 12, optimizer }));
  const rl = reinforcement({
    model,
    actor: modelActor(model, { maxActionTokens: 1, tools }),
    environments,
    tasks: signalSplits().train,
    reward,
    steps: 35,
    tasksPerStep: 9,
    update: { groupSize: 16, epochs: 1, minibatches: 1 },
    horizon: { schedule: 'fixed', turns: 6 },
    optimizer,
    rollout: { ...rolloutSettings, inFlight: 200 },
  });
  await trainReinforcement(rl);
  return rl.journal.lines.map(({ metrics }) => ({
    success: metrics['rollout/success'] as number,
    calls: metrics['rollout/tool_calls'] as number,
  }));
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

describe('a tool that pays', () => {
  // Goes red when outputs do not reach the policy, when a call's turn is left out of the batch, or when sessions
  // forget.
  it('is learned: success goes to nearly always, where a guess reaches a third at most', async () => {
    const steps = await learn(remembering());
    expect(mean(steps.slice(0, 3).map(({ success }) => success))).toBeLessThan(0.45);
    expect(mean(steps.slice(-5).map(({ success }) => success))).toBeGreaterThan(0.9);
    expect(steps.at(-1)!.calls).toBeGreaterThan(1.9);
  });

  it('pays because it remembers: one that forgets leaves the policy at what a guess can reach', async () => {
    const steps = await learn(forgetting());
    expect(mean(steps.slice(-5).map(({ success }) => success))).toBeLessThan(0.45);
  });
});
