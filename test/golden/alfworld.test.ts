/** The checker of ALFWorld on seven small households that alfworld 0.4.2 has played, or could not load. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

import { recordedGames, type RecordedGame } from '../../plugins/env-alfworld/src/fixtures/recorded-games.js';
import { houseDomain } from '../../plugins/env-alfworld/src/generate/house-domain.js';
import { houseGrammar } from '../../plugins/env-alfworld/src/generate/house-grammar.js';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));
const logic = join(folder, 'logic');
mkdirSync(logic);
writeFileSync(join(logic, 'alfred.pddl'), houseDomain(false));
writeFileSync(join(logic, 'alfred.twl2'), houseGrammar('UNKNOWN GOAL'));

const golden = (...given: string[]) =>
  spawnSync(process.execPath, [program, 'alfworld', ...given], { encoding: 'utf8' });

/** The recording, after a change; fields may be written. */
function write(change: (games: DeepWritable<RecordedGame>[]) => void, name = 'games.jsonl.gz'): string {
  const games = structuredClone(recordedGames) as DeepWritable<RecordedGame>[];
  change(games);
  const path = join(folder, name);
  writeFileSync(path, gzipSync(games.map((game) => JSON.stringify(game)).join('\n')));
  return path;
}

type DeepWritable<T> = { -readonly [K in keyof T]: DeepWritable<T[K]> };

describe('golden alfworld', () => {
  it('agrees with recordings of the original', () => {
    const { status, stdout, stderr } = golden(write(() => {}));
    expect(stderr).toBe('');
    expect(stdout).not.toContain('UNEQUAL');
    expect(stdout).toMatch(/^refused unreachable: the game cannot be won: /m);
    expect(stdout).toMatch(
      /^ {2}names +6 of 6\n {2}random +\d{3} of \d{3}\n {2}plan +\d+ of \d+\n {2}refused +1 of 1$/m,
    );
    expect(status).toBe(0);
  });

  it('names each step that differs, with what was recorded, and exits with 1', () => {
    const path = write(([first, second]) => {
      const { random, plan } = first!.play;
      plan.at(-1)!.won = false;
      random[2]!.feedback += '!';
      random[3]!.moves += 1;
      random[4]!.admissible = ['dance', ...random[4]!.admissible.slice(1)];
      second!.goal = second!.goal.replace('.', ' now.');
      const [id] = Object.keys(second!.names);
      second!.names[id!] = 'thing 9';
    });
    const { status, stdout } = golden(path);
    expect(status).toBe(1);
    const unequal = stdout.match(/^UNEQUAL .*$/gm)!.join('\n');
    expect(unequal).toMatch(/^UNEQUAL gen-0 random 2 ".*": feedback$/m);
    expect(unequal).toMatch(/^UNEQUAL gen-0 random 3 ".*": moves$/m);
    expect(unequal).toMatch(/^UNEQUAL gen-0 random 4 ".*": admissible$/m);
    expect(unequal).toMatch(/^UNEQUAL gen-0 plan \d+ ".*": won$/m);
    expect(unequal).toMatch(/^UNEQUAL gen-1 names: names$/m);
    expect(unequal).toMatch(/^UNEQUAL gen-1 random 0: feedback$/m);
    expect(stdout).toMatch(/recorded also \["dance"\]\n {4}ours {5}also \["/);
  });

  it('does not pass a game that should be refused and is not', () => {
    const path = write((games) => {
      games.at(-1)!.problem = games[0]!.problem;
    });
    const { status, stdout } = golden(path);
    expect(status).toBe(1);
    expect(stdout).toContain("recorded KeyError: 'val1'\n    ours     the game was loaded");
  });

  it('plays games of an earlier recording again, with the logic of a folder that is named', () => {
    write(() => {}, 'a.jsonl.gz');
    const again = write(
      (games) => games.forEach((game) => delete (game as { problem?: string }).problem),
      'b.jsonl.gz',
    );
    expect(golden(join(folder, 'a.jsonl.gz'), again, '--logic', logic).status).toBe(0);
  });

  it.each([
    ['a file that is not there', () => join(folder, 'none.jsonl'), 'none.jsonl is no recording of ALFWorld'],
    [
      'no JSON',
      () => (writeFileSync(join(folder, 'x.jsonl'), '{'), join(folder, 'x.jsonl')),
      'x.jsonl is no recording',
    ],
  ])('exits with 2 for %s', (_, path, message) => {
    const { status, stderr } = golden(path());
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
