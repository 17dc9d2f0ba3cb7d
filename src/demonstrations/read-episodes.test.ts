import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import type { DemonstrationHeader } from './demonstration-header.js';
import { openDemonstrations } from './open-demonstrations.js';
import { fileDigest } from './file-digest.js';
import type { FileLayout } from './file-layout.js';
import { readEpisodes, type ReadEpisode } from './read-episodes.js';
import { surveyDemonstrations } from './survey-demonstrations.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-demonstrations-'));
  file = join(folder, 'games.jsonl');
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer, layout?: FileLayout): Promise<ReadEpisode[]> {
  await writeFile(file, content);
  const all: ReadEpisode[] = [];
  for await (const one of readEpisodes(file, layout)) all.push(one);
  return all;
}

const header: DemonstrationHeader = {
  formatVersion: 1,
  document: 'demonstrations',
  environment: { name: 'lamp', package: 'plugin-lamp', version: '1.0.0', options: { lamps: 3 } },
  split: 'train',
  player: 'oracle',
  horizon: 5,
  seed: 1,
};

/** The instruction, its acknowledgement, and two turns: what AgentTraj-L looks like. */
const trajectory = {
  item_id: 'lamp_12',
  conversations: [
    { from: 'human', loss: null, value: 'Switch lamps on. Answer "Thought: ... Action: ..."' },
    { from: 'gpt', loss: false, value: 'OK. I will.' },
    { from: 'human', loss: null, value: 'Two lamps are dark.' },
    { from: 'gpt', loss: true, value: 'Thought: the first.\n\nAction: on 1' },
    { from: 'human', loss: null, value: 'One lamp is dark.' },
    { from: 'gpt', loss: true, value: 'Action: on 2' },
  ],
};

