// node test/kill/kill-transfers.js [--kills N] [--seed S] [--preset NAME] [--folder DIR]
// `agentgym pull` and `agentgym export` are killed with SIGKILL at N random moments each. After every kill, the folder
// must be absent, or equal an undisturbed one file by file. After all kills, the same command must complete it, and
// leave nothing beside it. Exit codes: 0 so it was, 1 a folder was not whole, 2 a command failed.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { startHub } from '../hub/loopback-hub.js';
import { runCommand } from './command-process.js';
import { seededRandom } from './seeded-random.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    preset: { type: 'string', default: 'medium' },
    folder: { type: 'string' },
  },
});
const kills = Number(values.kills);
const random = seededRandom(Number(values.seed));
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'agentgym-kill-'));
console.log(`${kills} kills each, seed ${values.seed}, in ${folder}`);

const run = join(folder, 'run');
const recipe = fileURLToPath(new URL('../hub/recipe.yaml', import.meta.url));
await complete(['train', recipe, '--set', `policy.preset=${values.preset}`, '--output', run]);
await kill(join(folder, 'exported'), (to) => ['export', run, '--to', to]);

// Slow enough that a kill finds every file unfinished once.
const model = join(folder, 'exported');
const size = readdirSync(model).reduce((sum, name) => sum + readFileSync(join(model, name)).length, 0);
const hub = await startHub({ bytesPerSecond: size });
hub.add(
  'somebody/model',
  Object.fromEntries(readdirSync(model).map((name) => [name, readFileSync(join(model, name))])),
);
process.env['HF_ENDPOINT'] = hub.endpoint;
await kill(join(folder, 'pulled'), (to) => ['pull', 'somebody/model', '--output', to]);
const resumed = hub.requests.filter(({ range }) => range !== undefined).length;
console.log(`${resumed} downloads continued where an earlier one was killed`);
await hub.close();

async function kill(target, wordsFor) {
  const whole = `${target}-undisturbed`;
  const { milliseconds } = await complete(wordsFor(whole));
  const expected = contentOf(whole);
  // The first third of the time loads the program.
  const delay = () => milliseconds * (0.3 + 0.75 * random());
  let [killed, seen] = [0, 0];
  while (killed < kills) {
    const { wasKilled, exitCode, stderr } = await runCommand(wordsFor(target), delay());
    if (!wasKilled && exitCode !== 0) fail(2, `${wordsFor(target).join(' ')} ended with ${exitCode}\n${stderr}`);
    if (wasKilled) killed += 1;
    if (!existsSync(target)) continue;
    seen += 1;
    expectWhole(target, expected);
    rmSync(target, { recursive: true });
  }
  await complete(wordsFor(target));
  expectWhole(target, expected);
  const beside = readdirSync(dirname(target)).filter((name) => name.includes(basename(target)));
  const left = beside.filter((name) => ![basename(target), basename(whole)].includes(name));
  if (left.length > 0) fail(1, `${left.join(', ')} is left beside ${target}`);
  console.log(`${wordsFor(target)[0]}: whole after ${killed} kills; ${seen} times it was complete before one`);
}

function expectWhole(target, expected) {
  const found = contentOf(target);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  const different = names.filter((name) => expected[name] !== found[name]);
  if (different.length > 0) fail(1, `NOT WHOLE: ${target} differs in ${different.join(', ')}`);
}

/** Hashes by file name. The card of an export contains the name of its folder. */
function contentOf(target) {
  const own = basename(target);
  const contents = readdirSync(target).map((name) => {
    const content = readFileSync(join(target, name));
    const plain =
      name === 'README.md'
        ? content.toString().replaceAll(own.replace('-undisturbed', ''), '').replaceAll('-undisturbed', '')
        : content;
    return [name, createHash('sha256').update(plain).digest('hex')];
  });
  return Object.fromEntries(contents);
}

async function complete(words) {
  const outcome = await runCommand(words);
  if (outcome.exitCode !== 0) fail(2, `${words.join(' ')} ended with ${outcome.exitCode}\n${outcome.stderr}`);
  return outcome;
}

function fail(code, message) {
  console.error(message);
  process.exit(code);
}
