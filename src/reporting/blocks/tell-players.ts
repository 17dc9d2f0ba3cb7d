import { count, formatShare, number } from '../format-quantity.js';
import type { ReportEvaluation, ReportRun } from '../report-data.js';
import { explanation, heading, numberColumn, tableOf, textColumn, type Block } from './block.js';
import { intervalMethods } from './interval-methods.js';
import { rateColumns } from './mean-columns.js';
import { labelBlocks, type LabelChoice, type LabelledRow } from './tell-labels.js';

/** A player and its results. */
export interface PlayerRow extends LabelledRow {
  readonly evaluation: PlayerEvaluation;
}

/** The parts of an evaluation that are told. */
export type PlayerEvaluation = Pick<
  ReportEvaluation,
  'split' | 'success' | 'return' | 'turns' | 'truncated' | 'invalid' | 'cut' | 'calls' | 'failed' | 'attempts' | 'labels' | 'clusters'
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
  const measured = (
    title: string,
    cell: (evaluation: PlayerEvaluation) => string,
    more: Parameters<typeof numberColumn>[2],
  ) => numberColumn(title, ({ evaluation }: PlayerRow) => cell(evaluation), more);
  const share = (value: number | undefined) => (value === undefined ? '–' : formatShare(value));
  return tableOf<PlayerRow>(
    caption,
    [
      textColumn('player', ({ name }) => name),
      ...rateColumns<PlayerRow>(({ evaluation }) => evaluation.success),
      measured('turns', ({ turns }) => number(turns.mean, 1), { rank: 6 }),
      measured('return', (evaluation) => number(evaluation.return.mean, 2), { rank: 7 }),
      k !== undefined && measured(`pass@${k}`, ({ attempts }) => share(attempts?.pass), { rank: 8 }),
      some(({ truncated }) => truncated) && measured('truncated', ({ truncated }) => share(truncated), { rank: 9 }),
      measured('invalid', ({ invalid }) => share(invalid), { rank: 2, isCaveat: true }),
      some(({ cut }) => cut) && measured('cut', ({ cut }) => share(cut), { rank: 3, isCaveat: true }),
      some(({ calls }) => calls) && measured('calls', ({ calls }) => number(calls?.mean ?? 0, 1), { rank: 10 }),
      some(({ failed }) => failed) && measured('failed', ({ failed }) => count(failed), { rank: 4, isCaveat: true }),
    ],
    rows,
    ({ isAbout }) => isAbout === true,
  );
}
