import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { stringify } from 'yaml';

import type { OptionsDeclaration, OptionsOf } from '../../contracts/options.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { shellWord } from '../../errors/shell-word.js';
import { makeFolder } from '../../files/make-folder.js';
import { refuseControls } from '../refuse-controls.js';
import { checkPaths, checkWord } from './check-words.js';
import type { Renderer } from './renderer.js';
import { schedulerName } from './scheduler-name.js';
import { chooseRun, trainCommand } from './train-script.js';

export const kubernetesOptions = {
  image: { type: 'string', default: '', description: 'Image with agentgym and its plugins; required' },
  claim: {
    type: 'string',
    default: '',
    description: 'PersistentVolumeClaim on which runs are written; all nodes must be able to mount it; required',
  },
  namespace: { type: 'string', default: '', description: 'Namespace; default: that of the current context' },
  command: { type: 'string', default: 'agentgym', description: 'Command that starts agentgym in the image' },
  cpus: { type: 'number', minimum: 0, default: 1, description: 'Processor cores that a run reserves' },
  gpus: { type: 'integer', minimum: 0, default: 0, description: 'GPUs of NVIDIA that a run reserves' },
  memoryGiB: { type: 'number', minimum: 0.1, default: 4, description: 'Memory of a run: reserved, and its limit' },
} as const satisfies OptionsDeclaration;

const who = 'The runner kubernetes';
/** The name of an object: RFC 1123, as Kubernetes has it. */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Failures of one run after which it counts as failed. Evicted and preempted pods do not count. */
const attempts = 3;
/** Seconds that a pod gets to save its run. */
const graceSeconds = 120;
/** A ConfigMap may have 1 MiB (Kubernetes documentation, "ConfigMaps"). */
const largest = 1_000_000;

/** Paths in a pod. */
const scriptName = 'train.sh';
const mounted = { recipes: '/agentgym/recipes', runs: '/agentgym/runs' } as const;

/**
 * One indexed Job for all missing runs, with their recipes as a ConfigMap. Runs are written to a claim, below the name of
 * the folder, and copied back through a pod that mounts it.
 *
 * @param together runs at the same time; absent: all
 */
export function kubernetesRenderer(
  options: OptionsOf<typeof kubernetesOptions>,
  together: number | undefined,
): Renderer {
  for (const name of ['image', 'claim'] as const) {
    if (options[name] !== '') continue;
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `The runner kubernetes needs the option \`${name}\`.`,
      hint: `Add \`--runner-option ${name}=NAME\`.`,
    });
  }
  const { claim, command, cpus, gpus, image, memoryGiB, namespace } = options;
  refuseControls(command, who);
  checkWord('kubernetes', 'image', image, /^[\w][\w.:/@-]*$/, 'the name of an image');
  checkWord('kubernetes', 'claim', claim, objectName, 'a name of lower case letters, digits, dots and dashes');
  checkWord(
    'kubernetes',
    'namespace',
    namespace,
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'a name of lower case letters, digits and dashes',
  );
  return {
    check: (jobs, path) => checkPaths(who, jobs, path),
    render: async (jobs, grid) => {
      const name = schedulerName(grid);
      const folder = grid.path;
      const metadata = {
        name,
        ...(namespace !== '' && { namespace }),
        labels: { 'app.kubernetes.io/name': 'agentgym' },
      };
      const root = `${mounted.runs}/${name}`;
      const folders = jobs.map(({ directory }) => `${root}/${relative(folder, directory)}`);
      const script = [
        ...chooseRun(jobs, folders, '$JOB_COMPLETION_INDEX'),
        'mkdir -p "$(dirname "$folder")"',
        ...trainCommand(`exec ${command}`, `${mounted.recipes}/$JOB_COMPLETION_INDEX.json`),
        'run "$@"',
      ];
      const recipes = jobs.map(({ recipe }, i): [string, string] => [`${i}.json`, JSON.stringify(recipe)]);
      // As a file, because Kubernetes replaces `$(NAME)` in the command of a container.
      const data = Object.fromEntries([...recipes, [scriptName, `${script.join('\n')}\n`]]);
      const bytes = Buffer.byteLength(JSON.stringify(data));
      if (bytes > largest) {
        throw new AgentgymError('AG_RUNNER_UNAVAILABLE', {
          message: `The recipes of ${jobs.length} runs have ${bytes} bytes, and a ConfigMap takes 1 MiB.`,
          hint: 'Train fewer seeds or cells at a time.',
        });
      }
      const memory = `${Math.ceil(memoryGiB * 1024)}Mi`;
      const volumes = [
        { name: 'runs', persistentVolumeClaim: { claimName: claim } },
        { name: 'recipes', configMap: { name } },
      ];
      const documents = [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata,
          spec: {
            completions: jobs.length,
            parallelism: Math.min(together ?? jobs.length, jobs.length),
            completionMode: 'Indexed',
            backoffLimitPerIndex: attempts,
            maxFailedIndexes: jobs.length,
            podFailurePolicy: {
              rules: [
                { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
                // 2: what is wrong is in the input, so another pod would end in the same way.
                { action: 'FailIndex', onExitCodes: { containerName: 'train', operator: 'In', values: [2] } },
              ],
            },
            template: {
              spec: {
                restartPolicy: 'Never',
                terminationGracePeriodSeconds: graceSeconds,
                containers: [
                  {
                    name: 'train',
                    image,
                    command: ['bash', `${mounted.recipes}/${scriptName}`],
                    resources: {
                      requests: { cpu: `${cpus}`, memory },
                      limits: { memory, ...(gpus > 0 && { 'nvidia.com/gpu': `${gpus}` }) },
                    },
                    volumeMounts: [
                      { name: 'runs', mountPath: mounted.runs },
                      { name: 'recipes', mountPath: mounted.recipes, readOnly: true },
                    ],
                  },
                ],
                volumes,
              },
            },
          },
        },
      ];
      const reader = `${name}-reader`;
      const readerPod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name: reader },
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              name: 'reader',
              image,
              command: ['sleep', '3600'],
              volumeMounts: [{ name: 'runs', mountPath: mounted.runs, readOnly: true }],
            },
          ],
          volumes: volumes.slice(0, 1),
        },
      };
      const own = join(folder, 'kubernetes');
      await makeFolder(own);
      const [job, read] = [join(own, 'job.yaml'), join(own, 'reader.yaml')];
      await writeFile(job, documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n'));
      await writeFile(read, stringify(readerPod, { lineWidth: 0 }));
      const space = namespace === '' ? '' : ` --namespace ${namespace}`;
      return {
        files: [job, read],
        commands: [
          `kubectl apply --filename ${shellWord(job)}`,
          `kubectl wait${space} --for=condition=complete --timeout=-1s job/${name}`,
          `kubectl apply --filename ${shellWord(read)}`,
          `kubectl wait${space} --for=condition=ready --timeout=5m pod/${reader}`,
          // kubectl takes what stands before a colon in a path for the name of a pod.
          `(cd ${shellWord(folder)} && kubectl cp${space} ${reader}:${root}/. .)`,
          `kubectl delete${space} --filename ${shellWord(read)} --filename ${shellWord(job)}`,
        ],
      };
    },
  };
}
