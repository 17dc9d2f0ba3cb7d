import type { ReportEpisode } from '../report-data.js';
import { dataTable, type Column } from './data-table.js';
import { element } from './element.js';
import { isEvaluation, type ListedEpisode } from './filter-episodes.js';
import { count, short, signed } from '../format-quantity.js';
import { outcomeBadge } from './outcome-badge.js';

/** The recorded episodes that were sampled together with this one, including itself. */
export function groupOf(all: readonly ListedEpisode[], { run, episode }: ListedEpisode): ListedEpisode[] {
  return all
    .filter(
      (other) =>
        other.run.id === run.id &&
        other.episode.stage === episode.stage &&
        other.episode.runStep === episode.runStep &&
        other.episode.group === episode.group,
    )
    .sort((a, b) => a.episode.member - b.episode.member);
}

/** Why training did not use an episode, if known. It completes "The record here has no advantage". */
export function withoutAdvantage(listed: ListedEpisode): string {
  const { groupReturns, outcome } = listed.episode;
  if (isEvaluation(listed)) return 'No advantage: training does not use evaluations.';
  if (outcome === 'failed') return 'No advantage: training does not use failed episodes.';
  if (groupReturns !== undefined && isFlat(groupReturns)) return flatText(groupReturns);
  return 'No advantage: the algorithm or the budget dropped its group.';
}

/**
 * The group of an episode: its returns and its recorded episodes. Undefined for a single episode.
 *
 * @param onWhole shows the whole group side by side, or only one episode again
 */
export function groupBlock(
  members: readonly ListedEpisode[],
  opened: ListedEpisode,
  isWhole: boolean,
  onOpen: (listed: ListedEpisode) => void,
  onWhole: () => void,
) {
  const returns = opened.episode.groupReturns ?? members.flatMap(({ episode }) => episode.return ?? []);
  if (returns.length < 2 || isEvaluation(opened)) return undefined;
  const columns: Column<ListedEpisode>[] = [
    {
      title: 'member',
      cell: (listed) => {
        if (listed === opened) return `${listed.episode.member}, this one`;
        const attributes = { type: 'button', onclick: () => onOpen(listed) };
        return element('button.quiet.link', attributes, String(listed.episode.member));
      },
    },
    { title: 'outcome', className: 'text', cell: ({ episode }) => outcomeBadge(episode) },
    { title: 'return', cell: ({ episode }) => (episode.return === null ? '–' : short(episode.return)) },
    { title: 'advantage', cell: ({ episode }) => advantageText(episode) },
    { title: 'turns', cell: ({ episode }) => count(episode.turns.length) },
    {
      title: 'tokens',
      cell: ({ episode: { sequences } }) =>
        sequences === undefined ? '–' : count(sequences.reduce((sum, { tokens }) => sum + tokens.length, 0)),
    },
  ];
  const all = `Show ${members.length < returns.length ? 'these' : 'all'} ${members.length} side by side`;
  const attributes = { type: 'button', 'aria-pressed': String(isWhole), onclick: onWhole };
  const whole = element('button.quiet', attributes, isWhole ? 'Show only one' : all);
  const recorded = members.length < returns.length ? `; ${members.length} of them are on this page` : '';
  return element(
    'details.group',
    element('summary', `Its group: ${groupText(returns)}${recorded}`),
    dataTable('The group of this episode', columns, members, (listed) => listed === opened),
    members.length > 1 && whole,
  );
}

/** "16 episodes returned 0 (9 times) and 1 (7 times)"; a range if there are many different returns. */
function groupText(returns: readonly number[]): string {
  if (isFlat(returns)) return flatText(returns).replace(/\.$/, '');
  const counts = new Map<string, number>();
  for (const value of [...returns].sort((a, b) => a - b)) counts.set(short(value), (counts.get(short(value)) ?? 0) + 1);
  const names = [...counts.keys()];
  if (names.length > 4) return `${returns.length} episodes returned ${names[0]} to ${names.at(-1)}`;
  const told = [...counts].map(([value, times]) => `${value} (${times === 1 ? 'once' : `${times} times`})`);
  return `${returns.length} episodes returned ${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}

function flatText(returns: readonly number[]): string {
  return `Credit 0: all ${returns.length} episodes of its group returned ${short(returns[0] ?? 0)}.`;
}

function isFlat(returns: readonly number[]): boolean {
  return returns.every((value) => Math.abs(value - (returns[0] ?? 0)) < 1e-12);
}

/** The finite advantages of sampled tokens. */
export function sampledAdvantages(sequences: NonNullable<ReportEpisode['sequences']>): number[] {
  return sequences.flatMap(({ advantages = [], mask }) =>
    advantages.flatMap((value, i) => (value === null || mask[i] !== 1 ? [] : [value])),
  );
}

/** The mean over its sampled tokens; 0 if nothing was learned from it. */
function advantageText({ sequences = [], groupReturns }: ReportEpisode): string {
  if (sequences.every(({ advantages }) => advantages === undefined))
    return groupReturns !== undefined && isFlat(groupReturns) ? '0' : '–';
  const own = sampledAdvantages(sequences);
  return own.length === 0 ? '–' : signed(own.reduce((sum, value) => sum + value, 0) / own.length, 3);
}
