import { createHash } from 'node:crypto';

import type { SplitName } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { splitNames } from '../rollout/split-names.js';

/** The uses of tasks that every run has. The first two are training. */
const taskUses = ['demonstrations', 'rl', 'validation', 'test'] as const;
type TaskUse = (typeof taskUses)[number];

/** The splits that must share nothing. */
const splitPairs = {
  trainAndValidation: ['train', 'validation'],
  trainAndTest: ['train', 'test'],
  validationAndTest: ['validation', 'test'],
} as const satisfies { readonly [pair: string]: readonly [SplitName, SplitName] };
type SplitPair = keyof typeof splitPairs;
const pairNames = Object.keys(splitPairs) as SplitPair[];

/** The tasks of a run, and their clusters. */
export interface SplitTasks extends ClusteredTasks {
  /** Tasks that the run uses, by use. */
  readonly used: { readonly [use in TaskUse]: Iterable<string> } & {
    /** Training tasks whose games the prompt shows. Absent: none. */
    readonly examples?: Iterable<string>;
  };
  /** All tasks of a split, if they can be listed. */
  readonly whole: { readonly [split in SplitName]?: Iterable<string> };
  /** Tasks of a split of which only some can be listed. Absent: none. */
  readonly some?: { readonly [split in SplitName]?: Iterable<string> };
  /** The used tasks by the split in which the world says that they are. Absent: it does not say it. */
  readonly placed?: ReadonlyMap<SplitName, readonly string[]>;
}

interface ClusteredTasks {
  /** The cluster of a task. A task that is not listed is a separate cluster. */
  readonly clusters?: ReadonlyMap<string, string>;
  /** The environment says that its splits share clusters. */
  readonly sharesClusters?: boolean;
}

/** Count and fingerprint of the tasks of each use in a run, and how much two splits share. */
export interface SplitProof {
  readonly uses: { readonly [use in TaskUse]: UsedTasks } & {
    /** Training tasks whose games the prompt shows; absent if it shows none. */
    readonly examples?: UsedTasks;
  };
  /** The compared tasks: the used ones and, if `whole` is true, all others of the split. */
  readonly compared: {
    readonly [split in SplitName]: { readonly tasks: number; readonly clusters: number; readonly whole: boolean };
  };
  /** Tasks in common. Demonstrations and RL may share tasks; every other number is 0. */
  readonly overlap: { readonly [pair in 'demonstrationsAndRl' | SplitPair]: number };
  /** Clusters in common; all 0 unless the environment says that its splits share them. */
  readonly sharedClusters: { readonly [pair in SplitPair]: number };
  /** The environment says that its splits share clusters. */
  readonly sharesClusters?: true;
  /** The environment tells the split of any task, so no task is in two splits. Each used task is in the split of its use. */
  readonly placed?: true;
  /** The other environments of the final evaluation, by their names in the recipe; absent if there are none. */
  readonly transfer?: { readonly [name: string]: TransferProof };
  /** The proofs of different environments that a run trains in, by their names; the counts above are sums of theirs. Absent: there is one. */
  readonly environments?: { readonly [environment: string]: Omit<SplitProof, 'transfer' | 'environments'> };
}

interface UsedTasks {
  /** Number of distinct tasks. */
  readonly tasks: number;
  /** SHA-256 of their ids, sorted by code unit and joined by newlines. */
  readonly fingerprint: string;
}

/** The tasks that are played in an environment without training. */
interface TransferProof {
  readonly environment: string;
  readonly split: 'validation' | 'test';
  readonly tasks: number;
  readonly clusters: number;
  readonly fingerprint: string;
  /**
   * Number of tasks shared with training or model selection, both 0; absent if the ids belong to another environment
   * and cannot be compared.
   */
  readonly overlap?: { readonly train: number; readonly heldOut: number };
  /** Clusters shared with these; 0 unless one of the environments says that its splits share them. */
  readonly sharedClusters?: { readonly train: number; readonly heldOut: number };
}

/** Tasks that the final evaluation plays in another environment than the recipe's. */
export interface TransferTasks extends ClusteredTasks {
  /** Its name in the recipe. */
  readonly name: string;
  readonly environment: string;
  /**
   * Whether it is the recipe's environment with other options. Equal ids then mean equal or almost equal tasks, and the
   * same holds for clusters.
   */
  readonly isKin: boolean;
  readonly split: 'validation' | 'test';
  readonly ids: readonly string[];
}

/** Tasks with a name, and one task of each cluster. */
interface NamedTasks {
  readonly name: string;
  readonly ids: ReadonlySet<string>;
  readonly clusters: ReadonlyMap<string, string>;
}

/**
 * Proves that training, validation and test share no task and no cluster of tasks (law 10): the used ones, and all
 * others of a split that can be listed. Options may split the tasks of one environment differently. So tasks played
 * with other options must also share none with training or with the other held-out split.
 *
 * @param hint how to get splits that share nothing; absent: the environment is wrong
 * @throws AG_SPLIT_LEAK, naming a shared task, or a shared cluster with a task of each split
 */
