import { optionLines } from '../config/option-lines.js';
import { optionsJsonSchema } from '../config/option-schema.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { surveyEnvironment, surveyLines } from '../experiments/survey-environment.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';

/** A contribution and its options, as a document and as lines for people. */
export async function describeContribution(
  host: PluginHost,
  settings: HostSettings,
  wanted: ContributionKind,
  named: string,
) {
  const { kind, name, package: plugin, version, contribution } = await host.find(wanted, named);
  const { summary, options } = contribution;
  const presets = 'presets' in contribution ? contribution.presets : undefined;
  const optimizers = contribution.kind === 'policy' ? contribution.optimizers : undefined;
  const facts = contribution.kind === 'environment' ? ['success', 'invalid', ...(contribution.facts ?? [])] : undefined;
  const external = contribution.kind === 'tool' || contribution.kind === 'reward' ? contribution.external : undefined;
  const survey = kind === 'environment' ? await surveyEnvironment(host, settings, name) : undefined;
  const needs = contribution.kind === 'reward' ? contribution.needs : undefined;
  const lines = [
    `${name}: ${summary}`,
    `${kind} of ${plugin} ${version}`,
    ...(facts === undefined ? [] : [`reports ${facts.join(', ')}`]),
    ...(survey === undefined ? [] : surveyLines(survey)),
    ...(needs === undefined ? [] : [`needs an environment that reports ${needs.join(', ')}`]),
    ...(external === true ? ['its answers may change between calls: runs with it are not exactly repeatable'] : []),
    ...(presets === undefined
      ? []
      : ['', 'Presets', ...presets.map((preset) => `  ${preset.name}  ${preset.summary}`)]),
    '',
    'Options',
    ...optionLines(options, kind).map((line) => `  ${line}`),
    ...(optimizers ?? []).flatMap((optimizer) => [
      '',
      `Options of the optimizer ${optimizer.name}: ${optimizer.summary}`,
      ...optionLines(optimizer.options, kind).map((line) => `  ${line}`),
    ]),
  ];
  const document = {
    kind,
    name,
    plugin,
    version,
    summary,
    ...(presets && { presets }),
    ...(facts && { facts }),
    ...survey,
    ...(needs && { needs }),
    ...(external !== undefined && { external }),
    options,
    ...(optimizers && {
      optimizers: optimizers.map(({ name: called, summary: about, options: own }) => ({
        ...{ name: called, summary: about, options: own, schema: optionsJsonSchema(own) },
      })),
    }),
    schema: optionsJsonSchema(options),
  };
  return { document, lines };
}
