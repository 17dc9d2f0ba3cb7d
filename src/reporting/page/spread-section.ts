import type { ReportData, ReportEpisode, ReportRun } from '../report-data.js';
import { choice } from './choice.js';
import { element, isSameList, replaceChildren } from './element.js';
import { sampledAdvantages } from './episode-group.js';
import { stageName } from './episode-view.js';
import { count } from '../format-quantity.js';
import { histogram } from './histogram.js';

/** Histograms of returns, advantages and lengths of the recorded episodes. Undefined without episodes. */
export function spreadSection(first: ReportData) {
  const stagesOf = ({ runs }: ReportData) => [
    ...new Set(runs.flatMap(({ episodes }) => episodes.map(({ stage }) => stage))),
  ];
  const stages = stagesOf(first);
  if (stages.length === 0) return undefined;
  let data = first;
  // A training stage, if there is one.
  let stage = stages.find((name) => !name.startsWith('evaluation.')) ?? stages[0] ?? '';
  let offered: readonly string[] = [];
  const grid = element('div.histograms');
  const explain = element('p.explain');
  const head = element('div.section-head');
  const draw = () => {
    const episodes = data.runs
      .flatMap((run) => run.episodes)
      .filter((episode) => episode.stage === stage && episode.outcome !== 'failed');
    replaceChildren(grid, ...histograms(episodes));
    explain.textContent = coverage(data.runs, stage, episodes.length);
  };
  const update = (given: ReportData) => {
    data = given;
    const names = stagesOf(given);
    if (!isSameList(names, offered)) {
      offered = names;
      const stageChoice = choice({
        label: 'Stage',
        options: names.map((name) => [name, stageName(name)] as const),
        value: stage,
        onChange: (value) => {
          stage = value;
          draw();
        },
      });
      stageChoice.node.hidden = names.length < 2;
      replaceChildren(head, element('h2', { id: 'spread-title' }, 'Returns and lengths'), stageChoice.node);
    }
    draw();
  };
  update(first);
  const node = element('section', { id: 'spread', 'aria-labelledby': 'spread-title' }, head, explain, grid);
  return { node, update };
}

/** The data of the histograms, and their share of all episodes. */
function coverage(runs: readonly ReportRun[], stage: string, shown: number): string {
  const carried = runs.reduce((sum, run) => sum + run.episodes.length, 0);
  const recorded = runs.reduce((sum, run) => sum + run.episodesRecorded, 0);
  const trained = runs.flatMap(({ stages }) => stages.filter(({ name }) => name === stage));
  const played = trained.reduce((sum, { spent }) => sum + (spent['episodes'] ?? 0), 0);
  const of = trained.length > 1 ? ` of ${count(trained.length)} runs together` : '';
  if (played > 0 && shown >= played) return `All ${count(shown)} episodes of ${stageName(stage)}${of}.`;
  const part =
    carried < recorded
      ? ` Of all stages, ${count(recorded)} episodes are recorded; this page has ${count(carried)} of them.`
      : '';
  const some = played > 0 ? `${count(shown)} of the ${count(played)}` : count(shown);
  return `${some} episodes of ${stageName(stage)}${of}.${part}`;
}

function histograms(episodes: readonly ReportEpisode[]): HTMLElement[] {
  const measures: readonly (readonly [title: string, values: readonly number[], unit?: string])[] = [
    ['Return', episodes.flatMap((episode) => episode.return ?? [])],
    ['Advantage of a token', episodes.flatMap(({ sequences = [] }) => sampledAdvantages(sequences)), 'tokens'],
    ['Turns', episodes.map(({ turns }) => turns.length)],
    ['Sampled tokens', episodes.flatMap(({ sequences }) => (sequences === undefined ? [] : sampledTokens(sequences)))],
  ];
  return measures.flatMap(([title, values, unit = 'episodes']) =>
    values.length === 0 ? [] : [histogram(title, values, unit)],
  );
}

function sampledTokens(sequences: NonNullable<ReportEpisode['sequences']>): number {
  return sequences.reduce((all, { mask }) => mask.reduce<number>((sum, value) => sum + value, all), 0);
}
