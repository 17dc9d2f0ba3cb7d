import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
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

const jobs = () =>
  ['four', 'eight'].map((id) => ({
    recipe: { recipeVersion: 1, name: id } as unknown as Recipe,
    directory: join(folder, 'cells', id, 'seed-1'),
    label: { name: `${id}, seed 1`, tags: [] },
  }));
const node = (variables: Record<string, string>) => ({
  env: { ...process.env, PATH: `${path}:${process.env['PATH']}`, ...variables },
  encoding: 'utf8' as const,
});

describe('Slurm', () => {
  const render = (given: object, together?: number) =>
    slurmRenderer(readRunnerOptions('slurm', slurmOptions, { ...given }), together).render(jobs(), folder);

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

  it('lets a run save itself before the time ends, and queues it again', async () => {
    const { files } = await render({});
    program('agentgym', `trap 'echo saved >> "${asked}"; exit 130' TERM; echo ready; while :; do sleep 0.05; done`);
    const variables = { SLURM_ARRAY_TASK_ID: '0', SLURM_ARRAY_JOB_ID: '77' };
    const batch = spawn('bash', [files[0]!], { env: node(variables).env });
    await new Promise((resolve) => batch.stdout.once('data', resolve));
    // Slurm signals the batch script alone (`--signal=B:`).
    batch.kill('SIGTERM');
    expect(await new Promise((resolve) => batch.once('close', resolve))).toBe(130);
    expect(readFileSync(asked, 'utf8')).toBe('saved\nscontrol requeue 77_0\n');
  });
});

describe('Kubernetes', () => {
  const options = (given: object) => readRunnerOptions('kubernetes', kubernetesOptions, { ...given });
  const given = { image: 'lab/agentgym:1', claim: 'runs', namespace: 'ml', gpus: 1, cpus: 2, memoryGiB: 1.5 };

  it('gets an indexed Job, and each pod trains its run on the claim', async () => {
    const { commands, files } = await kubernetesRenderer(options(given), 1).render(jobs(), folder);
    const [recipes, job] = documentsOf(files[0]!);
    expect(recipes).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'agentgym-it-s-a-grid', namespace: 'ml' } });
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
    const [, flag = '', script = ''] = containers[0]!.command;
    // `/agentgym` is the claim in a pod; here it is a folder.
    const claim = join(path, 'claim');
    const local = script.replaceAll('/agentgym/', `${claim}/`);
    expect(spawnSync('bash', [flag, local], node({ JOB_COMPLETION_INDEX: '1' })).status).toBe(0);
    const run = `${claim}/runs/it's a grid/cells/eight/seed-1`;
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