describe('readEpisodes', () => {
  it('reads what the writer wrote, whatever the texts contain', async () => {
    const awkward = '\u2028 "quotes" \\ \n\r\n 🙂 \u0000 [1, {2}] \ud800';
    const episodes: DemonstratedEpisode[] = [
      { task: 'a', turns: [{ observation: awkward, action: 'on 1' }], finalObservation: awkward, success: true },
      {
        task: 'b',
        instructions: 'own rules',
        turns: [
          { observation: 'o', text: 'well <on 1>', action: 'on 1' },
          { observation: 'o', text: 'roll', tools: ['dice'] },
          { observation: 'o', text: '?', malformed: 'no action' },
          { observation: 'o', action: 'OK', isContext: true },
        ],
        finalObservation: 'end',
        success: false,
      },
    ];
    await rm(file, { force: true });
    const writer = await openDemonstrations(file, header);
    for (const episode of episodes) await writer.write(episode);
    expect(await writer.finish()).toEqual(await fileDigest(file));
    const all = [];
    for await (const one of readEpisodes(file)) all.push(one);
    expect(all.map(({ episode }) => episode)).toEqual(episodes);
    expect(all.map(({ line, layout, header: own }) => ({ line, layout, own }))).toEqual([
      { line: 2, layout: 'agentgym', own: header },
      { line: 3, layout: 'agentgym', own: header },
    ]);
    const survey = await surveyDemonstrations(file);
    expect(survey).toMatchObject({
      ...{ layout: 'agentgym', environments: [header.environment], splits: ['train'], players: ['oracle'] },
      ...{ episodes: 2, tasks: 2, withoutTask: 0, turns: 5, longest: 4, contextTurns: 2, toolCalls: 1, success: 0.5 },
      ...(await fileDigest(file)),
    });
  });

  it('reads files that were joined, each episode under its own header', async () => {
    const episode = JSON.stringify({ turns: [{ observation: 'o', action: 'a' }] });
    const other = JSON.stringify({ ...header, player: 'demonstrator' });
    const all = await read([JSON.stringify(header), episode, other, episode].join('\n'));
    expect(all.map(({ header: own }) => own?.player)).toEqual(['oracle', 'demonstrator']);
  });

  it('reads observations and texts', async () => {
    const first = JSON.stringify({ task: 't', observations: ['a', 'b'], texts: ['x', 'y'] });
    const second = JSON.stringify({ system: 'mine', observations: ['a', 'end'], texts: ['x'], success: 1, note: '?' });
    const all = await read(`\ufeff\r\n${first}\r\n\r\n${second}`);
    expect(all.map(({ line, layout }) => [line, layout])).toEqual([
      [2, 'texts'],
      [4, 'texts'],
    ]);
    expect(all.map(({ episode }) => episode)).toEqual([
      {
        task: 't',
        turns: [
          { observation: 'a', text: 'x' },
          { observation: 'b', text: 'y' },
        ],
      },
      { system: 'mine', turns: [{ observation: 'a', text: 'x' }], finalObservation: 'end', success: true },
    ]);
  });

  it('reads chats', async () => {
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'dark' },
      { role: 'assistant', content: 'OK', weight: 0 },
      { role: 'user', content: 'still dark' },
      { role: 'assistant', content: 'on 1' },
      { role: 'user', content: 'light' },
    ];
    const [chat] = await read(JSON.stringify({ messages, task: 't', success: true }));
    expect(chat).toMatchObject({ layout: 'messages', line: 1 });
    expect(chat!.episode).toEqual({
      task: 't',
      system: 'rules',
      turns: [
        { observation: 'dark', text: 'OK', isContext: true },
        { observation: 'still dark', text: 'on 1' },
      ],
      finalObservation: 'light',
      success: true,
    });
  });

  it.each([
    ['texts', { task: null, system: null, success: null, observations: ['a'], texts: ['x'] }],
    [
      'messages',
      {
        task: null,
        system: null,
        messages: [
          { role: 'user', content: 'a', weight: null },
          { role: 'assistant', content: 'x', weight: null, tool_calls: null },
        ],
      },
    ],
    [
      'conversations',
      {
        item_id: null,
        conversations: [
          { from: 'human', loss: null, value: 'a' },
          { from: 'gpt', loss: null, value: 'x' },
        ],
      },
    ],
  ])('takes null for an absent key in %s', async (layout, line) => {
    const [one] = await read(JSON.stringify(line));
    expect(one).toMatchObject({ layout });
    expect(one!.episode).toEqual({ turns: [{ observation: 'a', text: 'x' }] });
  });

  it('takes null for an absent key in agentgym', async () => {
    const turn = { observation: 'o', action: 'a', text: null, tools: null, malformed: null, isContext: null };
    const line = JSON.stringify({ task: null, system: null, finalObservation: null, turns: [turn] });
    const [one] = await read(`${JSON.stringify({ ...header, temperature: null, filter: null })}\n${line}`);
    expect(one!.episode).toEqual({ turns: [{ observation: 'o', action: 'a' }] });
  });

  // Mutation: learn turns without `loss: true`.
  it.each([
    ['an array', (items: object[]) => JSON.stringify(items), [1, 1]],
    ['an array over many lines', (items: object[]) => JSON.stringify(items, null, 2), [2, 37]],
    ['a line per item', (items: object[]) => items.map((item) => JSON.stringify(item)).join('\n'), [1, 2]],
  ])('reads AgentTraj-L from %s', async (_, write, lines) => {
    const shared = { conversations: trajectory.conversations.map(({ from, value }) => ({ from, value })) };
    const all = await read(write([trajectory, shared]));
    expect(all.map(({ layout }) => layout)).toEqual(['conversations', 'conversations']);
    expect(all.map(({ line }) => line)).toEqual(lines);
    expect(all[0]!.episode).toEqual({
      task: 'lamp_12',
      turns: [
        { observation: trajectory.conversations[0]!.value, text: 'OK. I will.', isContext: true },
        { observation: 'Two lamps are dark.', text: 'Thought: the first.\n\nAction: on 1' },
        { observation: 'One lamp is dark.', text: 'Action: on 2' },
      ],
    });
    // ShareGPT does not mark what is learned, so all is.
    expect(all[1]!.episode.turns.some(({ isContext }) => isContext)).toBe(false);
  });

  // The scanner reads 1 MB at a time.
  it('reads items that cross the blocks in which a file is read', async () => {
    const value = 'ä"\\]},{'.repeat(30_000);
    const items = Array.from({ length: 15 }, (_, index) => ({
      item_id: String(index),
      conversations: [
        { from: 'human', value: `${index} ${value}` },
        { from: 'gpt', value: 'on' },
      ],
    }));
    for (const text of [JSON.stringify(items), items.map((item) => JSON.stringify(item)).join('\n')]) {
      const all = await read(text);
      expect(all.map(({ episode }) => episode.turns[0]!.observation)).toEqual(
        items.map(({ conversations }) => conversations[0]!.value),
      );
    }
  });

  // Goes red when rows of other data sets, such as those of TRL, get advice that cannot help.
  it('says which keys a line has if no layout fits', async () => {
    await expect(read('{"prompt": "p", "completion": "c"}')).rejects.toMatchObject({
      message: `Line 1 of ${file} is not a demonstration: it has the keys "prompt", "completion", but none of "messages", "conversations" and "texts".`,
      hint: expect.stringContaining('Write each line as `{"messages": [') as string,
    });
    await expect(read('{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}')).rejects.toThrow('"f", ..., but none');
    await expect(read('{}')).rejects.toThrow('it has no keys');
  });

  it('takes the layout that it is told where two fit', async () => {
    const messages = [{ role: 'user', content: 'o' }];
    const both = JSON.stringify({ messages, conversations: trajectory.conversations });
    await expect(read(both)).rejects.toMatchObject({
      message: `Line 1 of ${file} is not a demonstration: it fits the layouts messages and conversations.`,
      hint: expect.stringContaining('`fileFormat`') as string,
    });
    await expect(read(both, 'conversations')).rejects.toThrow('the key "messages" is not known');
    // A second column that is empty is that of another data set of the same table.
    for (const nothing of [null, []]) {
      const one = JSON.stringify({ messages: nothing, conversations: trajectory.conversations });
      expect((await read(one)).map(({ layout }) => layout)).toEqual(['conversations']);
    }
  });

  const chat = (...messages: object[]) => JSON.stringify({ messages });
  const talk = (...conversations: object[]) => JSON.stringify({ conversations });
  const user = { role: 'user', content: 'o' };
  const assistant = { role: 'assistant', content: 'a' };
  const good = {
    texts: JSON.stringify({ observations: ['a'], texts: ['x'] }),
    messages: chat(user, assistant),
    conversations: talk({ from: 'human', value: 'o' }, { from: 'gpt', value: 'a' }),
    agentgym: `${JSON.stringify(header)}\n${JSON.stringify({ turns: [{ observation: 'o', action: 'a' }] })}`,
  };
  it.each<[FileLayout, string, string]>([
    ['texts', '{"observations": ["a"], "texts": ["x"]', 'it is not JSON'],
    ['texts', '[]', 'it is not a JSON object'],
    ['texts', '{"observations": ["a"]}', '"texts" is not a list of strings'],
    ['texts', '{"observations": ["a", 1], "texts": ["x"]}', '"observations" is not a list of strings'],
    ['texts', '{"observations": ["a", "b", "c"], "texts": ["x"]}', 'it has 3 observations for 1 texts'],
    ['texts', '{"task": 1, "observations": ["a"], "texts": ["x"]}', '"task" is not a string'],
    ['texts', '{"success": "yes", "observations": ["a"], "texts": ["x"]}', '"success" is not true or false'],
    ['messages', chat(assistant, user), 'message 1: observations and actions do not alternate'],
    ['messages', chat(user, user), 'message 2: observations and actions do not alternate'],
    ['messages', chat(user, assistant, { role: 'system', content: '' }), 'message 3: observations and actions do not'],
    ['messages', chat(user, { role: 'bot', content: '' }), 'message 2: its role is "bot", not system, user'],
    ['messages', chat(user, { role: 'tool', content: '' }), 'message 2: observations and actions do not alternate'],
    ['messages', chat(user, { role: 'assistant', content: [] }), 'message 2: "content" is not a string'],
    ['messages', chat(user), 'it has no action to learn'],
    ['messages', '{"messages": 1}', '"messages" is not a list'],
    ['conversations', talk({ from: 'human', value: 'o' }, { from: 'bot', value: '' }), 'it is from "bot", not from'],
    ['conversations', talk({ from: 'human', value: 'o' }, { from: 'gpt', loss: 2, value: '' }), '"loss" is not true'],
    [
      'conversations',
      talk({ from: 'human', value: 'o' }, { from: 'gpt', loss: false, value: '' }),
      'no action to learn',
    ],
    ['conversations', talk({ from: 'human' }, { from: 'gpt', value: '' }), 'message 1: "value" is not a string'],
    ['conversations', '{"item_id": 3, "conversations": []}', '"item_id" is not a string'],
    ['texts', '{"observations": ["a"], "texts": ["x"], "mask": [0]}', 'the key "mask" is not known'],
    ['agentgym', '{"turns": [{"observation": "o", "action": "a"}], "mask": [0]}', 'the key "mask" is not known'],
    ['agentgym', '{"turns": [{"observation": "o", "text": "a", "logprobs": [-1e308]}]}', 'turn 1: the key "logprobs"'],
    ['agentgym', '{"turns": []}', '"turns" is not a list with a turn'],
    ['agentgym', '{"turns": [{"observation": "o"}]}', 'turn 1: it has no "action" and no "text"'],
    ['agentgym', '{"turns": [{"action": "a"}]}', 'turn 1: "observation" is not a string'],
    ['agentgym', JSON.stringify({ ...header, formatVersion: 2 }), 'its "formatVersion" is 2, not 1'],
    ['agentgym', JSON.stringify({ ...header, environment: { name: 'lamp' } }), '"environment" has no options'],
  ])('refuses a line of %s that is %s', async (layout, line, complaint) => {
    const before = good[layout];
    const broken = read(`${before}\n\n${line}`);
    await expect(broken).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      file,
      line: before.split('\n').length + 2,
      message: expect.stringContaining(complaint) as string,
    });
  });

  it.each([
    ['cut', JSON.stringify([trajectory]).slice(0, -1), 'Item 1 (line 1) of', 'the file ends before the array does'],
    ['cut in an item', JSON.stringify([trajectory]).slice(0, -9), 'Item 1 (line 1) of', 'the file ends before'],
    ['followed by more', `${JSON.stringify([trajectory])}\nx`, 'Item 2 (line 2) of', 'text follows the end'],
    ['with a gap', `[${JSON.stringify(trajectory)},\n,]`, 'Item 2 (line 2) of', 'it is not JSON'],
    ['with a number', `[${JSON.stringify(trajectory)},\n 3]`, 'Item 2 (line 2) of', 'it is not a JSON object'],
  ])('refuses an array that is %s', async (_, content, place, complaint) => {
    const refused = read(content);
    await expect(refused).rejects.toThrow(place);
    await expect(refused).rejects.toThrow(complaint);
  });

  it('refuses a value that is too long to be an episode', async () => {
    await writeFile(file, '{"texts": "');
    await truncate(file, 130 << 20);
    await expect(surveyDemonstrations(file)).rejects.toThrow(`Line 1 of ${file} is not a demonstration: it is longer`);
  });

  it('refuses what is not UTF-8, an empty file, and a file that is not there', async () => {
    await expect(read(Buffer.from([0x7b, 0xff, 0x7d]))).rejects.toThrow('it is not UTF-8');
    for (const nothing of ['', ' \n\n', '[]', JSON.stringify(header)]) {
      await expect(read(nothing)).rejects.toMatchObject({ code: 'AG_DEMONSTRATION', file });
    }
    await expect(surveyDemonstrations(join(folder, 'none'))).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      file: join(folder, 'none'),
    });
  });
});

describe('openDemonstrations', () => {
  it('leaves nothing behind when it is discarded, and says where it cannot write', async () => {
    const place = await mkdtemp(join(folder, 'place-'));
    const writer = await openDemonstrations(join(place, 'games.jsonl'), header);
    await writer.write({ turns: [{ observation: 'o', action: 'a' }] });
    await writer.discard();
    expect(await readdir(place)).toEqual([]);
    await expect(openDemonstrations(join(place, 'none', 'games.jsonl'), header)).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION_WRITE',
    });
  });
});
