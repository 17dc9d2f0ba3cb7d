import { allChecks } from '../../src/plugin-check/all-checks.js';

/** All checks of plugins: what is promised, and how to repair it. */
export function checksPage(): string {
  const sections = Object.entries(allChecks).map(([kind, checks]) => {
    const rows = checks.map(({ id, title, severity, cure }) => {
      const cells = [`\`${id}\``, `${title}${severity === 'warning' ? ' (a warning)' : ''}`, cure];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
    return [`## ${kind}\n`, '| check | what is promised | how to repair it |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return [
    '# Checks of plugins\n',
    'This page lists all checks of `agentgym plugins check` and of the kits in `@agentgym/cli/testing`. [Conformance](../conformance.md) explains how to run them.\n',
    'Generated from the checks themselves (`src/testing/`, `src/plugin-check/`) by `npm run reference`.\n',
    ...sections,
  ].join('\n');
}
