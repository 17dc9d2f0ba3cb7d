import { count, formatShare, number } from '../format-quantity.js';
import type { ReportEvaluation, ReportRun } from '../report-data.js';
import { explanation, heading, tableOf, type Block } from './block.js';
import { intervalMethods } from './interval-methods.js';
import { rateColumns } from './rate-columns.js';
import { labelBlocks, type LabelChoice } from './tell-labels.js';

/** A player and its results. */
export interface PlayerRow {
  readonly name: string;
  readonly evaluation: PlayerEvaluation;
  /** Whether it is the player that the table is about. */
  readonly isAbout?: boolean;
  /** Whether it is the player that this one is compared with. */
  readonly isReference?: boolean;
}

/** The parts of an evaluation that are told. */
export type PlayerEvaluation = Pick<
  ReportEvaluation,
  'split' | 'success' | 'return' | 'turns' | 'truncated' | 'invalid' | 'cut' | 'failed' | 'attempts' | 'labels' | 'clusters'
>; // prettier-ignore

/** Names of players, from those without knowledge to the one that knows everything. */
const players: readonly (readonly [player: string, name: string])[] = [
  ['random', 'random'],
  ['demonstrator', 'demonstrator'],
  ['start', 'before RL'],
  ['policy', 'trained'],
  ['oracle', 'oracle'],
];

/** The final evaluations of a run, as a whole and in each environment that has a name. */
export function finalBlocks(evaluations: ReportRun['evaluations'], labels: LabelChoice): Block[] {
  const named = new Map(
    evaluations.flatMap(({ environment, transfer }) =>
      environment === undefined ? [] : [[environment, transfer === true]],
    ),
  );
  const of = (environment: string | undefined) =>
    playerBlocks(finalPlayers(evaluations, environment), labels, environment);
  return [
    ...of(undefined),
    ...[...named].flatMap(([environment, isTransfer]) => {
      const told = of(environment);
      const where = isTransfer ? `${environment}, without training in it` : environment;
      return told.length === 0 ? [] : [heading(`Success on ${where}`), ...told];
    }),
  ];
}

function finalPlayers(evaluations: ReportRun['evaluations'], environment: string | undefined): PlayerRow[] {
  return players.flatMap(([player, name]) =>
    evaluations
      .filter((one) => one.final && one.player === player && one.environment === environment)
      .map((evaluation): PlayerRow => {
        const isGreedy = evaluation.temperature === 0;
        return {
          evaluation,
          name: isGreedy ? name : `${name}, temperature ${evaluation.temperature}`,
          isAbout: player === 'policy' && isGreedy,
          isReference: player === 'start' && isGreedy,
        };
      }),
  );
}

/** Players on the same tasks with their intervals, and their success by label. Empty without players. */
export function playerBlocks(rows: readonly PlayerRow[], labels: LabelChoice, environment?: string): Block[] {
  const [first] = rows;
  if (first === undefined) return [];
  const where = environment === undefined ? '' : ` on ${environment}`;
  const split = first.evaluation.split;
  return [
    playersTable(rows, `Success of each player on the final tasks${where}`),
    ...explanation(
      `${split.charAt(0).toUpperCase()}${split.slice(1)} split, the same tasks for all.`,
      intervalMethods(rows),
    ),
    ...labelBlocks(rows, labels, 'player', where),
  ];
}

/** A table of players. Columns that say nothing here are left out. */
export function playersTable(rows: readonly PlayerRow[], caption: string): Block {
  const some = (found: (evaluation: PlayerEvaluation) => unknown) =>
    rows.some(({ evaluation }) => Boolean(found(evaluation)));
  const k = rows.find(({ evaluation }) => evaluation.attempts !== undefined)?.evaluation.attempts?.k;
  return tableOf<PlayerRow>(
    caption,
    [
      { title: 'player', kind: 'text', cell: ({ name }) => name },
      ...rateColumns<PlayerRow>(({ evaluation }) => evaluation.success),
      { title: 'turns', kind: 'number', rank: 6, cell: ({ evaluation }) => number(evaluation.turns.mean, 1) },
      { title: 'return', kind: 'number', rank: 7, cell: ({ evaluation }) => number(evaluation.return.mean, 2) },
      k !== undefined && {
        ...{ title: `pass@${k}`, kind: 'number', rank: 8 },
        cell: ({ evaluation: { attempts } }) => (attempts === undefined ? '–' : formatShare(attempts.pass)),
      },
      some(({ truncated }) => truncated) && {
        title: 'truncated',
        kind: 'number',
        rank: 9,
        cell: ({ evaluation }) => formatShare(evaluation.truncated),
      },
      {
        title: 'invalid',
        kind: 'number',
        rank: 2,
        isCaveat: true,
        cell: ({ evaluation }) => formatShare(evaluation.invalid),
      },
      some(({ cut }) => cut) && {
        title: 'cut',
        kind: 'number',
        rank: 3,
        isCaveat: true,
        cell: ({ evaluation: { cut } }) => (cut === undefined ? '–' : formatShare(cut)),
      },
      some(({ failed }) => failed) && {
        title: 'failed',
        kind: 'number',
        rank: 4,
        isCaveat: true,
        cell: ({ evaluation }) => count(evaluation.failed),
      },
    ],
    rows,
    ({ isAbout }) => isAbout === true,
  );
}
