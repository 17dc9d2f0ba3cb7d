// Answers to function calls in the role that the chat template has for them, in rollouts and in demonstrations.
import { expect, it } from 'vitest';

import { createConversationEncoder } from '../../plugins/policy-transformer/src/tokenizer/conversation-encoder.js';
import { ChatTemplate } from '../../plugins/policy-transformer/src/tokenizer/chat-template.js';
import { type Family, familyFiles } from '../../plugins/policy-transformer/src/tokenizer/fixtures/family-files.js';
import { TextTokenizer } from '../../plugins/policy-transformer/src/tokenizer/text-tokenizer.js';
import type { TokenizerJson } from '../../plugins/policy-transformer/src/tokenizer/tokenizer-files.js';
import { create as createFunctionCalling } from '../../plugins/format-standard/src/function-calling.js';
import { functionCallingOptions, plainOptions } from '../../plugins/format-standard/src/options.js';
import { create as createPlain } from '../../plugins/format-standard/src/plain.js';
import { create as createCalculator } from '../../plugins/tool-calculator/src/calculator.js';
import { options as calculatorOptions } from '../../plugins/tool-calculator/src/options.js';
import type { ActionFormat } from '../../src/contracts/format.js';
import type { ConversationEncoder, PolicyModel } from '../../src/contracts/policy.js';
import type { CompletedEpisode } from '../../src/contracts/trajectory.js';
import { systemPrompt } from '../../src/rollout/actor.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { demonstratedEpisode } from '../../src/rollout/demonstrated-episode.js';
import { layOutDemonstration } from '../../src/rollout/demonstration.js';
import { fitFormat } from '../../src/rollout/fit-format.js';
import { babbler, collectOptions, keys, modelActor } from '../../src/rollout/fixtures/collect.js';
import { Toolbox } from '../../src/rollout/toolbox.js';
import { writeDemonstration } from '../../src/rollout/write-demonstration.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';

const rules = 'Answer the signal.';
const functionCalling = createFunctionCalling(optionDefaults(functionCallingOptions));
const tools = new Toolbox([{ name: 'calculator', tool: createCalculator(optionDefaults(calculatorOptions)) }], {
  maxOutputCharacters: 100,
  milliseconds: 1000,
});

/** A model that writes these texts in its tokens, whatever it sees. */
function writer(encoder: ConversationEncoder, texts: readonly string[]): PolicyModel {
  const left = [...texts];
  const write = () => {
    const tokens = [...encoder.encodeAction(left.shift()!), encoder.endIds[0]!];
    return { tokens, logprobs: tokens.map(() => -1), ended: true };
  };
  return {
    capabilities: { ...babbler().capabilities, maxTokens: 10_000 },
    policyVersion: 0,
    encoder,
    generate: (requests: readonly unknown[]) => Promise.resolve(requests.map(write)),
    release: () => undefined,
  } as unknown as PolicyModel;
}

async function play(encoder: ConversationEncoder, format: ActionFormat, texts: readonly string[]) {
  const model = writer(encoder, texts);
  const actor = { ...modelActor(babbler()), model, format, tools, maxActionTokens: 500 };
  const [episode] = await collectEpisodes(keys(1, 1), collectOptions({ actor, horizon: texts.length }));
  return episode as CompletedEpisode;
}

/** Calls of a tool, malformed text, a call that nothing reads, and a call that is the action. */
const textsOf = (format: ActionFormat, call: (name: string, key: string, value: string) => string) => [
  call('calculator', 'expression', '2*3'),
  'I would rather wait.',
  call('calculator', 'expression', '1/0'),
  call('abacus', 'beads', '7'),
  '<calculator>1+1</calculator>',
  format.render('wait'),
];

