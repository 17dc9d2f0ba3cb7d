import { parse } from 'yaml';

import type { Contribution } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { checkOptions } from './check-options.js';

/**
 * Options of a contribution out of `--option width=[20,31]` flags; values are YAML, what is not said has its default.
 *
 * @throws AgentgymError AG_OPTION_INVALID
 */
export function optionsFromFlags(
  contribution: Contribution,
  flags: readonly string[],
): Readonly<Record<string, unknown>> {
  const { kind, name, options } = contribution;
  const see = `See \`agentgym describe ${kind} ${name}\`.`;
  const given = flags.map((flag) => {
    const at = flag.indexOf('=');
    if (at < 1) throw invalid(`\`--option ${flag}\` is not of the form name=value`, see);
    try {
      return [flag.slice(0, at), parse(flag.slice(at + 1)) as unknown] as const;
    } catch {
      throw invalid(
        `the value of \`--option ${flag}\` is not well-formed YAML`,
        'Quote it for the shell and for YAML.',
      );
    }
  });
  const { values, findings } = checkOptions(options, Object.fromEntries(given));
  const [finding] = [...findings, ...(findings.length > 0 ? [] : (contribution.validate?.(values as never) ?? []))];
  if (finding !== undefined) throw invalid(`${kind} \`${name}\`: ${finding.message}`, `${finding.hint} ${see}`);
  return values;
}

function invalid(message: string, hint: string): AgentgymError {
  return new AgentgymError('AG_OPTION_INVALID', { message, hint });
}
