import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import type { Recipe } from '../../config/recipe-schema.js';
import { readRunnerOptions } from '../runner-options.js';
import { kubernetesOptions, kubernetesRenderer } from './kubernetes.js';
import { slurmOptions, slurmRenderer } from './slurm.js';

let folder: string;
/** Programs that stand in for those of a node: they write down what they are asked. */
let path: string;
let asked: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-rendered-'));
  folder = join(root, "it's a grid");
  path = join(root, 'bin');
  asked = join(root, 'asked');
  mkdirSync(path);
  program('agentgym', `printf '%s\\n' "$*" >> '${asked}'`);
  program('scontrol', `printf 'scontrol %s\\n' "$*" >> '${asked}'`);
});

function program(name: string, body: string): void {
  writeFileSync(join(path, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(path, name), 0o755);
}

/** The parts of Kubernetes documents that the tests read. */
interface KubernetesDocument {
  readonly data?: { readonly [name: string]: string };
  readonly spec?: {
    readonly template: {
      readonly spec: { readonly restartPolicy: string; readonly containers: readonly { readonly command: string[] }[] };
    };
  };
}

const documentsOf = (file: string) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as KubernetesDocument);

const jobs = (names = ['four', 'eight']) =>
  names.map((id) => ({
    recipe: { recipeVersion: 1, name: id } as unknown as Recipe,
    directory: join(folder, 'cells', id, 'seed-1'),
    label: { name: `${id}, seed 1`, tags: [] },
  }));
const grid = (id = 'k7m2p4') => ({ path: folder, id });
const node = (variables: Record<string, string>) => ({
  env: { ...process.env, PATH: `${path}:${process.env['PATH']}`, ...variables },
  encoding: 'utf8' as const,
});

describe('Slurm', () => {
  const render = (given: object, together?: number) =>
    slurmRenderer(readRunnerOptions('slurm', slurmOptions, { ...given }), together).render(jobs(), grid());

  it('gets one array with what was asked for, and each task trains its run', async () => {
    const given = { partition: 'gpu', account: 'lab', time: '04:00:00', cpus: 2, gpus: 1, memoryGiB: 8 };
    const { commands, files } = await render(given, 3);
    const script = readFileSync(files[0]!, 'utf8');
    for (const directive of [
      '--array=0-1%3',
      '--cpus-per-task=2',
      '--gpus-per-task=1',
      '--mem=8G',
      '--partition=gpu',
      '--account=lab',
      '--time=04:00:00',
      '--requeue',
    ]) {
      expect(script).toContain(`#SBATCH ${directive}\n`);
    }
    // The user's shell takes the command as it is written.
    expect(spawnSync('bash', ['-c', `printf '%s|' ${commands[0]}`], { encoding: 'utf8' }).stdout).toBe(
      `sbatch|${files[0]}|`,
    );
    expect(spawnSync('bash', [files[0]!], node({ SLURM_ARRAY_TASK_ID: '1' })).status).toBe(0);
    const run = join(folder, 'cells/eight/seed-1');
    expect(readFileSync(asked, 'utf8')).toBe(`train ${run}.json --output ${run} --name eight, seed 1 --json\n`);
    expect(JSON.parse(readFileSync(`${run}.json`, 'utf8'))).toMatchObject({ name: 'eight' });
  });

  it('continues a run that has begun', async () => {
    const { files } = await render({});
    const run = join(folder, 'cells/four/seed-1');
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, 'manifest.json'), '{}');
    expect(spawnSync('bash', [files[0]!], node({ SLURM_ARRAY_TASK_ID: '0' })).status).toBe(0);
    expect(readFileSync(asked, 'utf8')).toBe(`train --resume ${run} --json\n`);
  });

  // Goes red when the signal is lost if it comes while the script notes its child, as on a busy node.
  it.each(['', 'sleep 0.3; '])(
    'lets a run save itself before the time ends, and queues it again: %j',
    async (delay) => {
      const { files } = await render({});
      writeFileSync(files[0]!, readFileSync(files[0]!, 'utf8').replace('\nchild=$!\n', `\n${delay}child=$!\n`));
      program('agentgym', `trap 'echo saved >> "${asked}"; exit 130' TERM; echo ready; while :; do sleep 0.05; done`);
      const variables = { SLURM_ARRAY_TASK_ID: '0', SLURM_ARRAY_JOB_ID: '77' };
      const batch = spawn('bash', [files[0]!], { env: node(variables).env });
      await new Promise((resolve) => batch.stdout.once('data', resolve));
      // Slurm signals the batch script alone (`--signal=B:`).
      batch.kill('SIGTERM');
      expect(await new Promise((resolve) => batch.once('close', resolve))).toBe(130);
      expect(readFileSync(asked, 'utf8')).toBe('saved\nscontrol requeue 77_0\n');
    },
  );
});