// Goes red if answers become messages of the user, or observations answers.
it.each<[Family, 'template' | 'off', key: string]>([
  ['qwen2.5', 'template', 'arguments'],
  ['llama3.2', 'template', 'parameters'],
])('%s: an episode is what its template renders, and a demonstration has the same tokens', async (...row) => {
  const [family, thinking, argumentsKey] = row;
  const files = familyFiles(family);
  const encoder = createConversationEncoder(files, { thinking });
  const format = fitFormat(functionCalling, { tools, encoder });
  const { before, after } = encoder.functionCalls!;
  const texts = textsOf(
    format,
    (name, key, value) => `${before}{"name": "${name}", "${argumentsKey}": {"${key}": "${value}"}}${after}`,
  );
  const episode = await play(encoder, format, texts);
  const { turns, sequences: [record] = [], finalObservation } = episode;
  expect(turns.map(({ text }) => text)).toEqual(texts);
  const roles = [...turns.map(({ observationRole }) => observationRole), episode.finalObservationRole];
  expect(roles).toEqual([undefined, 'tool', undefined, 'tool', 'tool', undefined, 'tool']);

  const observations = [...turns.map(({ observation }) => observation), finalObservation];
  expect(observations.slice(1, 5)).toEqual(['6', 'invalid', 'error: division by 0', 'invalid']);
  const messages = [
    { role: 'system', content: systemPrompt(rules, format, tools) },
    ...observations.flatMap((content, index) => [
      { role: roles[index] ?? 'user', content },
      ...(index < texts.length ? [{ role: 'assistant', content: texts[index]! }] : []),
    ]),
  ];
  const rendered = new ChatTemplate(files).render(messages, { addGenerationPrompt: true });
  const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
  expect(record!.tokens).toEqual(tokenizer.encodePieces(tokenizer.splitAddedTokens(rendered)));

  const policy = { format, tools, instructions: rules };
  const written = writeDemonstration(demonstratedEpisode(episode, true)!, policy, 'the episode');
  const last = turns.at(-1)!.sampled![1];
  const laid = layOutDemonstration(written, encoder, { maxTokens: 10_000, actionTokens: 1 });
  expect(laid!.rows.map((row) => row.record.tokens)).toEqual([record!.tokens.slice(0, last)]);
});

it('a format without function calls has none, and an encoder without the role gets messages of the user', async () => {
  const encoder = createConversationEncoder(familyFiles('qwen2.5'));
  const plain = createPlain(optionDefaults(plainOptions));
  const { turns } = await play(encoder, plain, ['<calculator>1+1</calculator>', 'wait', 'wait']);
  expect(turns[0]!.calls?.[0]?.status).toBe('answered');
  expect(turns.every((turn) => !('observationRole' in turn))).toBe(true);

  const without = createConversationEncoder(familyFiles('smollm2'));
  const format = fitFormat(functionCalling, { tools, encoder: without });
  const other = await play(without, format, [format.render('wait'), format.render('wait')]);
  expect(other.turns.every((turn) => !('observationRole' in turn))).toBe(true);
  const { observation, sampled } = other.turns[1]!;
  const appended = [...without.append(observation)];
  expect(other.sequences![0]!.tokens.slice(sampled![0] - appended.length, sampled![0])).toEqual(appended);
});

// Goes red if thoughts of earlier turns stay, if white space behind them does, or if the prompt of the last turn does.
it.each<[Family, open: string]>([
  ['qwen3', '<think>\n'],
  ['qwen3-thinking', ''],
])('%s, thinking: drop: every prompt of an episode is what its template renders', async (family, open) => {
  const files = familyFiles(family);
  const encoder = createConversationEncoder(files, { thinking: 'drop' });
  const texts = [`${open}red\n</think>\n\nstop`, 'go', `${open}I never stop`, `${open}green</think>wait`, 'go'];
  const format = createPlain(optionDefaults(plainOptions));
  const { turns, sequences = [], finalObservation } = await play(encoder, format, texts);
  const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
  const observations = [...turns.map(({ observation }) => observation), finalObservation];
  for (const [count, turn] of [...turns, undefined].entries()) {
    const messages = [
      { role: 'system', content: systemPrompt(rules, format, tools) },
      ...observations
        .slice(0, count + 1)
        .flatMap((content, index) => [
          { role: 'user', content },
          ...(index < count ? [{ role: 'assistant', content: texts[index]! }] : []),
        ]),
    ];
    const rendered = new ChatTemplate(files).render(messages, { addGenerationPrompt: true });
    const prompt = tokenizer.encodePieces(tokenizer.splitAddedTokens(rendered));
    const { sampled, sequence = 0 } = turn ?? { sequence: sequences.length - 1 };
    const { mask, tokens } = sequences[sequence]!;
    expect(tokens.slice(0, sampled?.[0])).toEqual(prompt);
    if (sampled === undefined) continue;
    expect(tokens.slice(...sampled)).toEqual([...encoder.encodeAction(texts[count]!), encoder.endIds[0]]);
    expect(mask.slice(...sampled)).not.toContain(0);
  }
  // Only a turn without thoughts lets its sequence go on.
  const places = family === 'qwen3' ? [0, 1, 1, 1, 2] : [0, 1, 2, 3, 4];
  expect(turns.map(({ sequence = 0 }) => sequence)).toEqual(places);
});
