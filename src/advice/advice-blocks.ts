import { facts, paragraph, type Block } from '../reporting/blocks/block.js';
import { adviceBlocks } from '../reporting/blocks/tell-advice.js';
import type { Advice } from './advice.js';

/** What `agentgym advise` tells: how much was checked, the findings, and the next command. */
export function wholeAdviceBlocks(advice: Advice): Block[] {
  const { subject, kind, findings, fine, notChecked, next } = advice;
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  return [
    paragraph(`${kind} ${subject}: ${count}, ${fine.length} checked and fine, ${notChecked.length} not checked`),
    ...adviceBlocks(advice),
    ...(next === undefined ? [] : [facts(['next', `\`${next}\``])]),
  ];
}
