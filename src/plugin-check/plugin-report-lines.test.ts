import { expect, it } from 'vitest';

import type { CheckOutcome } from '../testing/conformance-kit.js';
import { pluginReportLines } from './plugin-report-lines.js';

const failed = (id: string, severity: 'error' | 'warning' = 'error'): CheckOutcome => ({
  id,
  status: severity === 'error' ? 'failed' : 'passed',
  findings: [{ id, severity, title: `${id} is right`, message: `${id} is wrong`, cure: 'Mend it' }],
});

// Goes red when a consequence comes before its cause.
it('tells of the root before what follows from it, and of warnings last', () => {
  const checks = [
    failed('observation-length', 'warning'),
    failed('neighbours'),
    failed('deterministic'),
    failed('clock'),
  ];
  const report = {
    plugin: 'p',
    version: '1.0.0',
    root: '/p',
    checks: [],
    contributions: [{ kind: 'environment' as const, name: 'e', checks }],
    passed: false,
  };
  const lines = pluginReportLines(report, { width: 100, colour: false });
  expect(lines.filter((line) => line.endsWith(' is wrong')).map((line) => line.trim().split(' ')[0])).toEqual([
    'clock',
    'deterministic',
    'neighbours',
    'observation-length',
  ]);
});
