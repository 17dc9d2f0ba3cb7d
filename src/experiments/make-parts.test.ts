import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import { createRandom } from '../random/create-random.js';
import { layOutDemonstration } from '../rollout/demonstration.js';
import type { WrittenDemonstration } from '../rollout/write-demonstration.js';
import { builtInHost } from './fixtures/built-in-host.js';
import { makeParts, type Parts } from './make-parts.js';
import { disposeParts } from './open-parts.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-parts-'));
const made: Parts[] = [];
afterAll(async () => {
  for (const parts of made) {
    await disposeParts(parts);
    await parts.policy.dispose();
  }
  rmSync(folder, { recursive: true });
});

/** Calls of functions between `[call]` and `[/call]`, and the functions behind the system text. */
const template = `{% for m in messages %}{{ m['content'] }}{% if m['role'] == 'system' and tools %} functions {{ tools | tojson }}{% endif %}{% for call in m['tool_calls'] or [] %}[call]{"name": "{{ call['function']['name'] }}", "parameters": {{ call['function']['arguments'] | tojson }}}[/call]{% endfor %}<|end|>{% endfor %}`;

async function open(policy: object): Promise<Parts> {
  const host = await builtInHost();
  const source = {
    recipeVersion: 1,
    name: 'calls',
    environment: { name: 'guess-number', options: { width: [4, 6] } },
    format: { name: 'function-calling' },
    tools: [{ name: 'calculator' }],
    policy: { name: 'transformer', sampling: { maxActionTokens: 60 }, options: { threads: 1 }, ...policy },
    horizon: { schedule: 'fixed', turns: 4 },
    stages: { sft: { kind: 'sft', demonstrations: { expert: 'demonstrator', count: 4 }, batchSize: 2, steps: 1 } },
    evaluation: { every: 0, final: { tasks: 4 } },
  };
  const { plan } = acceptRecipe(await resolveRecipe({ source, cwd: folder, host }));
  const parts = await makeParts(plan, host, {
    random: createRandom(1),
    log: { info: () => undefined, warn: () => undefined },
    signal: new AbortController().signal,
    cacheDirectory: join(folder, 'cache'),
  });
  made.push(parts);
  return parts;
}

async function firstDemonstration({ demonstrations }: Parts): Promise<WrittenDemonstration | undefined> {
  for await (const one of demonstrations.get('sft')![0]!.learned()) return one;
  return undefined;
}

// Goes red when demonstrations, or the actor, keep the syntax of a model without a template for calls.
it('writes demonstrations in the syntax of function calls that the model has', async () => {
  const scratch = await open({ preset: 'pico' });
  const first = await firstDemonstration(scratch);
  expect(first!.texts[0]).toMatch(/^<tool_call>\n\{"name": "act", "arguments": \{"action": "\d+"\}\}\n<\/tool_call>$/);
  expect(first!.system).toContain('"name":"calculator"');

  const model = join(folder, 'model');
  mkdirSync(model);
  await scratch.policy.save(model);
  writeFileSync(join(model, 'chat_template.jinja'), template);
  const own = await open({ from: model });
  const again = await firstDemonstration(own);
  expect(again!.texts[0]).toMatch(/^\[call\]\{"name": "act", "parameters": \{"action": "\d+"\}\}\[\/call\]$/);
  expect(again!.system).toMatch(/functions \[\{"type": "function".*"calculator"/);
  expect(again!.observations).toEqual(first!.observations);
  const [entry] = own.entries;
  expect(entry.actor.format.parse(again!.texts[0]!)).toHaveProperty('action');
  expect(entry.format).toBe(entry.actor.format);
  const [row] = layOutDemonstration(again!, own.policy.encoder, { maxTokens: 1000, actionTokens: 1 })!.rows;
  expect(own.policy.encoder.decode(row!.record.tokens)).toContain(again!.texts[0]);
});