describe('Kubernetes', () => {
  /** `/agentgym` is the claim in a pod; here it is a folder. */
  const runPod = (recipes: KubernetesDocument, claim: string, index: string) => {
    const script = recipes.data!['train.sh']!.replaceAll('/agentgym/', `${claim}/`);
    return spawnSync('bash', ['-c', script], node({ JOB_COMPLETION_INDEX: index }));
  };
  const options = (given: object) => readRunnerOptions('kubernetes', kubernetesOptions, { ...given });
  const given = { image: 'lab/agentgym:1', claim: 'runs', namespace: 'ml', gpus: 1, cpus: 2, memoryGiB: 1.5 };

  it('gets an indexed Job, and each pod trains its run on the claim', async () => {
    const { commands, files } = await kubernetesRenderer(options(given), 1).render(jobs(), grid());
    const [recipes, job] = documentsOf(files[0]!);
    expect(recipes).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'agentgym-it-s-a-grid-k7m2p4', namespace: 'ml' },
    });
    expect(JSON.parse(recipes!.data!['1.json']!)).toMatchObject({ name: 'eight' });
    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: { completions: 2, parallelism: 1, completionMode: 'Indexed' },
    });
    const { containers, restartPolicy } = job!.spec!.template.spec;
    expect(restartPolicy).toBe('Never');
    expect(containers[0]).toMatchObject({
      image: 'lab/agentgym:1',
      resources: { requests: { cpu: '2', memory: '1536Mi' }, limits: { memory: '1536Mi', 'nvidia.com/gpu': '1' } },
    });
    expect(containers[0]!.command).toEqual(['bash', '/agentgym/recipes/train.sh']);
    const claim = join(path, 'claim');
    expect(runPod(recipes!, claim, '1').status).toBe(0);
    const run = `${claim}/runs/agentgym-it-s-a-grid-k7m2p4/cells/eight/seed-1`;
    expect(readFileSync(asked, 'utf8')).toBe(
      `train ${claim}/recipes/1.json --output ${run} --name eight, seed 1 --json\n`,
    );
    expect(commands[0]).toMatch(/^kubectl apply --filename '.*job\.yaml'$/);
    expect(commands.at(-2)).toContain('kubectl cp --namespace ml ');
    const [reader] = documentsOf(files[1]!);
    expect(reader).toMatchObject({
      kind: 'Pod',
      spec: { volumes: [{ persistentVolumeClaim: { claimName: 'runs' } }] },
    });
  });

  it('refuses what it needs and does not have', () => {
    expect(() => kubernetesRenderer(options({ claim: 'runs' }), 1)).toThrow(/needs the option `image`/);
    expect(() => options({ imge: 'x' })).toThrow(expect.objectContaining({ hint: 'Did you mean `image`?' }));
  });
});

