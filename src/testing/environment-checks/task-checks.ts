// Checks of the tasks of a world, without playing them.
import type { SplitName, World } from '../../contracts/environment.js';
import { checkTaskFacts } from '../../rollout/check-answers.js';
import { sourceOf } from '../../rollout/source-of.js';
import { splitNames } from '../../rollout/split-names.js';
import { firstFound, foundAt } from '../findings.js';
import { jsonDifference } from '../json-difference.js';
import { shorten } from '../shorten.js';
import type { EnvironmentCheck, EnvironmentContext } from './environment-context.js';
import { listIds, listSplits } from './list-splits.js';

/** Number of tasks to ask about in each split: of an unbounded one, and twice. */
const [askedAbout, askedTwice] = [2_000, 100];

const factsOf = async (world: World, task: string) => checkTaskFacts(await world.about?.(task));

const tellsNothing = ({ world }: EnvironmentContext): string | undefined =>
  world.about === undefined ? 'the world has no about()' : undefined;

const declaresReferences = ({ contribution }: EnvironmentContext): boolean =>
  contribution.facts?.includes('references') ?? false;

/** The world again, and another one, by words for messages. */
const worldsOf = async ({ world, other }: EnvironmentContext): Promise<readonly [string, World][]> =>
  Object.entries({ 'a second time': world, 'in another world': await other() });