export function proveSplits(tasks: SplitTasks, transfer: readonly TransferTasks[] = [], hint?: string): SplitProof {
  const { used, whole, some = {}, placed, clusters, sharesClusters = false } = tasks;
  const own = byKey(taskUses, (name) => new Set(used[name]));
  const examples = new Set(used.examples);
  const others = (split: SplitName) => [...(whole[split] ?? some[split] ?? []), ...(placed?.get(split) ?? [])];
  const training = [...own.demonstrations, ...own.rl, ...examples];
  const splits = {
    train: namedTasks('the training split', [...training, ...others('train')], clusters),
    validation: namedTasks('validation', [...own.validation, ...others('validation')], clusters),
    test: namedTasks('test', [...own.test, ...others('test')], clusters),
  };
  for (const [left, right] of Object.values(splitPairs)) {
    refuseShared(splits[left], splits[right], sharesClusters, hint);
  }
  const sharedBy = (of: 'ids' | 'clusters') =>
    byKey(pairNames, (pair) => {
      const [left, right] = splitPairs[pair];
      return shared(splits[left][of], splits[right][of]).length;
    });
  const use = (ids: ReadonlySet<string>): UsedTasks => ({ tasks: ids.size, fingerprint: fingerprint(ids) });
  return {
    uses: { ...byKey(taskUses, (name) => use(own[name])), ...(examples.size > 0 && { examples: use(examples) }) },
    compared: byKey(splitNames, (split) => {
      const { ids, clusters: of } = splits[split];
      return { tasks: ids.size, clusters: of.size, whole: whole[split] !== undefined };
    }),
    overlap: { demonstrationsAndRl: shared(own.demonstrations, own.rl).length, ...sharedBy('ids') },
    sharedClusters: sharedBy('clusters'),
    ...(sharesClusters && { sharesClusters }),
    ...(placed !== undefined && { placed: true as const }),
    ...(transfer.length > 0 && {
      transfer: Object.fromEntries(
        transfer.map((one) => [
          one.name,
          proveTransfer(one, splits.train, splits[one.split === 'test' ? 'validation' : 'test'], sharesClusters),
        ]),
      ),
    }),
  };
}

/**
 * The proof of a run in several environments. Those with the same name are one: whatever their options are, equal ids mean
 * equal or almost equal tasks, so no task may be trained on in one and be held out in another.
 *
 * @throws AG_SPLIT_LEAK
 */
export function proveEnvironments(
  all: readonly { readonly entry?: string | undefined; readonly environment: string; readonly tasks: SplitTasks }[],
  transfer: readonly TransferTasks[] = [],
): SplitProof {
  const names = [...new Set(all.map(({ environment }) => environment))];
  const proofs = names.map((name, place): [string, SplitProof] => {
    const own = all.filter(({ environment }) => environment === name);
    const others = transfer.filter(({ environment, isKin }) => (isKin ? environment === name : place === 0));
    const entries = own.map(({ entry }) => `\`${entry}\``).join(' and ');
    const hint =
      own.length < 2
        ? undefined
        : `${entries} are one environment, \`${name}\`, whose options put these tasks into different splits. Give them options without common tasks, or options that give the same splits.`;
    return [name, proveSplits(unionOf(own.map(({ tasks }) => tasks)), others, hint)];
  });
  const [first, ...more] = proofs;
  if (first === undefined) throw new Error('a run has an environment');
  return more.length === 0 ? first[1] : sumOf(proofs);
}

/** The tasks of environments with the same name. */
function unionOf(all: readonly SplitTasks[]): SplitTasks {
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  const used = (use: TaskUse | 'examples') => new Set(all.flatMap((tasks) => [...(tasks.used[use] ?? [])]));
  const listed = splitNames.map((split) => {
    const lists = all.flatMap((tasks) => (tasks.whole[split] === undefined ? [] : [[...tasks.whole[split]]]));
    return { split, isWhole: lists.length === all.length, ids: new Set(lists.flat()) };
  });
  const byName = (of: typeof listed) => Object.fromEntries(of.map(({ split, ids }) => [split, ids]));
  const isPlaced = all.every(({ placed }) => placed !== undefined);
  const placed = splitNames.map((split): [SplitName, readonly string[]] => [
    split,
    all.flatMap((tasks) => tasks.placed?.get(split) ?? []),
  ]);
  const clusters = new Map(all.flatMap((tasks) => [...(tasks.clusters ?? [])]));
  return {
    used: byKey([...taskUses, 'examples'], used),
    whole: byName(listed.filter(({ isWhole }) => isWhole)),
    some: byName(listed.filter(({ isWhole }) => !isWhole)),
    ...(isPlaced && { placed: new Map(placed) }),
    ...(clusters.size > 0 && { clusters }),
    ...(all.some(({ sharesClusters }) => sharesClusters) && { sharesClusters: true }),
  };
}

