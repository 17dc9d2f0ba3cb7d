import type { ReportData } from '../report-data.js';
import { reservationSentences } from '../reservations.js';
import { explanation, heading, type Block } from './block.js';
import { cellBlocks, type PageOfCells } from './tell-cells.js';
import { differenceBlocks, effectBlocks, gainBlocks } from './tell-differences.js';
import { transferBlocks } from './tell-transfer.js';

/** The results of several settings. */
export type SettingResults = Pick<ReportData, 'cells' | 'comparisons' | 'effects' | 'gains' | 'transfer'>;

export interface SettingChoice {
  /** The compared measure: `success` or another name. */
  readonly measure: string;
  /** What the results hold for. */
  readonly about?: string;
  /** Whether no number of seeds would show a difference, because the tasks leave no room for one. */
  readonly isSaturated?: boolean;
  readonly page?: PageOfCells;
}

/** Settings, what carries over between them, and their differences. */
export function settingBlocks(results: SettingResults, { isSaturated = false, ...choice }: SettingChoice): Block[] {
  const { cells, comparisons, effects = [], gains = [], transfer } = results;
  // More seeds do not help where there is no room for a difference.
  const reserved = isSaturated
    ? []
    : [
        ...cells.flatMap(({ success, measured }) => [success ?? {}, measured ?? {}]),
        ...[...comparisons, ...effects, ...gains].map(({ difference }) => difference),
      ];
  const nameOf = (id: string) => cells.find((cell) => cell.id === id)?.label ?? id;
  return [
    ...(transfer === undefined
      ? []
      : [...transferBlocks(transfer, choice.measure, nameOf), heading('Each where it was trained')]),
    ...cellBlocks(cells, choice),
    ...gainBlocks(gains),
    ...differenceBlocks(comparisons, []),
    ...effectBlocks(effects),
    ...explanation(...reservationSentences(reserved)),
  ];
}
