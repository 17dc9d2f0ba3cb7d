import { allChecks } from '../../src/plugin-check/all-checks.js';

/** Every check of plugins: what holds, why it matters and how to mend it. */
export function checksPage(): string {
  const sections = allChecks().map(({ kind, checks }) => {
    const rows = checks.map(({ id, title, severity, why, cure }) => {
      const cells = [`\`${id}\``, `${title}${severity === 'warning' ? ' (a warning)' : ''}`, why, cure];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
    return [
      `## ${kind}\n`,
      '| check | what holds | why it matters | how to mend it |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  return [
    '# Checks of plugins\n',
    'What `agentgym plugins check` and the kits of `@agentgym/cli/testing` check; [conformance](../conformance.md) says how they are run.\n',
    'Generated from the checks themselves (`src/testing/`, `src/plugin-check/`) by `npm run reference`.\n',
    ...sections,
  ].join('\n');
}
