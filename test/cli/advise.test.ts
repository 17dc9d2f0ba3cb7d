import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { trainRun } from '../browser/trained-run.js';
import { longIt } from '../long.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

interface Told {
  readonly findings: { readonly rule: string; readonly ablate?: string }[];
  readonly fine: { readonly rule: string }[];
  readonly notChecked: { readonly rule: string; readonly why: string }[];
}

describe('agentgym advise RUN', () => {
  let run: string;
  beforeAll(async () => {
    run = await trainRun(1);
  }, 120_000);

  it('judges a run that was trained, and touches nothing', async () => {
    const before = readdirSync(run, { recursive: true });
    const result = await runWarm(['advise', run, '--json'], { cwd: join(run, '..') });
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document).toMatchObject({ formatVersion: 1, subject: run, kind: 'run', measured: { run: { steps: 8 } } });
    const { findings, fine, notChecked } = document as unknown as Told;
    // So few steps teach nothing, which is the finding. Rules that depend on it are not checked, but all others are.
    expect(findings[0]?.rule).toBe('imitation');
    const judged = [...findings, ...fine, ...notChecked.filter(({ why }) => why.includes('the finding of imitation'))];
    expect(judged.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['movement', 'over-random', 'groups-with-signal', 'rare-reward', 'cold-start', 'splits']),
    );
    expect(document).toMatchObject({
      next: expect.stringMatching(/^agentgym train run\/manifest\.json --set stages\.sft\./),
    });
    expect(notChecked).toContainEqual({
      rule: 'reference-runaway',
      why: expect.stringContaining('with klCoefficient 0'),
    });
    expect(readdirSync(run, { recursive: true })).toEqual(before);
  });

  longIt('proposes an ablation of its recipe that runs as it is typed', async () => {
    const folder = join(run, '..');
    // A horizon of two turns is too short for this game, so longer ones can be tried.
    const { findings } = documentOf(
      await runWarm(['advise', 'run/manifest.json', '--set', 'horizon={schedule: fixed, turns: 2}', '--json'], {
        cwd: folder,
      }),
    ) as unknown as Told;
    const command = findings.flatMap(({ ablate }) => ablate ?? [])[0];
    expect(command).toMatch(/^agentgym ablate [a-z]+ --recipe run\/manifest\.json/);
    const words = [...(command ?? '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const tried = await runWarm([...words.slice(1), '--dry-run', '--json'], { cwd: folder });
    expect(tried.stderr + tried.stdout).not.toContain('AG_');
    expect(tried.code).toBe(0);
  });

  it('plays the policy where an older run did not log its groups, and says what else is missing', async () => {
    const old = join(run, '..', 'old');
    mkdirSync(old);
    for (const name of ['manifest.json', 'result.json', 'evaluations.jsonl']) {
      writeFileSync(join(old, name), readFileSync(join(run, name)));
    }
    const kept = /"rollout\/(groups_without_signal|rewards_per_turn)":[^,}]+,?/g;
    writeFileSync(join(old, 'metrics.jsonl'), readFileSync(join(run, 'metrics.jsonl'), 'utf8').replaceAll(kept, ''));
    const bare = documentOf(await runWarm(['advise', old, '--json'])) as unknown as Told;
    expect(bare.notChecked.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['rare-reward', 'groups-with-signal']),
    );
    // With its checkpoint the groups can be played.
    rmSync(join(old, 'metrics.jsonl'));
    writeFileSync(join(run, 'metrics.jsonl'), readFileSync(join(run, 'metrics.jsonl'), 'utf8').replaceAll(kept, ''));
    const played = documentOf(await runWarm(['advise', run, '--json', '--tasks', '8']));
    expect(played).toMatchObject({ measured: { players: { policy: { tasks: 8, episodesPerTask: 8 } } } });
    const missing = (played as unknown as Told).notChecked.filter(({ why }) => why.includes('did not log'));
    expect(missing.map(({ rule }) => rule)).not.toContain('groups-with-signal');
  });

  it('refuses flags that do nothing to a run', async () => {
    const result = await runWarm(['advise', run, '--set', 'seed=2', '--json']);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code: 'AG_COMMAND_USAGE' } });
  });
});

it('tells a person about a recipe', async () => {
  const { code, stdout } = await runWarm(['advise', 'quickstart', '--tasks', '8']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^recipe quickstart: \d+ findings?, \d+ checked and fine, \d+ not checked\n/);
  expect(stdout).toContain('Not checked');
});

it('ends with 2 and a hint for what is neither a recipe nor a run', async () => {
  const result = await runWarm(['advise', 'quickstrat', '--json']);
  expect(result.code).toBe(2);
  expect(documentOf(result)).toMatchObject({
    error: { code: 'AG_RECIPE_NOT_FOUND', hint: expect.stringContaining('Did you mean `quickstart`?') },
  });
});