function sumOf(proofs: readonly (readonly [string, SplitProof])[]): SplitProof {
  const all = proofs.map(([, proof]) => proof);
  const sum = (of: (proof: SplitProof) => number): number => all.reduce((total, proof) => total + of(proof), 0);
  const use = (name: TaskUse | 'examples'): UsedTasks => ({
    tasks: sum(({ uses }) => uses[name]?.tasks ?? 0),
    fingerprint: fingerprint(
      new Set(proofs.map(([environment, { uses }]) => `${environment} ${uses[name]?.fingerprint ?? ''}`)),
    ),
  });
  const transfer = Object.assign({}, ...all.map((proof) => proof.transfer ?? {})) as SplitProof['transfer'] & object;
  return {
    uses: {
      ...byKey(taskUses, use),
      ...(all.some(({ uses }) => uses.examples) && { examples: use('examples') }),
    },
    compared: byKey(splitNames, (split) => ({
      tasks: sum((proof) => proof.compared[split].tasks),
      clusters: sum((proof) => proof.compared[split].clusters),
      whole: all.every((proof) => proof.compared[split].whole),
    })),
    overlap: byKey(['demonstrationsAndRl', ...pairNames], (pair) => sum(({ overlap }) => overlap[pair])),
    sharedClusters: byKey(pairNames, (pair) => sum(({ sharedClusters }) => sharedClusters[pair])),
    ...(all.some((proof) => proof.sharesClusters) && { sharesClusters: true as const }),
    ...(all.every((proof) => proof.placed) && { placed: true as const }),
    ...(Object.keys(transfer).length > 0 && { transfer }),
    environments: Object.fromEntries(proofs.map(([name, { transfer: _, ...proof }]) => [name, proof])),
  };
}

function proveTransfer(
  { name, environment, isKin, split, ids, clusters, sharesClusters = false }: TransferTasks,
  train: NamedTasks,
  heldOut: NamedTasks,
  ownSharesClusters: boolean,
): TransferProof {
  const own = namedTasks(`the ${split} split of \`evaluation.final.transfer.${name}\``, ids, clusters);
  const proof = {
    environment,
    split,
    tasks: own.ids.size,
    clusters: own.clusters.size,
    fingerprint: fingerprint(own.ids),
  };
  if (!isKin) return proof;
  const hint = `Give \`${name}\` options with other tasks than the recipe's own, or options that give the same splits.`;
  for (const others of [train, heldOut]) refuseShared(others, own, sharesClusters || ownSharesClusters, hint);
  return {
    ...proof,
    overlap: { train: shared(train.ids, own.ids).length, heldOut: shared(heldOut.ids, own.ids).length },
    sharedClusters: {
      train: shared(train.clusters, own.clusters).length,
      heldOut: shared(heldOut.clusters, own.clusters).length,
    },
  };
}

function namedTasks(
  name: string,
  all: Iterable<string>,
  clusterOf: ReadonlyMap<string, string> = new Map(),
): NamedTasks {
  const ids = new Set(all);
  const clusters = new Map<string, string>();
  for (const id of ids) {
    const cluster = clusterOf.get(id) ?? id;
    if (!clusters.has(cluster)) clusters.set(cluster, id);
  }
  return { name, ids, clusters };
}

/** A map with these keys, in their order. */
function byKey<Key extends string, Value>(keys: readonly Key[], of: (key: Key) => Value): { [key in Key]: Value } {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as { [key in Key]: Value };
}

function fingerprint(ids: ReadonlySet<string>): string {
  // Sorted by code units: the order of a locale would make the fingerprint depend on the machine.
  return createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex');
}

type Keys = Pick<ReadonlySet<string>, 'keys' | 'has'>;

function shared(left: Keys, right: Keys): string[] {
  return [...left.keys()].filter((key) => right.has(key));
}

function refuseShared(left: NamedTasks, right: NamedTasks, sharesClusters: boolean, hint?: string): void {
  const tasks = shared(left.ids, right.ids);
  if (tasks.length > 0) {
    throw new AgentgymError('AG_SPLIT_LEAK', {
      message: `${tasks.length} of the tasks of ${left.name} are also tasks of ${right.name}; the first is "${tasks[0]}".`,
      hint,
    });
  }
  const clusters = sharesClusters ? [] : shared(left.clusters, right.clusters);
  const [first] = clusters;
  if (first === undefined) return;
  const both = `${capitalized(left.name)} and ${right.name} share ${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'} of tasks`;
  const [one, other] = [left, right].map((split) => `"${split.clusters.get(first)}" of ${split.name}`);
  throw new AgentgymError('AG_SPLIT_LEAK', {
    message: `${both}; the first is "${first}": ${one} and ${other}.`,
    hint:
      hint ??
      'Tasks of one cluster succeed or fail together: put them into one split. A benchmark whose own splits share clusters must say `sharesClusters: true`.',
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
