// A model from a folder whose chat template cannot grow a conversation is refused before anything is written, with the
// file, the turn and the cure; with the cure it trains.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-chat-templates-'));
const model = join(home, 'model');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** As in Qwen3: earlier turns lose their thinking blocks, and `enable_thinking: false` prompts with an empty one. */
const dropping = `{%- for message in messages %}
{%- if message.role == 'assistant' %}{{- message.content.split('</think>')[-1].lstrip('\\n') + '<|end|>' }}
{%- else %}{{- message.content + '<|end|>' }}{%- endif %}
{%- endfor %}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}`;

beforeAll(async () => {
  writeFileSync(join(home, 'recipe.yaml'), tinyRecipe);
  const made = await runWarm(['train', 'recipe.yaml', '--output', join(home, 'made'), '--json'], { cwd: home });
  expect(documentOf(made)).toMatchObject({ status: 'completed' });
  const [checkpoint] = readdirSync(join(home, 'made', 'checkpoints'))
    .sort()
    .reverse();
  cpSync(join(home, 'made', 'checkpoints', checkpoint!), model, { recursive: true });
  writeFileSync(join(home, 'from.yaml'), tinyRecipe.replace(/preset: \w+/, 'from: ./model'));
}, 60_000);

const train = (...given: string[]) =>
  runWarm(['train', 'from.yaml', '--output', join(home, 'run'), '--json', ...given], { cwd: home });

it('refuses templates that cannot grow, names file, turn and cure, and writes nothing', async () => {
  const own = readFileSync(join(model, 'chat_template.jinja'), 'utf8');
  writeFileSync(join(model, 'chat_template.jinja'), dropping);
  const thinking = await train();
  writeFileSync(join(model, 'chat_template.jinja'), "{{ raise_exception('one message only') }}");
  const refused = await train('--check');
  writeFileSync(join(model, 'chat_template.jinja'), own);
  expect([thinking.code, refused.code]).toEqual([2, 2]);
  expect(documentOf(thinking)).toMatchObject({
    error: {
      code: 'AG_PLUGIN_FAILED',
      path: 'policy.from',
      message: expect.stringMatching(
        /chat_template\.jinja: the chat template drops or changes thinking blocks.*turn 1 changes when turn 2 is added.*Set policy\.options\.thinking/s,
      ),
    },
  });
  expect(documentOf(refused)).toMatchObject({
    error: {
      message: expect.stringContaining('chat_template.jinja: the chat template does not render: one message only'),
    },
  });
  expect(existsSync(join(home, 'run'))).toBe(false);
}, 60_000);

it('trains with the cure, and the manifest says what the template does', async () => {
  writeFileSync(join(model, 'chat_template.jinja'), dropping);
  const kept = await train('--set', 'policy.options.thinking=keep');
  expect(documentOf(kept)).toMatchObject({ status: 'completed' });
  expect(readFileSync(join(home, 'run', 'manifest.json'), 'utf8')).toMatch(
    /"chatTemplate":\s*\{\s*"file": "chat_template.jinja",\s*"thinking": "keep"\s*\}/,
  );
}, 60_000);

it('plays a folder with an option of its policy, and refuses one without effect', async () => {
  writeFileSync(join(model, 'chat_template.jinja'), dropping);
  const evaluate = (...given: string[]) =>
    runWarm(['evaluate', './model', '--environment', 'guess-number', '--tasks', '2', '--json', ...given], {
      cwd: home,
    });
  const [plain, kept, unknown] = await Promise.all([
    evaluate(),
    evaluate('--policy-option', 'thinking=keep'),
    evaluate('--policy-option', 'thinking=of'),
  ]);
  const idle = await runWarm(['play', 'guess-number', '--policy', 'random', '--policy-option', 'threads=1', '--json'], {
    cwd: home,
  });
  expect([plain, kept, unknown, idle].map(({ code }) => code)).toEqual([2, 0, 2, 2]);
  expect(documentOf(plain)).toMatchObject({ error: { message: expect.stringContaining('--policy-option thinking=') } });
  expect(documentOf(idle)).toMatchObject({
    error: { message: '`--policy-option threads` has no effect: `random` is not a model.' },
  });
}, 60_000);