export const taskChecks: readonly EnvironmentCheck[] = [
  {
    id: 'task-ids-stable',
    title: 'the same options give the same tasks in the same order, in every world',
    cure: 'Make id(place) a pure function of options and place: no directory order, clock, set in hash order, or generator that advances.',
    run: async (context) => {
      const listed = async (of: World) => Object.fromEntries(await listSplits(of, context.settings.ids));
      const before = await listed(context.world);
      return firstFound(await worldsOf(context), async ([when, opened]) => {
        const difference = jsonDifference(before, await listed(opened));
        return difference && `${when} the tasks differ: ${difference}`;
      });
    },
  },
  {
    id: 'splits-disjoint',
    title: 'no task is listed twice, in one split or in two',
    cure: 'Cut the splits from one list, or by a hash of what defines the task, and put everything that defines it into its id.',
    run: async ({ world, settings }) => {
      const owner = new Map<string, SplitName>();
      const listed = await listSplits(world, settings.ids);
      const places = [...listed].flatMap(([split, ids]) => ids.map((id) => [split, id] as const));
      return firstFound(places, ([split, id]) => {
        if (typeof id !== 'string') return `an id of ${split} is no text, but ${typeof id}`;
        const first = owner.get(id);
        owner.set(id, split);
        if (first === undefined) return undefined;
        return first === split ? `${split} has ${shorten(id)} twice` : `${shorten(id)} is in ${first} and in ${split}`;
      });
    },
  },
  {
    id: 'task-random',
    title: 'random() draws a task of its split, and depends only on its random stream',
    cure: 'Draw a place of the split from the stream given to random(), and return its id.',
    run: async ({ random, settings, world }) => {
      const listed = await listSplits(world, settings.ids);
      const ids = new Map([...listed].map(([split, tasks]) => [split, new Set(tasks)]));
      return firstFound(splitNames, (split) => {
        const source = sourceOf(world, split);
        const draws = Array.from({ length: source.count === 0 ? 0 : 50 }, (_, draw) => draw);
        return firstFound(draws, async (draw) => {
          const [task, again] = await Promise.all(
            [1, 2].map(async () => source.random(random.stream('task', split, draw))),
          );
          if (typeof task !== 'string' || task !== again) return `${split}: two draws from one stream differ`;
          const other = splitNames.find((name) => name !== split && ids.get(name)?.has(task));
          if (other !== undefined) return `${split} drew ${shorten(task)}, a task of ${other}`;
          const isListed = source.count !== 'unbounded' && source.count <= settings.ids;
          if (!isListed || ids.get(split)?.has(task) === true) return undefined;
          return `${split} drew ${shorten(task)}, which is not in it`;
        });
      });
    },
  },
  {
    id: 'split-of',
    title: 'splitOf() names the split of every task',
    cure: 'Make splitOf(task) and the lists of the splits read the same rule, such as a hash of the id.',
    idle: ({ world }) => (world.splitOf === undefined ? 'the world has no splitOf()' : undefined),
    run: async ({ world, settings }) =>
      firstFound(await listSplits(world, settings.ids), ([split, ids]) =>
        firstFound(ids, async (task) => {
          const told = await world.splitOf?.(task);
          return told === split ? undefined : `${shorten(task)} is listed in ${split}, but splitOf() says ${told}`;
        }),
      ),
  },
  {
    id: 'about',
    title: 'about() returns strings and finite numbers, the same each time and in every world',
    cure: 'Make about(task) a pure function of options and task. Do not number clusters by the order of calls.',
    idle: tellsNothing,
    run: async (context) => {
      const listed = await listSplits(context.world, Math.min(askedTwice, context.settings.ids));
      const told = async (of: World, task: string): Promise<string> => {
        const { cluster, labels = {}, references = [] } = await factsOf(of, task);
        return JSON.stringify([cluster, Object.entries(labels).sort(), ...references]);
      };
      const first = new Map<string, string>();
      const worlds = [['first', context.world] as const, ...(await worldsOf(context))];
      const asked = [...new Set([...context.tasks, ...[...listed.values()].flat()])];
      return firstFound(worlds, ([when, world]) =>
        // The order of later questions is another one.
        firstFound(when === 'first' ? asked : asked.toReversed(), (task) =>
          foundAt(`about(${shorten(task)})`, async () => {
            const facts = await told(world, task);
            const known = first.get(task) ?? facts;
            first.set(task, known);
            return facts === known ? undefined : `it is ${known}, but ${when} ${facts}`;
          }),
        ),
      );
    },
  },
  {
    id: 'references',
    title: 'about() tells right answers of every task exactly if the contribution lists `references`',
    cure: "Write `facts: ['references']` in the contribution, and return at least one text in `references` of every task.",
    idle: (context) => (declaresReferences(context) ? undefined : tellsNothing(context)),
    run: async (context) => {
      const declared = declaresReferences(context);
      const listed = await listSplits(context.world, Math.min(askedTwice, context.settings.ids));
      return firstFound([...new Set([...context.tasks, ...[...listed.values()].flat()])], async (task) => {
        const { references = [] } = context.world.about === undefined ? {} : await factsOf(context.world, task);
        const told = references.length;
        if (told > 0 === declared) return undefined;
        return declared
          ? `about(${shorten(task)}) tells no right answer`
          : `about(${shorten(task)}) tells \`references\`, which are not declared`;
      });
    },
  },
  {
    id: 'clusters',
    title: 'clusters are in two splits exactly if the world declares `sharesClusters`',
    cure: 'Assign whole clusters to splits. Declare `sharesClusters: true` only for a published benchmark whose splits share them.',
    idle: (context) => (context.world.sharesClusters === true ? undefined : tellsNothing(context)),
    run: async ({ world, settings }) => {
      const owner = new Map<string, readonly [split: SplitName, task: string]>();
      const shared = await firstFound(splitNames, async (split) => {
        const source = sourceOf(world, split);
        const limit = source.count === 'unbounded' ? Math.min(askedAbout, settings.ids) : settings.ids;
        return firstFound(await listIds(source, limit), async (task) => {
          const { cluster } = await factsOf(world, task);
          if (cluster === undefined) return undefined;
          const [first, other] = owner.get(cluster) ?? [split, task];
          owner.set(cluster, [first, other]);
          const place = `the cluster ${shorten(cluster)}`;
          return first === split
            ? undefined
            : `${place} has ${shorten(other)} of ${first} and ${shorten(task)} of ${split}`;
        });
      });
      if (world.sharesClusters !== true) return shared;
      return shared === undefined ? `the world declares it, but none of ${owner.size} clusters is in two splits` : [];
    },
  },
];