describe('hostile names', () => {
  const hostile = 'x $(touch P) `touch P`; touch P\' "#%a&|<>*?~!';
  const cwd = () => join(path, '..');
  /** What a user does with the printed commands. Programs of schedulers write down their arguments. */
  const copied = (commands: readonly string[]) => {
    for (const name of ['sbatch', 'kubectl'])
      program(name, `for w in ${name} "$@"; do printf '%s\\n' "$w"; done >> '${asked}'`);
    for (const command of commands) {
      expect(command).not.toMatch(/\p{Cc}/u);
      const { status, stderr } = spawnSync('bash', ['-c', command], { ...node({}), cwd: cwd() });
      expect([command, stderr, status]).toEqual([command, '', 0]);
    }
    return readFileSync(asked, 'utf8').split('\n');
  };
  const expectNothingRun = () => {
    const found = [cwd(), folder, path].flatMap((place) => readdirSync(place)).filter((name) => name === 'P');
    expect(found).toEqual([]);
  };
  const slurm = (given = {}) => slurmRenderer(readRunnerOptions('slurm', slurmOptions, given), 1);
  const kubernetes = (given = {}) => {
    const all = { image: 'lab/agentgym:1', claim: 'runs', ...given };
    return kubernetesRenderer(readRunnerOptions('kubernetes', kubernetesOptions, all), 1);
  };

  beforeEach(() => {
    folder = join(cwd(), hostile);
    mkdirSync(folder, { recursive: true });
  });

  it('stay words in what is copied for Slurm, and in its script', async () => {
    const { commands, files } = await slurm().render(jobs([hostile]), grid());
    expect(copied(commands)).toEqual(['sbatch', files[0], '']);
    expect(spawnSync('bash', ['-n', files[0]!]).status).toBe(0);
    const task = spawnSync('bash', [files[0]!], { ...node({ SLURM_ARRAY_TASK_ID: '0' }), cwd: cwd() });
    expect(task.status, task.stderr).toBe(0);
    expect(readFileSync(asked, 'utf8')).toContain(
      `--output ${join(folder, 'cells', hostile, 'seed-1')} --name ${hostile}, seed 1`,
    );
    const directive = /^#SBATCH --output=(.*)$/m.exec(readFileSync(files[0]!, 'utf8'))![1]!;
    // As sbatch reads it: double quotes group, a backslash escapes, `%%` is a percent sign.
    const read = directive.replaceAll(/\\(.)|"/g, '$1');
    expect(read).toBe(`${folder.replaceAll('%', '%%')}/slurm/logs/%A-%a.log`);
    expectNothingRun();
  });

  it('stay words in what is copied for Kubernetes, and in its pods', async () => {
    const { commands, files } = await kubernetes().render(jobs([hostile]), grid());
    const words = copied(commands);
    expect(words.filter((word) => word === files[0])).toHaveLength(2);
    const [recipes, job] = documentsOf(files[0]!);
    const { name } = (job as { metadata: { name: string } }).metadata;
    expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/);
    expect(job!.spec!.template.spec.containers[0]!.command.join(' ')).not.toContain('$');
    const script = recipes!.data!['train.sh']!.replaceAll('/agentgym/', `${join(path, 'claim')}/`);
    const pod = spawnSync('bash', ['-c', script], { ...node({ JOB_COMPLETION_INDEX: '0' }), cwd: cwd() });
    expect(pod.status, pod.stderr).toBe(0);
    expect(readFileSync(asked, 'utf8')).toContain(`--name ${hostile}, seed 1`);
    expectNothingRun();
  });

  it.each(['a\nb', 'a\rb', 'a\u001b[31mb', 'a\u0085b', 'a\u2028b'])(
    'are refused with control characters: %j',
    (text) => {
      for (const renderer of [slurm(), kubernetes()]) {
        for (const check of [
          () => renderer.check(jobs([text]), folder),
          () => renderer.check(jobs(['four']), join(folder, text)),
        ]) {
          expect(check).toThrow(expect.objectContaining({ code: 'AG_COMMAND_USAGE', exitCode: 2 }));
          expect(check).not.toThrow(/\p{Cc}/u);
        }
      }
      expect(() => slurm({ command: text })).toThrow(/no control characters/);
      expect(() => kubernetes({ command: text })).toThrow(/no control characters/);
    },
  );

  it('are refused for Slurm with a backslash, after which sbatch numbers no logs', () => {
    expect(() => slurm().check(jobs(['four']), join(folder, 'a\\b'))).toThrow(/after a backslash/);
  });

  it.each([
    ['slurm', 'partition', 'gpu\n#SBATCH --uid=0'],
    ['slurm', 'account', 'a b'],
    ['slurm', 'time', '$(touch P)'],
    ['kubernetes', 'namespace', '$(touch P)'],
    ['kubernetes', 'namespace', 'Upper'],
    ['kubernetes', 'namespace', '-x'],
    ['kubernetes', 'claim', 'a/b'],
    ['kubernetes', 'image', 'x y'],
    ['kubernetes', 'image', '-x'],
  ])('are refused in the options of %s: %s=%j', (runner, option, value) => {
    const open = () => (runner === 'slurm' ? slurm : kubernetes)({ [option]: value });
    expect(open).toThrow(expect.objectContaining({ code: 'AG_COMMAND_USAGE', exitCode: 2 }));
    expect(existsSync(join(folder, runner))).toBe(false);
  });

  it('differ between ablations of one base name, and stay when one continues', async () => {
    const namesOf = async (id: string) => {
      const { commands, files } = await kubernetes().render(jobs(['four']), grid(id));
      const slurmFile = (await slurm().render(jobs(['four']), grid(id))).files[0]!;
      const [, slurmName] = /--job-name=(.*)/.exec(readFileSync(slurmFile, 'utf8'))!;
      const [, claimFolder] = /\/agentgym\/runs\/([^/]+)\//.exec(commands.join())!;
      return [(documentsOf(files[0]!)[1] as { metadata: { name: string } }).metadata.name, slurmName, claimFolder];
    };
    const [one, other, again] = [await namesOf('k7m2p4'), await namesOf('abcdef'), await namesOf('k7m2p4')];
    expect(again).toEqual(one);
    for (const [i, name] of one.entries()) expect(other[i]).not.toBe(name);
  });

  it('have room for the number of a pod, however long they are', async () => {
    folder = join(cwd(), 'x'.repeat(200));
    const { files } = await kubernetes().render(jobs(['four']), grid());
    const { name } = (documentsOf(files[0]!)[1] as { metadata: { name: string } }).metadata;
    // The name of a pod is also its host name, which has 63 characters at most.
    expect(`${name}-99999`.length).toBeLessThanOrEqual(63);
  });
});
